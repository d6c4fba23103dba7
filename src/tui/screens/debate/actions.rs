//! Actions of the debate screen.

use super::control::Follows;
use super::dialog::{Choice, Purpose, Question};
use super::navigation::Scrolling;
use super::pane_list::Pane;
use super::{Debate, other_screens};
use crate::tui::app::{Command, Effect, say_notice, say_warning, show_screen};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::Dialog;
use crate::tui::screens::tree::Forks;
use crate::tui::theme::Role;
use elenchus_game::debate::TurnId;
use elenchus_game::debate::step::{EndReason, StepId};
use elenchus_records::workspace::Reopen;
use elenchus_records::workspace::annotations::AnnotationTarget;
use elenchus_records::workspace::is_example;
use elenchus_run::engine::live::{IdleReason, LiveCommand, Pace};
use elenchus_view::ExportAs;
use elenchus_view::Way;
use elenchus_view::debate_text::{BlockOptions, record_text};

impl Debate {
    /// Answers an action.
    pub(super) fn handle_debate_action(&mut self, action: Action) -> Vec<Effect> {
        if self.is_choosing() {
            let answer = Dialog::answer_action(&mut self.dialog, action);
            return self.handle_dialog_answer(answer);
        }
        let leads_away = [
            Action::Back,
            Action::Interrupt,
            Action::NextWrong,
            Action::PreviousWrong,
        ];
        if self.is_unreadable && !leads_away.contains(&action) {
            return Vec::new();
        }
        if self.handle_view_action(action) {
            return Vec::new();
        }
        match action {
            Action::Back => self.go_back(),
            Action::Interrupt => self.interrupt_play(),
            Action::NextTurn => self.step_cursor(1),
            Action::PreviousTurn => self.step_cursor(-1),
            Action::FirstUnsafe => self.go_to_first_unsafe(),
            Action::NextDisagreement => self.go_to_disagreement(),
            Action::NextWrong => self.go_to_wrong_turn(Way::Forth),
            Action::PreviousWrong => self.go_to_wrong_turn(Way::Back),
            Action::StepTurn => self.play_debate(Pace::Turn),
            Action::StepStage => self.play_debate(Pace::Stage),
            Action::StepRound => self.play_debate(Pace::Round),
            Action::RunToEnd => self.play_debate(Pace::End),
            Action::Pause => self.pause_play(),
            Action::StopStream => self.stop_stream(),
            Action::Retry => self.give_command(LiveCommand::Retry),
            Action::Inspect | Action::Open => self.inspect_turn(),
            Action::InspectNext => self.inspect_next(),
            Action::Edit => self.edit_turn(),
            Action::EditOutside => self.edit_outside(),
            Action::Reroll => self.ask_reroll_count(),
            Action::Attempts => self.show_attempts(),
            Action::TakeOver => self.take_over(),
            Action::GiveVerdict => self.give_verdict(),
            Action::Fork => self.fork_here(),
            Action::Tree => show_screen(Forks::from_session(&self.id, &self.annotations)),
            Action::Compare => self.compare_with_parent(),
            Action::Memory => other_screens::show_memory(&self.source.state),
            Action::Prompts => self.edit_prompt(),
            Action::Note => self.write_note(),
            Action::Label => self.label_turn(),
            Action::Copy => self.with_text(Command::Copy),
            Action::Pager => self.with_text(Command::Page),
            Action::Export => self.offer_exports(),
            Action::Undo => self.undo_act(),
            Action::Redo => self.redo_act(),
            _ => Vec::new(),
        }
    }

