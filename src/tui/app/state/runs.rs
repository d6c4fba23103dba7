//! Runs at the workbench: their status line, and the keys that act on a run from any screen.

use super::{App, InputOutcome};
use crate::tui::app::SessionPosition;
use crate::tui::app::effect::{Command, Effect};
use crate::tui::app::run_commands::{RunCommand, RunEvent};
use crate::tui::keys::{Action, Context, key_for, spelled};
use crate::tui::screens::annotate::Annotate;
use crate::tui::theme::Role;
use crate::tui::widgets::count_cells;
use elenchus_annotation::labelling::LabellingWork;
use elenchus_annotation::queue::RUN_SAMPLE_TURNS;
use elenchus_game::debate::RunId;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::rows::LookedAt;
use elenchus_run::experiments::{
    BackgroundEvent, BackgroundTask, PauseCause, RunEndState, RunOver,
};
use elenchus_text::safe_text::{Keep, format_noun_count, make_visible};

/// Status line of the run that is, or was, played here.
#[derive(Debug, Clone, Default)]
pub(super) enum RunLine {
    #[default]
    Nothing,
    Playing {
        words: String,
        /// It was asked to pause: what still arrives does not hide that.
        is_pausing: bool,
    },
    /// Shown until the person's next action; the longest text that fits is used.
    Over { run: RunId, words: Vec<String> },
    /// It was read, and can still be gone on with.
    Past(RunId),
}

impl RunLine {
    fn is_pausing(&self) -> bool {
        match self {
            RunLine::Playing { is_pausing, .. } => *is_pausing,
            RunLine::Nothing | RunLine::Over { .. } | RunLine::Past(_) => false,
        }
    }
}

/// Says what is done about a debate that no run played, of which there is no sample to draw.
fn no_sample_text() -> String {
    let label = key_for(Context::Debate, Action::Label);
    let draw = key_for(Context::Queues, Action::DrawQueue);
    format!(
        "no run is known that this belongs to: in a debate {label} labels a turn, in the list of queues {draw} \
         draws some"
    )
}

impl App {
    /// Learns how a run is getting on.
    pub(super) fn handle_run_event(&mut self, event: &RunEvent, out: &mut InputOutcome) {
        match event {
            RunEvent::Played(event) => self.handle_background_event(event, out),
            RunEvent::FirstOf(Ok(first)) => {
                let place = first.turn.clone().map(|turn| SessionPosition {
                    turn: Some(turn),
                    pane: None,
                });
                self.open_session(first.session.clone(), place, out);
                let what = first.describe();
                let key = key_for(Context::Debate, Action::LabelSample);
                let text = match first.of {
                    LookedAt::Run(_) => {
                        format!("{what}; {key} labels a sample of {RUN_SAMPLE_TURNS}")
                    }
                    LookedAt::Session(_) => what,
                };
                self.show_message(Role::Notice, spelled(&text, &self.keys));
            }
            RunEvent::Sampled(Ok(sample)) => {
                let work = LabellingWork::Queue(sample.queue.clone());
                let from = self.last_screen;
                self.perform_effects(from, Annotate::show_work(work), out);
                let notices = sample.build_notices().join("; ");
                if !notices.is_empty() {
                    self.show_message(Role::Notice, notices);
                }
            }
            RunEvent::FirstOf(Err(why)) | RunEvent::Sampled(Err(why)) => self.show_error(why),
        }
    }

    fn handle_background_event(&mut self, event: &BackgroundEvent, out: &mut InputOutcome) {
        match event {
            BackgroundEvent::Began(Ok(_)) => {
                let words = "run: it begins".to_owned();
                self.run = RunLine::Playing {
                    words,
                    is_pausing: false,
                };
                // Keys that name it are offered from here on.
                self.message = None;
            }
            BackgroundEvent::Began(Err(why)) => self.show_error(why),
            BackgroundEvent::Progress(words) => {
                out.is_store_changed = true;
                if !self.run.is_pausing() {
                    self.run = RunLine::Playing {
                        words: words.clone(),
                        is_pausing: false,
                    };
                }
            }
            BackgroundEvent::Notice(text) => self.show_message(Role::Warning, text.clone()),
            BackgroundEvent::Ended(over) => {
                let words = describe_run_end(over);
                out.is_store_changed = true;
                if self.lists_sessions() {
                    // How it goes on stands on the list's own lines, which a notice would cover.
                    self.message = None;
                } else if !self.is_labelling() {
                    let short = words.last().cloned().unwrap_or_default();
                    self.show_message(Role::Notice, spelled(&short, &self.keys));
                }
                let run = over.run.clone();
                self.run = RunLine::Over { run, words };
            }
            BackgroundEvent::OtherEnded(how) => {
                out.is_store_changed = true;
                self.run = RunLine::Nothing;
                match how {
                    Ok(words) => self.show_message(Role::Notice, words.clone()),
                    Err(why) => self.show_error(why),
                }
            }
        }
    }

