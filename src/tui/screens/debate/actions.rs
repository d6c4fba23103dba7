//! Actions of the debate screen.

use super::control::Follows;
use super::dialog::{Choice, Purpose, Question};
use super::navigation::Scrolling;
use super::pane_list::Pane;
use super::{Debate, other_screens};
use crate::tui::app::{Command, Effect, say, show, warn};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::Dialog;
use crate::tui::screens::tree::Forks;
use crate::tui::theme::Role;
use elenchus_game::debate::step::{EndReason, StepId};
use elenchus_records::workspace::Reopen;
use elenchus_records::workspace::annotations::AnnotationTarget;
use elenchus_run::engine::live::{IdleReason, LiveCommand, Pace};
use elenchus_view::ExportAs;
use elenchus_view::debate_blocks::{BlockOptions, record_text};

impl Debate {
    /// Answers an action.
    pub(super) fn act_on(&mut self, action: Action) -> Vec<Effect> {
        if self.is_choosing() {
            let answer = Dialog::act(&mut self.dialog, action);
            return self.dialog_answered(answer);
        }
        if self.unreadable && !matches!(action, Action::Back | Action::Interrupt) {
            return Vec::new();
        }
        if self.look_around(action) {
            return Vec::new();
        }
        match action {
            Action::Back => self.leave(),
            Action::Interrupt => self.interrupt(),
            Action::NextTurn => self.step_cursor(1),
            Action::PreviousTurn => self.step_cursor(-1),
            Action::FirstUnsafe => self.first_unsafe(),
            Action::NextDisagreement => self.next_disagreement(),
            Action::StepTurn => self.play(Pace::Turn),
            Action::StepStage => self.play(Pace::Stage),
            Action::StepRound => self.play(Pace::Round),
            Action::RunToEnd => self.play(Pace::End),
            Action::Pause => self.pause(),
            Action::StopStream => self.stop_stream(),
            Action::Retry => self.order(LiveCommand::Retry),
            Action::Inspect | Action::Open => self.inspect(),
            Action::InspectNext => self.inspect_next(),
            Action::Edit => self.edit(),
            Action::EditOutside => self.edit_outside(),
            Action::Reroll => self.reroll(),
            Action::Attempts => self.attempts(),
            Action::TakeOver => self.take_over(),
            Action::GiveVerdict => self.give_verdict(),
            Action::Fork => self.fork_here(),
            Action::Tree => show(Forks::of(&self.id, &self.annotations)),
            Action::Compare => self.compare(),
            Action::Memory => other_screens::memory(&self.source.state),
            Action::Prompts => self.prompts(),
            Action::Note => self.note(),
            Action::Label => self.label(),
            Action::Copy => self.with_text(Command::Copy),
            Action::Pager => self.with_text(Command::Page),
            Action::Export => self.export(),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            _ => Vec::new(),
        }
    }

    /// Answers an action that changes only what is in sight; says whether it is one.
    fn look_around(&mut self, action: Action) -> bool {
        match action {
            Action::Up => self.scroll(Scrolling::Lines(-1)),
            Action::Down => self.scroll(Scrolling::Lines(1)),
            Action::PageUp => self.scroll(Scrolling::Pages(-1)),
            Action::PageDown => self.scroll(Scrolling::Pages(1)),
            Action::Top => self.scroll(Scrolling::Top),
            Action::Bottom => self.scroll(Scrolling::Bottom),
            Action::Left | Action::FocusPrevious => self.move_focus(-1),
            Action::Right | Action::FocusNext => self.move_focus(1),
            Action::Search => self.begin_search(),
            Action::SearchNext => self.next_hit(1),
            Action::SearchPrevious => self.next_hit(-1),
            Action::Wider => self.widen(2),
            Action::Narrower => self.widen(-2),
            Action::Even => self.how.shares.clear(),
            Action::View => self.switch_view(),
            Action::Zoom => self.how.zoomed = !self.how.zoomed,
            Action::Private => self.toggle(|show| show.private = !show.private),
            Action::Difference => self.toggle(|show| show.difference = !show.difference),
            Action::Fold => self.toggle(|show| show.fold = !show.fold),
            _ => return false,
        }
        true
    }

    fn toggle(&mut self, change: impl FnOnce(&mut BlockOptions)) {
        change(&mut self.source.show);
        for pane in self.panes.values_mut() {
            pane.forget();
        }
    }

    fn leave(&mut self) -> Vec<Effect> {
        if self.search.take().is_some() {
            return Vec::new();
        }
        if self.how.zoomed {
            self.how.zoomed = false;
            return Vec::new();
        }
        vec![Effect::Leave]
    }

    fn interrupt(&mut self) -> Vec<Effect> {
        if self.source.streams.live().next().is_some() || self.control.playing {
            let mut effects = self.order(LiveCommand::Pause);
            for step in self.source.streams.live().cloned().collect::<Vec<_>>() {
                effects.extend(self.order(LiveCommand::StopCall(step)));
            }
            let text = "stopped; what was sent may still cost its worst case";
            effects.push(Effect::Say(Role::Warning, text.to_owned()));
            return effects;
        }
        vec![Effect::Quit]
    }