    /// Answers an action that changes only what is in sight; says whether it is one.
    fn handle_view_action(&mut self, action: Action) -> bool {
        match action {
            Action::Up => self.scroll_pane(Scrolling::Lines(-1)),
            Action::Down => self.scroll_pane(Scrolling::Lines(1)),
            Action::PageUp => self.scroll_pane(Scrolling::Pages(-1)),
            Action::PageDown => self.scroll_pane(Scrolling::Pages(1)),
            Action::Top => self.scroll_pane(Scrolling::Top),
            Action::Bottom => self.scroll_pane(Scrolling::Bottom),
            Action::Left | Action::FocusPrevious => self.move_focus(-1),
            Action::Right | Action::FocusNext => self.move_focus(1),
            Action::Search => self.begin_search(),
            Action::SearchNext => self.go_to_hit(1),
            Action::SearchPrevious => self.go_to_hit(-1),
            Action::Wider => self.widen_pane(2),
            Action::Narrower => self.widen_pane(-2),
            Action::Even => self.arrangement.shares.clear(),
            Action::View => self.switch_view(),
            Action::Zoom => self.arrangement.zoomed = !self.arrangement.zoomed,
            Action::Private => self.toggle_option(|show| show.private = !show.private),
            Action::Difference => self.toggle_option(|show| show.difference = !show.difference),
            Action::Fold => self.toggle_option(|show| show.fold = !show.fold),
            _ => return false,
        }
        true
    }

    fn toggle_option(&mut self, change: impl FnOnce(&mut BlockOptions)) {
        change(&mut self.source.show);
        for pane in self.panes.values_mut() {
            pane.forget_wrapping();
        }
    }

    fn go_back(&mut self) -> Vec<Effect> {
        if self.search.take().is_some() {
            return Vec::new();
        }
        if self.arrangement.zoomed {
            self.arrangement.zoomed = false;
            return Vec::new();
        }
        vec![Effect::Leave]
    }

    fn interrupt_play(&mut self) -> Vec<Effect> {
        if self.source.streams.live_steps().next().is_some() || self.control.is_playing {
            let mut effects = self.give_command(LiveCommand::Pause);
            for step in self
                .source
                .streams
                .live_steps()
                .cloned()
                .collect::<Vec<_>>()
            {
                effects.extend(self.give_command(LiveCommand::StopCall(step)));
            }
            let text = "stopped; what was sent may still cost its worst case";
            effects.push(Effect::Say(Role::Warning, text.to_owned()));
            return effects;
        }
        Vec::new()
    }

    fn play_debate(&mut self, pace: Pace) -> Vec<Effect> {
        if self.done.is_some() {
            return say_notice(format!(
                "the debate is over: {} forks after the turn under the cursor, {} asks it again",
                debate_key(Action::Fork),
                debate_key(Action::Reroll)
            ));
        }
        if self.coming.is_empty() && self.blocked > 0 {
            let text = format!(
                "its open steps failed: {} tries them again",
                debate_key(Action::Retry)
            );
            return say_warning(text);
        }
        if self.idle_reason == Some(IdleReason::Paused) {
            // The ceiling was reached: going on needs a higher one.
            return self.ask_line(Question::Raise, "");
        }
        self.control.follows = match pace {
            Pace::Turn => Follows::Next,
            Pace::Stage | Pace::Round | Pace::End => Follows::All,
        };
        self.give_command(LiveCommand::Play(pace))
    }

    fn pause_play(&mut self) -> Vec<Effect> {
        if !self.control.is_taken {
            return say_notice("nothing is being played here");
        }
        if self.source.state.find_open_steps().done.is_some() {
            return say_notice("the debate is over: there is nothing to pause");
        }
        let mut effects = self.give_command(LiveCommand::Pause);
        let live = self.source.streams.live_steps().count();
        let text = match live {
            0 => "paused".to_owned(),
            1 => format!(
                "paused: one reply is still on its way, {} stops it",
                debate_key(Action::StopStream)
            ),
            live => format!(
                "paused: {live} replies are still on their way, {} stops one",
                debate_key(Action::StopStream)
            ),
        };
        effects.push(Effect::Say(Role::Notice, text));
        effects
    }

    fn stop_stream(&mut self) -> Vec<Effect> {
        let here = self
            .focused_call()
            .or_else(|| self.source.streams.live_steps().next().cloned());
        match here {
            Some(step) => self.give_command(LiveCommand::StopCall(step)),
            None => say_notice("no reply is on its way"),
        }
    }