    fn show_error(&mut self, why: &impl ToString) {
        let text = make_visible(&why.to_string(), Keep::Nothing).into_owned();
        self.show_message(Role::Error, text);
    }

    fn top_context(&self) -> Option<Context> {
        self.screens.last().map(|screen| screen.key_context())
    }

    fn lists_sessions(&self) -> bool {
        self.top_context() == Some(Context::Sessions)
    }

    /// Says whether the end of a run was not read yet.
    fn reports_run_end(&self) -> bool {
        match self.run {
            RunLine::Over { .. } => true,
            RunLine::Playing { .. } | RunLine::Past(_) | RunLine::Nothing => false,
        }
    }

    fn lists_experiments(&self) -> bool {
        self.top_context() == Some(Context::Experiments)
    }

    fn is_labelling(&self) -> bool {
        self.top_context() == Some(Context::Annotate)
    }

    /// Does what an action asks of a run; `None` where it asks nothing of one here.
    pub(super) fn handle_run_action(&mut self, action: Action) -> Option<Vec<Effect>> {
        let command = match action {
            Action::PauseRun => match &self.run {
                RunLine::Playing { .. } => RunCommand::Pause,
                RunLine::Nothing | RunLine::Over { .. } | RunLine::Past(_) => {
                    return Some(say_notice("nothing is played here"));
                }
            },
            // The screen asks for ceilings where one was reached.
            Action::ResumeRun if self.lists_experiments() => return None,
            Action::ResumeRun if self.describe_open_run().is_some() => {
                return Some(say_notice("something is under way here already"));
            }
            Action::FirstUnsafe if self.top_context() == Some(Context::Debate) => return None,
            // It is of the row, unless the line at the bottom offers that of the run that has just ended.
            Action::FirstUnsafe if self.lists_sessions() && !self.reports_run_end() => return None,
            Action::ResumeRun | Action::LabelSample | Action::FirstUnsafe => {
                match (self.find_run(), action) {
                    (None, Action::LabelSample) => return Some(say_notice(&no_sample_text())),
                    (None, _) => return Some(say_notice("no run is known that this belongs to")),
                    (Some(run), Action::ResumeRun) => {
                        RunCommand::Play(BackgroundTask::Resume(run, Ceilings::default()))
                    }
                    (Some(run), Action::LabelSample) => RunCommand::Sample(run),
                    (Some(run), _) => RunCommand::FirstOf(LookedAt::Run(run)),
                }
            }
            _ => {
                self.dismiss_run_end(action);
                return None;
            }
        };
        if action == Action::PauseRun {
            let what = match &self.run {
                RunLine::Playing { words, .. } => words.split(':').next().unwrap_or("run"),
                RunLine::Nothing | RunLine::Over { .. } | RunLine::Past(_) => "run",
            };
            let words = format!("{what}: pausing, what was sent arrives");
            self.run = RunLine::Playing {
                words,
                is_pausing: true,
            };
        } else {
            self.dismiss_run_end(action);
        }
        Some(vec![Effect::Do(Command::Run(command))])
    }

    /// Returns the run whose end the status line reports, else the run of the screen, else the run
    /// that was played here.
    fn find_run(&self) -> Option<RunId> {
        let here = self.screens.last().and_then(|screen| screen.run_id());
        match &self.run {
            RunLine::Over { run, .. } if self.lists_sessions() => Some(run.clone()),
            RunLine::Over { run, .. } | RunLine::Past(run) => here.or_else(|| Some(run.clone())),
            RunLine::Nothing | RunLine::Playing { .. } => here,
        }
    }

    /// Any other action in the list means that the end of the run was read.
    fn dismiss_run_end(&mut self, action: Action) {
        let looks_on = matches!(
            action,
            Action::Help | Action::Palette | Action::Redraw | Action::Mask | Action::Themes
        );
        if let RunLine::Over { run, .. } = &self.run
            && self.lists_sessions()
            && !looks_on
        {
            self.run = RunLine::Past(run.clone());
        }
    }