    fn play(&mut self, pace: Pace) -> Vec<Effect> {
        if self.done.is_some() {
            return say(format!(
                "the debate is over: {} forks after the turn under the cursor, {} asks it again",
                key(Action::Fork),
                key(Action::Reroll)
            ));
        }
        if self.coming.is_empty() && self.blocked > 0 {
            let text = format!(
                "its open steps failed: {} tries them again",
                key(Action::Retry)
            );
            return warn(text);
        }
        if self.rest == Some(IdleReason::Paused) {
            // The ceiling was reached: going on needs a higher one.
            return self.ask(Question::Raise, "");
        }
        self.control.follows = match pace {
            Pace::Turn => Follows::Next,
            Pace::Stage | Pace::Round | Pace::End => Follows::All,
        };
        self.order(LiveCommand::Play(pace))
    }

    fn pause(&mut self) -> Vec<Effect> {
        if !self.control.is_taken {
            return say("nothing is being played here");
        }
        let mut effects = self.order(LiveCommand::Pause);
        let live = self.source.streams.live().count();
        let text = match live {
            0 => "paused".to_owned(),
            1 => format!(
                "paused: one reply is still on its way, {} stops it",
                key(Action::StopStream)
            ),
            live => format!(
                "paused: {live} replies are still on their way, {} stops one",
                key(Action::StopStream)
            ),
        };
        effects.push(Effect::Say(Role::Notice, text));
        effects
    }

    fn stop_stream(&mut self) -> Vec<Effect> {
        let here = self
            .focused_live()
            .or_else(|| self.source.streams.live().next().cloned());
        match here {
            Some(step) => self.order(LiveCommand::StopCall(step)),
            None => say("no reply is on its way"),
        }
    }

    /// Returns the call whose reply arrives in the focused pane.
    fn focused_live(&self) -> Option<StepId> {
        let Pane::Chair(chair) = &self.how.focus else {
            return None;
        };
        let mut live = self.source.streams.live();
        live.find(|step| step.turn().is_some_and(|turn| turn.chair == *chair))
            .cloned()
    }

    fn fork_here(&mut self) -> Vec<Effect> {
        // A debate that a ceiling ended continues at its end: the ceiling counts from zero in the
        // fork.
        let at_end = self.cursor.as_ref() == self.order.last();
        let truncated = matches!(self.done, Some(EndReason::Truncated(_)));
        let reopen = match &self.cursor {
            Some(turn) if !(truncated && at_end) => Reopen::After(turn.clone()),
            Some(_) | None => Reopen::Nothing,
        };
        self.fork(reopen, Vec::new())
    }

    fn compare(&mut self) -> Vec<Effect> {
        match self.source.state.forked_from().last() {
            Some(parent) => other_screens::compare(parent, &self.id, &self.source.state),
            None => say(format!(
                "no parent to compare with: in the list {} marks, {} compares; {} shows forks",
                key_for(Context::Sessions, Action::Mark),
                key_for(Context::Sessions, Action::Compare),
                key(Action::Tree)
            )),
        }
    }

    fn note(&mut self) -> Vec<Effect> {
        let on = match self.how.focus {
            Pane::Record | Pane::Rail => None,
            Pane::Transcript | Pane::Chair(_) => self.under_cursor().map(|(id, _)| id),
        };
        let title = match &on {
            Some(id) => self.titled("note on", &id.turn),
            None => "note on the debate".to_owned(),
        };
        self.write(title, "", Purpose::Note(on))
    }

    /// Edits the prompt that the turn under the cursor was asked by; lists those of the game elsewhere.
    fn prompts(&self) -> Vec<Effect> {
        let under = match self.how.focus {
            Pane::Transcript | Pane::Chair(_) => self.under_cursor().map(|(id, _)| id.turn),
            Pane::Record | Pane::Rail => None,
        };
        match under {
            // An example is in no store: what is in it cannot be tried on.
            Some(turn) => other_screens::prompt(&self.id, &self.source.state, turn, self.example),
            None => other_screens::prompts(&self.source.state),
        }
    }

    /// Labels the turn under the cursor.
    fn label(&self) -> Vec<Effect> {
        if self.example {
            return say("examples are in no store, and labels point at one; fork it to label it");
        }
        let id = self.under_cursor().map(|(id, _)| id);
        let on =
            id.and_then(|id| AnnotationTarget::attempt(self.id.clone(), &self.source.state, &id));
        match on {
            Some(on) => other_screens::label(on),
            None => say("there is no turn under the cursor"),
        }
    }

    fn with_text(&mut self, command: impl FnOnce(String) -> Command) -> Vec<Effect> {
        let text = match &self.how.focus {
            Pane::Transcript | Pane::Chair(_) => self.under_cursor().map(|(_, text)| text),
            Pane::Record | Pane::Rail => record_text(&self.source.state),
        };
        match text {
            Some(text) => vec![Effect::Do(command(text))],
            None => say("there is nothing here to copy or read"),
        }
    }

    fn export(&mut self) -> Vec<Effect> {
        let items = vec![
            (
                "the journal with its checksums, to be imported elsewhere".to_owned(),
                Choice::Export(ExportAs::Parcel),
            ),
            (
                "the transcript as text".to_owned(),
                Choice::Export(ExportAs::Transcript),
            ),
        ];
        self.offer("export this session as", items)
    }
}

/// Returns the mark of a key of this screen.
pub(super) fn key(action: Action) -> char {
    key_for(Context::Debate, action)
}
