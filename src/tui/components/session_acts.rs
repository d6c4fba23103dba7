//! Acts on the sessions of a list, on the marked ones or on the chosen one: named, tagged, exported, deleted,
//! judged again, played to the end. What changes a session is asked before where it is more than one, and can be
//! undone.

use super::rejudging::{RejudgeMessage, Rejudging};
use super::shown_writing::{PageWritten, write_page_to};
use crate::tui::app::{DrawContext, Effect, Task, say_notice, say_outcome};
use crate::tui::keys::{Action, Context, KeyTable, key_for};
use crate::tui::popups::{Dialog, DialogAnswer, FootPrompt, FootText, PromptKeyResult};
use crate::tui::widgets::Content;
use elenchus_game::debate::SessionId;
use elenchus_html::Subject;
use elenchus_records::workspace::WorkspaceError;
use elenchus_run::experiments::{PlayOn, PlayOnProgress};
use elenchus_view::ExportAs;
use elenchus_view::session_browser::{
    ChangeCause, ChangeHistory, ChangeReport, SessionBrowser, SessionChange, SessionsExport,
    export_sessions, make_changes,
};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Result of one of its tasks.
pub enum ActMessage {
    Changed(ChangeReport),
    Exported(SessionsExport),
    PageWritten(PageWritten),
    Rejudging(RejudgeMessage),
    /// A session was played on; an error says why it did not come to its end.
    Played(SessionId, Result<(), WorkspaceError>),
    PlayOver,
}

/// The acts of one screen, whose messages wrap theirs.
pub(in crate::tui) struct SessionActs<M> {
    wrap: fn(ActMessage) -> M,
    wrap_rejudging: fn(RejudgeMessage) -> M,
    history: ChangeHistory,
    prompt: Option<FootPrompt<ActQuestion>>,
    asking: Option<Dialog<AskedAct>>,
    rejudging: Rejudging,
    playing: Option<(CancellationToken, PlayOnProgress)>,
}

/// What a line at the foot is for: a name, a tag, a file.
#[derive(Debug, Clone)]
enum ActQuestion {
    Rename(SessionId),
    Tag,
    /// So many sessions are written.
    Export(usize, ExportForm),
}

/// In which form sessions are written, one after the other by Tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExportForm {
    /// A file each.
    Each(ExportAs),
    /// One page of all of them, to send.
    Page,
}

impl ExportForm {
    fn next(self) -> Self {
        match self {
            Self::Each(ExportAs::Parcel) => Self::Each(ExportAs::Transcript),
            Self::Each(ExportAs::Transcript) => Self::Page,
            Self::Page => Self::Each(ExportAs::Parcel),
        }
    }
}

/// File of a page of several sessions, unless another name is typed.
const PAGE_FILE: &str = "elenchus-debates.html";

/// Act that waits for a yes.
#[derive(Debug)]
enum AskedAct {
    Delete(Vec<SessionId>),
    PlayOn(Vec<SessionId>),
}

impl FootText for ActQuestion {
    fn prompt_label(&self) -> String {
        let what = |form: &ExportForm| match form {
            ExportForm::Each(ExportAs::Parcel) => "journal",
            ExportForm::Each(ExportAs::Transcript) => "transcript",
            ExportForm::Page => "page",
        };
        match self {
            ActQuestion::Rename(_) => "name: ".to_owned(),
            ActQuestion::Tag => "tag: ".to_owned(),
            ActQuestion::Export(1, ExportForm::Page) => "page to send, to the file: ".to_owned(),
            ActQuestion::Export(many, ExportForm::Page) => {
                format!("page of {many} sessions to send, to the file: ")
            }
            ActQuestion::Export(1, form) => format!("{}, to the file: ", what(form)),
            ActQuestion::Export(many, form) => format!("{many} {}s, to the folder: ", what(form)),
        }
    }