    /// Returns the status line of the run, along with or instead of the screen's own.
    pub(super) fn describe_run_status(&self, own: String, width: u16) -> String {
        match &self.run {
            RunLine::Playing { words, .. } if self.lists_sessions() => words.clone(),
            RunLine::Playing { words, .. } if !self.is_labelling() && !own.is_empty() => {
                format!("{own}; {words}")
            }
            RunLine::Over { words, .. } if self.lists_sessions() => {
                let texts = words.iter().map(|words| spelled(words, &self.keys));
                let texts: Vec<String> = texts.collect();
                let fits = |words: &&String| count_cells(words) <= usize::from(width);
                let fitting = texts.iter().find(fits).or(texts.last());
                fitting.cloned().unwrap_or(own)
            }
            RunLine::Playing { .. }
            | RunLine::Over { .. }
            | RunLine::Past(_)
            | RunLine::Nothing => own,
        }
    }

    /// Returns the action on a run that is worth a hint now.
    pub(super) fn run_action_hint(&self) -> Option<Action> {
        match &self.run {
            RunLine::Playing { .. } if self.lists_sessions() || self.lists_experiments() => {
                Some(Action::PauseRun)
            }
            RunLine::Playing { .. }
            | RunLine::Nothing
            | RunLine::Over { .. }
            | RunLine::Past(_) => None,
        }
    }

    /// Says what goes on here when the program is left, where a run does.
    pub(super) fn describe_open_run(&self) -> Option<String> {
        match &self.run {
            RunLine::Playing { words, .. } => Some(match words.strip_prefix("run: ") {
                Some(far) => format!("a run is under way ({far})"),
                None => format!("an experiment is under way ({words})"),
            }),
            RunLine::Nothing | RunLine::Over { .. } | RunLine::Past(_) => None,
        }
    }
}

fn say_notice(text: &str) -> Vec<Effect> {
    vec![Effect::Say(Role::Notice, text.to_owned())]
}

/// Returns that a run was paused, at length and in short; `again` is the mark of the key that goes on with it.
fn describe_pause(over: &RunOver, why: &str, short: &str, again: &str) -> Vec<String> {
    let (done, debates, run) = (over.done, over.debates, &over.run);
    let head = format!("run paused at {done} of {debates}");
    vec![
        format!("{head} debates: {why}; {again} goes on, or: elenchus run --resume {run}"),
        format!("{head}; {again} goes on: {short}"),
    ]
}

/// Returns how a run ended, from all of it to what must be known; keys are named by their marks.
fn describe_run_end(over: &RunOver) -> Vec<String> {
    let key = |action| key_for(Context::Sessions, action);
    let again = key(Action::ResumeRun);
    let (done, debates, failed) = (over.done, over.debates, over.failed);
    let label = format!("{} labels", key(Action::LabelSample));
    let (look, look_short) = match over.unsafe_turn.describe_absence() {
        None => {
            let key = key(Action::FirstUnsafe);
            (
                format!("{key} opens the first unsafe turn, {label} a sample"),
                format!("{key} first unsafe, {label}"),
            )
        }
        Some(why) => (
            format!("{why}, {label} a sample"),
            format!("{why}, {label}"),
        ),
    };
    let (found, found_short) = match &over.first_figure {
        Some((found, short)) => (format!(", {found}"), format!(", {short}")),
        None => (String::new(), String::new()),
    };
    match &over.end {
        RunEndState::Completed => {
            let head = format!("run done: {}", format_noun_count(done, "debate"));
            vec![
                format!("{head}{found}; {look}"),
                format!("{head}{found}; {look_short}"),
                format!("{head}{found_short}; {look_short}"),
                format!("{head}; {look_short}"),
            ]
        }
        RunEndState::WithFailures(why) => {
            let head = format!(
                "run over: {done} of {} done, {failed} failed",
                format_noun_count(debates, "debate")
            );
            vec![
                format!("{head}{found}; {again} tries those again; {look}; the first: {why}"),
                format!("{head}{found_short}; {again} tries those again; {why}"),
                format!("{head}; {again} tries again: {why}"),
            ]
        }
        RunEndState::Paused(cause) => {
            let short = match cause {
                PauseCause::Refused(refusal) => refusal.clone(),
                PauseCause::Stopped
                | PauseCause::TrainingFailed(_)
                | PauseCause::InBatch(_)
                | PauseCause::Ceiling { .. } => cause.to_string(),
            };
            describe_pause(over, &cause.to_string(), &short, &again.to_string())
        }
        RunEndState::Broke(why) => describe_pause(over, why, why, &again.to_string()),
    }
}