    /// Returns the call whose reply arrives in the focused pane.
    fn focused_call(&self) -> Option<StepId> {
        let Pane::Chair(chair) = &self.arrangement.focus else {
            return None;
        };
        let mut live = self.source.streams.live_steps();
        live.find(|step| step.turn().is_some_and(|turn| turn.chair == *chair))
            .cloned()
    }

    fn fork_here(&mut self) -> Vec<Effect> {
        // A debate that a ceiling ended continues at its end: the ceiling counts from zero in the
        // fork.
        let at_end = self.cursor.as_ref() == self.order.last();
        let is_truncated = matches!(self.done, Some(EndReason::Truncated(_)));
        let spoken = |turn: &&TurnId| self.source.state.turns().contains_key(*turn);
        let reopen = match self.cursor.as_ref().filter(spoken) {
            Some(turn) if !(is_truncated && at_end) => Reopen::After(turn.clone()),
            Some(_) | None => Reopen::Nothing,
        };
        self.fork_session(reopen, Vec::new())
    }

    fn compare_with_parent(&mut self) -> Vec<Effect> {
        match self.source.state.forked_from().last() {
            Some(parent) => other_screens::compare_sessions(parent, &self.id, &self.source.state),
            None => say_notice(format!(
                "no parent to compare with: in the list {} marks, {} compares; {} shows forks",
                key_for(Context::Sessions, Action::Mark),
                key_for(Context::Sessions, Action::Compare),
                debate_key(Action::Tree)
            )),
        }
    }

    fn write_note(&mut self) -> Vec<Effect> {
        let on = match self.arrangement.focus {
            Pane::Record | Pane::Rail => None,
            Pane::Transcript | Pane::Chair(_) => self.selected_reply().map(|(id, _)| id),
        };
        let title = match &on {
            Some(id) => self.turn_title("note on", &id.turn),
            None => "note on the debate".to_owned(),
        };
        self.open_editor(title, "", Purpose::Note(on))
    }

    /// Edits the prompt that the turn under the cursor was asked by; lists those of the game elsewhere.
    fn edit_prompt(&self) -> Vec<Effect> {
        let under = match self.arrangement.focus {
            Pane::Transcript | Pane::Chair(_) => self.selected_reply().map(|(id, _)| id.turn),
            Pane::Record | Pane::Rail => None,
        };
        match under {
            // An example is in no store: what is in it cannot be tried on.
            Some(turn) => {
                other_screens::show_prompt(&self.id, &self.source.state, turn, self.is_example)
            }
            None => other_screens::show_prompts(&self.source.state),
        }
    }

    /// Labels the turn under the cursor.
    fn label_turn(&self) -> Vec<Effect> {
        if self.is_example {
            return say_notice(
                "examples are in no store, and labels point at one; fork it to label it",
            );
        }
        let id = self.selected_reply().map(|(id, _)| id);
        let on = id.and_then(|id| {
            AnnotationTarget::from_attempt(self.id.clone(), &self.source.state, &id)
        });
        match on {
            Some(on) => other_screens::label_target(on),
            None => say_notice("there is no turn under the cursor"),
        }
    }

    fn with_text(&mut self, command: impl FnOnce(String) -> Command) -> Vec<Effect> {
        let text = match &self.arrangement.focus {
            Pane::Transcript | Pane::Chair(_) => self.selected_reply().map(|(_, text)| text),
            Pane::Record | Pane::Rail => record_text(&self.source.state),
        };
        match text {
            Some(text) => vec![Effect::Do(command(text))],
            None => say_notice("there is nothing here to copy or read"),
        }
    }

    fn offer_exports(&mut self) -> Vec<Effect> {
        let mut items = vec![
            (
                "the journal with its checksums, to be imported elsewhere".to_owned(),
                Choice::Export(ExportAs::Parcel),
            ),
            (
                "the transcript as text".to_owned(),
                Choice::Export(ExportAs::Transcript),
            ),
        ];
        if !is_example(&self.id) {
            items.push(("a page to send, with its verdicts".to_owned(), Choice::Page));
        }
        self.offer_choices("export this session as", items)
    }
}

/// Returns the mark of a key of this screen.
pub(super) fn debate_key(action: Action) -> char {
    key_for(Context::Debate, action)
}