    fn key_help(&self) -> &'static str {
        match self {
            ActQuestion::Rename(_) => {
                "Enter gives the name, an empty one takes it away; Esc leaves"
            }
            ActQuestion::Tag => {
                "Enter adds the tag, one with - before it is taken away; Esc leaves"
            }
            ActQuestion::Export(_, ExportForm::Each(ExportAs::Parcel)) => {
                "to be imported elsewhere; Tab: as a transcript instead; Enter writes"
            }
            ActQuestion::Export(_, ExportForm::Each(ExportAs::Transcript)) => {
                "as text to be read; Tab: a page to send instead; Enter writes, Esc leaves"
            }
            ActQuestion::Export(_, ExportForm::Page) => {
                "one HTML file, to send; Tab: the journal instead; Enter writes, Esc leaves"
            }
        }
    }
}

impl<M: Send + 'static> SessionActs<M> {
    pub(in crate::tui) fn new(
        wrap: fn(ActMessage) -> M,
        wrap_rejudging: fn(RejudgeMessage) -> M,
    ) -> Self {
        Self {
            wrap,
            wrap_rejudging,
            history: ChangeHistory::default(),
            prompt: None,
            asking: None,
            rejudging: Rejudging::default(),
            playing: None,
        }
    }

    /// Answers an action on the sessions of a list; `None` where it is no act.
    pub(in crate::tui) fn handle_action(
        &mut self,
        action: Action,
        list: &SessionBrowser,
        content: Content,
    ) -> Option<Vec<Effect>> {
        Some(match action {
            Action::Undo => match self.history.undo() {
                Some(changes) => self.start_changes(ChangeCause::Undo, changes),
                None => say_notice("nothing to undo"),
            },
            Action::Redo => match self.history.redo() {
                Some(changes) => self.start_changes(ChangeCause::Redo, changes),
                None => say_notice("nothing to redo"),
            },
            Action::Delete => self.delete_sessions(list, content),
            Action::Rejudge => self.rejudge_sessions(list),
            Action::RunToEnd => self.play_on(list, content),
            Action::Tag | Action::Export if list.act_targets().is_empty() => {
                say_notice("choose a session first")
            }
            Action::Tag => self.ask_line(ActQuestion::Tag, ""),
            Action::Export => self.ask_export(list, ExportForm::Each(ExportAs::Parcel)),
            Action::Rename => match list.chosen_session() {
                Some(entry) => {
                    let name = entry.name.as_deref().unwrap_or_default();
                    self.ask_line(ActQuestion::Rename(entry.id.clone()), name)
                }
                None => say_notice("choose a session first"),
            },
            _ => return None,
        })
    }

    /// Says whether keys answer a question.
    pub(in crate::tui) fn is_asking(&self) -> bool {
        self.prompt.is_some() || self.asking.is_some() || self.rejudging.is_asking()
    }

    /// Takes a key of the answer to a question.
    pub(in crate::tui) fn handle_key(
        &mut self,
        key: KeyEvent,
        list: &SessionBrowser,
    ) -> Vec<Effect> {
        if self.rejudging.is_asking() {
            return self.rejudging.handle_key(key, self.wrap_rejudging);
        }
        if let Some(DialogAnswer::Yes(act)) = Dialog::answer_key(&mut self.asking, key) {
            return self.perform_act(act);
        }
        match FootPrompt::answer_key(&mut self.prompt, key) {
            PromptKeyResult::Entered(question, text) => self.handle_line(question, &text, list),
            PromptKeyResult::Turns => match self.prompt.as_ref().map(|prompt| &prompt.purpose) {
                Some(ActQuestion::Export(_, form)) => {
                    let next = form.next();
                    self.ask_export(list, next)
                }
                Some(ActQuestion::Rename(_) | ActQuestion::Tag) | None => Vec::new(),
            },
            PromptKeyResult::Stays
            | PromptKeyResult::Changed
            | PromptKeyResult::Left(_)
            | PromptKeyResult::Moves(_) => Vec::new(),
        }
    }

    /// Types pasted text into the line at the foot.
    pub(in crate::tui) fn paste_text(&mut self, text: &str) {
        if let Some(prompt) = &mut self.prompt {
            prompt.paste_text(text);
        }
    }

    /// Takes the result of a task.
    pub(in crate::tui) fn update(
        &mut self,
        message: ActMessage,
        list: &mut SessionBrowser,
        keys: &KeyTable,
    ) -> Vec<Effect> {
        match message {
            ActMessage::Changed(report) => {
                self.history.record_changes(&report);
                list.update_sessions(|known| known.apply_changes(&report));
                list.drop_stale_marks();
                let undo = keys.key_hint(Context::Sessions, Action::Undo);
                say_outcome(report.describe_outcome(undo.as_deref()))
            }
            ActMessage::Exported(export) => say_outcome(export.describe_outcome()),
            ActMessage::PageWritten(written) => written.say(),
            ActMessage::Rejudging(message) => self.rejudging.update(message),
            ActMessage::Played(session, end) => {
                if let Some((_, progress)) = &mut self.playing {
                    progress.add_end(session, end);
                }
                Vec::new()
            }
            ActMessage::PlayOver => {
                let over = self.playing.take();
                say_outcome(over.and_then(|(_, progress)| progress.describe_outcome()))
            }
        }
    }

    /// Says what goes on, in words that name keys by their marks.
    pub(in crate::tui) fn describe_status(&self) -> Option<String> {
        if let Some((_, progress)) = &self.playing {
            let key = key_for(Context::Sessions, Action::RunToEnd);
            return Some(format!("playing: {progress}; {key} stops it"));
        }
        self.rejudging.describe_progress(Context::Sessions)
    }

    /// Says what is lost when the program is left now.
    pub(in crate::tui) fn describe_open_work(&self) -> Option<String> {
        let playing = self.playing.as_ref();
        let playing = playing.map(|_| "sessions are played to the end here".to_owned());
        playing.or_else(|| self.rejudging.describe_open_work())
    }

    /// Draws the line at the foot, where one is typed, and returns its cursor.
    pub(in crate::tui) fn draw_prompt(
        &self,
        buffer: &mut Buffer,
        foot: Rect,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let prompt = self.prompt.as_ref()?;
        Some(prompt.draw(buffer, foot, context))
    }

    /// Draws a question over everything.
    pub(in crate::tui) fn draw_question(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
    ) {
        if let Some(ask) = &self.asking {
            ask.draw(area, buffer, context);
        }
        self.rejudging.draw(area, buffer, context);
    }

    /// Moves to the trash; asks where there are several.
    fn delete_sessions(&mut self, list: &SessionBrowser, content: Content) -> Vec<Effect> {
        let targets = list.targets_to_change();
        if targets.taken.is_empty() {
            return say_outcome(targets.describe_refusal());
        }
        match list.deletion_question(&targets, content) {
            Some(question) => self.ask_first("Delete", &question, AskedAct::Delete(targets.taken)),
            None => self.perform_act(AskedAct::Delete(targets.taken)),
        }
    }

    /// Plays on to the end what is not complete, after a yes; stops what is played on.
    fn play_on(&mut self, list: &SessionBrowser, content: Content) -> Vec<Effect> {
        if let Some((stop, _)) = &self.playing {
            stop.cancel();
            return say_notice("stopping: what was said is kept");
        }
        let targets = list.targets_to_play();
        if targets.taken.is_empty() {
            return say_outcome(targets.describe_refusal());
        }
        let question = list.playing_question(&targets, content);
        let act = AskedAct::PlayOn(targets.taken);
        self.ask_first("Play to the end", &question, act)
    }

    /// Asks for the price of judging again; stops the pass that goes on.
    fn rejudge_sessions(&mut self, list: &SessionBrowser) -> Vec<Effect> {
        let targets = list.targets_to_change();
        if targets.taken.is_empty() && !self.rejudging.is_running() {
            return say_outcome(targets.describe_refusal());
        }
        let left_out = targets.describe_left_out();
        let mut effects = self
            .rejudging
            .ask_price_or_stop(targets.taken, self.wrap_rejudging);
        effects.extend(say_outcome(left_out));
        effects
    }

    fn ask_first(&mut self, title: &str, question: &str, act: AskedAct) -> Vec<Effect> {
        self.asking = Some(Dialog::new_confirm(title, question, act));
        Vec::new()
    }

    fn perform_act(&mut self, act: AskedAct) -> Vec<Effect> {
        match act {
            AskedAct::Delete(sessions) => {
                let changes = sessions.into_iter().map(SessionChange::Deleted);
                self.start_changes(ChangeCause::Fresh, changes.collect())
            }
            AskedAct::PlayOn(sessions) => {
                let stop = CancellationToken::new();
                let progress = PlayOnProgress {
                    sessions: sessions.len(),
                    ..PlayOnProgress::default()
                };
                self.playing = Some((stop.clone(), progress));
                vec![Effect::Start(play_on(sessions, stop, self.wrap))]
            }
        }
    }

    fn ask_line(&mut self, question: ActQuestion, text: &str) -> Vec<Effect> {
        self.prompt = Some(FootPrompt::new(question, text));
        Vec::new()
    }

    fn ask_export(&mut self, list: &SessionBrowser, form: ExportForm) -> Vec<Effect> {
        let targets = list.act_targets();
        let question = ActQuestion::Export(targets.len(), form);
        let path = match (form, targets.as_slice()) {
            (ExportForm::Each(form), _) => list.default_export_path(form),
            (ExportForm::Page, [only]) => format!("elenchus-{only}.html"),
            (ExportForm::Page, _) => PAGE_FILE.to_owned(),
        };
        self.ask_line(question, &path)
    }

    fn handle_line(
        &mut self,
        question: ActQuestion,
        text: &str,
        list: &SessionBrowser,
    ) -> Vec<Effect> {
        match question {
            ActQuestion::Rename(session) => {
                let rename = list.known_sessions().name_change(session, text);
                self.start_changes(ChangeCause::Fresh, rename.into_iter().collect())
            }
            ActQuestion::Tag => match list.known_sessions().tag_changes(list.act_targets(), text) {
                Ok(changes) => self.start_changes(ChangeCause::Fresh, changes),
                Err(why) => say_notice(why),
            },
            ActQuestion::Export(..) if text.is_empty() => say_notice("an export needs a name"),
            ActQuestion::Export(_, ExportForm::Page) => {
                let subjects = list.act_targets().into_iter().map(Subject::Session);
                let path = Path::new(text).to_owned();
                let wrap = self.wrap;
                let wrap = move |written| wrap(ActMessage::PageWritten(written));
                let task = write_page_to(subjects.collect(), path, wrap);
                vec![Effect::Start(task)]
            }
            ActQuestion::Export(_, ExportForm::Each(form)) => {
                let (to, wrap) = (Path::new(text).to_owned(), self.wrap);
                let files = list.export_files(form, &to);
                let task = Task::new_blocking("export sessions", move |services| {
                    let store = &services.store;
                    wrap(ActMessage::Exported(export_sessions(
                        store, to, form, files,
                    )))
                });
                vec![Effect::Start(task)]
            }
        }
    }

    /// Makes, undoes or makes again changes, if there are any.
    fn start_changes(&self, cause: ChangeCause, changes: Vec<SessionChange>) -> Vec<Effect> {
        if changes.is_empty() {
            return Vec::new();
        }
        let wrap = self.wrap;
        let task = Task::new_stream("change sessions", move |services, replies| async move {
            // Held to the end: the program waits for it.
            let mut book = services.annotations.lock().await;
            let report = make_changes(&services.store, &mut book, cause, changes).await;
            drop(book);
            replies.send_message(wrap(ActMessage::Changed(report)));
        });
        vec![Effect::Start(task)]
    }
}

/// Plays sessions on to their ends: `Played` for each, then `PlayOver`.
fn play_on<M: Send + 'static>(
    sessions: Vec<SessionId>,
    stop: CancellationToken,
    wrap: fn(ActMessage) -> M,
) -> Task {
    Task::new_stream("play sessions", move |services, replies| async move {
        let defaults = &services.defaults;
        let play_on = PlayOn {
            run: services.as_user(),
            budget_usd: defaults.budget_usd,
        };
        let report_end = |id, end| replies.send_message(wrap(ActMessage::Played(id, end)));
        let play_work = play_on.play_all(sessions, defaults.concurrency, &stop, report_end);
        services
            .clone()
            .run_until_exit(stop.clone(), play_work)
            .await;
        replies.send_message(wrap(ActMessage::PlayOver));
    })
}
