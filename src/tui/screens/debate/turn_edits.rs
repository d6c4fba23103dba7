//! Edits of turns: inspecting, changing and taking over a turn.

use super::Debate;
use super::actions::debate_key;
use super::dialog::{AnswerTo, Purpose, Question};
use super::pane_list::Pane;
use crate::tui::app::{Effect, say_notice, show_screen};
use crate::tui::keys::Action;
use crate::tui::screens::attempts::Attempts;
use crate::tui::screens::inspect::Inspector;
use elenchus_game::debate::step::{Judge, Step, StepId, Target};
use elenchus_game::debate::{AttemptId, Chair, TurnId};
use elenchus_records::workspace::Reopen;
use elenchus_run::engine::{PersonQuestion as Asked, QuestionKind};
use elenchus_view::debate_text::{last_judged_together, verdicts_by_seats};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::sync::Arc;

/// Seats of a person that are remembered while another is answered.
const MAX_WAITING_SEATS: usize = 16;

impl Debate {
    /// Shows what the turn under the cursor was shown; in a pane where nothing was said yet, what comes
    /// next there.
    pub(super) fn inspect_turn(&mut self) -> Vec<Effect> {
        let turn = self.cursor.as_ref();
        let here = turn.and_then(|turn| Some(self.source.state.chosen_attempt(turn)?.0));
        let attempt = match &self.arrangement.focus {
            Pane::Record | Pane::Rail => None,
            Pane::Chair(chair) if self.open_step_of(chair).is_some() => {
                here.filter(|attempt| attempt.turn.chair == *chair)
            }
            Pane::Transcript | Pane::Chair(_) => here,
        };
        if let Some(attempt) = attempt {
            return show_screen(Inspector::from_attempt(
                &self.id,
                &self.source.state,
                &attempt,
            ));
        }
        if let Some(step) = self.next_step_here() {
            return self.inspect_step(step);
        }
        match self.source.state.verdicts().last() {
            Some((judging, target, _)) => {
                let state = &self.source.state;
                show_screen(Inspector::from_verdict(
                    &self.id, state, judging, target, None,
                ))
            }
            None => say_notice("there is nothing to look into yet"),
        }
    }

    /// Shows what would be sent next: for the focused pane, else for whoever is next.
    pub(super) fn inspect_next(&mut self) -> Vec<Effect> {
        match self.next_step_here() {
            Some(step) => self.inspect_step(step),
            None => say_notice(format!(
                "nothing more is asked; {} shows what the turn under the cursor was shown",
                debate_key(Action::Inspect)
            )),
        }
    }

    fn next_step_here(&self) -> Option<Step> {
        self.open_step_here().or(self.next_open_step()).cloned()
    }

    /// Returns the open step of what is looked at: of the focused pane, in the transcript of the turn under the
    /// cursor.
    fn open_step_here(&self) -> Option<&Step> {
        let chair = match &self.arrangement.focus {
            Pane::Chair(chair) => chair,
            Pane::Transcript => {
                let turn = self.cursor.as_ref()?;
                let is_open = !self.source.state.turns().contains_key(turn);
                return self.open_step_of(&turn.chair).filter(|_| is_open);
            }
            Pane::Record | Pane::Rail => return None,
        };
        self.open_step_of(chair)
    }

    /// Returns the open step in which a chair is to speak.
    pub(super) fn open_step_of(&self, chair: &Chair) -> Option<&Step> {
        self.coming.iter().find(|step| match step {
            Step::Speak(speak) | Step::AwaitSpeaker(speak) => speak.turn.chair == *chair,
            _ => false,
        })
    }

    fn inspect_step(&self, step: Step) -> Vec<Effect> {
        show_screen(Inspector::from_step(
            &self.id,
            &self.source.state,
            step,
            self.session_hold(),
        ))
    }

    pub(super) fn selected_reply(&self) -> Option<(AttemptId, String)> {
        let turn = self.cursor.as_ref()?;
        let (id, attempt) = self.source.state.chosen_attempt(turn)?;
        Some((id, attempt.reply.text.clone()))
    }

    pub(super) fn edit_turn(&mut self) -> Vec<Effect> {
        let Some((id, text)) = self.selected_reply() else {
            return say_notice(self.no_turn_text());
        };
        let title = self.title_with_fork("edit", &id.turn);
        self.open_editor(title, &text, Purpose::Edit(id.turn))
    }

    pub(super) fn edit_outside(&mut self) -> Vec<Effect> {
        let mut effects = self.edit_turn();
        effects
            .extend(self.handle_text_key(KeyEvent::new(KeyCode::Char('e'), KeyModifiers::CONTROL)));
        effects
    }

    /// Names an act on a turn, and says where it makes a fork.
    pub(super) fn title_with_fork(&self, what: &str, turn: &TurnId) -> String {
        let fork = if self.needs_fork(turn) {
            ", in a fork: others have read it"
        } else {
            ""
        };
        format!("{}{fork}", self.turn_title(what, turn))
    }

    /// Names an act on a turn.
    pub(super) fn turn_title(&self, what: &str, turn: &TurnId) -> String {
        let name = self.source.state.name_of(&turn.chair);
        format!("{what} {name}, round {} {}", turn.round, turn.stage)
    }

    pub(super) fn ask_reroll_count(&mut self) -> Vec<Effect> {
        let Some((id, _)) = self.selected_reply() else {
            return say_notice(self.no_turn_text());
        };
        // Empty: a number typed behind a preset one would be a costly mistake.
        self.ask_line(Question::Reroll(id.turn), "")
    }

    pub(super) fn show_attempts(&mut self) -> Vec<Effect> {
        let Some((id, _)) = self.selected_reply() else {
            return say_notice(self.no_turn_text());
        };
        let state = Arc::clone(&self.source.state);
        show_screen(Attempts::from_turn(
            &self.id,
            state,
            id.turn,
            self.session_hold(),
        ))
    }

    pub(super) fn take_over(&mut self) -> Vec<Effect> {
        let Some(step) = self.next_step_here() else {
            return say_notice(format!(
                "no step is open: {} edits the turn under the cursor",
                debate_key(Action::Edit)
            ));
        };
        match &step {
            Step::Judge(_) | Step::AwaitJudge(_) => self.offer_labels(&step),
            Step::Speak(speak) | Step::AwaitSpeaker(speak) => {
                let title = self.title_with_fork("speak for", &speak.turn);
                self.open_editor(
                    title,
                    "",
                    Purpose::Answer(AnswerTo::from_open_step(step.id())),
                )
            }
            Step::WriteFeedback(_) | Step::AwaitFeedback(_) => self.open_editor(
                "the lesson of this debate".to_owned(),
                "",
                Purpose::Answer(AnswerTo::from_open_step(step.id())),
            ),
            Step::Retrieve(_)
            | Step::RetrieveGuards
            | Step::SwapRewards
            | Step::Guard(_)
            | Step::DeriveGuardrail(_)
            | Step::Recite(_)
            | Step::Refuse(_)
            | Step::Grade { .. } => Vec::new(),
        }
    }

    /// A person's seat is open.
    pub(super) fn ask_person(&mut self, question: &Asked, step: &StepId) -> Vec<Effect> {
        if self.has_overlay() {
            if self.waiting_seats.len() < MAX_WAITING_SEATS {
                let question = Box::new(question.clone());
                self.waiting_seats.push_back((question, step.clone()));
            }
            return say_notice(format!(
                "your seat waits: {} answers",
                debate_key(Action::TakeOver)
            ));
        }
        match &question.kind {
            QuestionKind::Turn(speak) => {
                self.go_to_speaker(speak.turn.clone());
                let title = self.title_with_fork("your turn,", &speak.turn);
                self.open_editor(
                    title,
                    "",
                    Purpose::Answer(AnswerTo::from_open_step(step.clone())),
                )
            }
            QuestionKind::Verdict { judge, .. } => {
                self.offer_labels(&Step::AwaitJudge(judge.clone()))
            }
            QuestionKind::Lesson(_) => self.open_editor(
                "the lesson of this debate".to_owned(),
                "",
                Purpose::Answer(AnswerTo::from_open_step(step.clone())),
            ),
        }
    }

    /// Asks for the next seat that was asked for while another was answered, and is still open.
    pub(super) fn ask_waiting_seat(&mut self, answered: &StepId) -> Vec<Effect> {
        while let Some((question, step)) = self.waiting_seats.pop_front() {
            let is_open = self.coming.iter().any(|open| open.id() == step);
            if is_open && step != *answered {
                return self.ask_person(&question, &step);
            }
        }
        Vec::new()
    }

    /// Sits on the judge's seat: for an open verdict, else for one that was given, in a fork.
    pub(super) fn give_verdict(&mut self) -> Vec<Effect> {
        let on_cursor = |target: &Target| match (target, &self.cursor) {
            (Target::Attempt(attempt), Some(cursor)) => attempt.turn == *cursor,
            (Target::Attempt(_), None) => false,
            (Target::Round(_) | Target::Debate, _) => self.arrangement.focus == Pane::Record,
        };
        let open = self.coming.iter().filter_map(|step| match step {
            Step::Judge(judge) | Step::AwaitJudge(judge) => Some((step, judge)),
            _ => None,
        });
        let open: Vec<(&Step, &Judge)> = open.collect();
        let first = open
            .iter()
            .find(|(_, judge)| on_cursor(&judge.target))
            .or(open.first());
        if let Some((step, _)) = first {
            let step = (*step).clone();
            return self.offer_labels(&step);
        }
        let on_turn = self.selected_reply().map(|(id, _)| Target::Attempt(id));
        let on_turn = on_turn.filter(|target| match self.arrangement.focus {
            // All verdicts are read there, those on the debate too.
            Pane::Transcript => !verdicts_by_seats(&self.source.state, target).is_empty(),
            Pane::Chair(_) | Pane::Rail => true,
            Pane::Record => false,
        });
        let target = on_turn.unwrap_or_else(|| last_judged_together(&self.source.state));
        let Some((judging, slot)) = verdicts_by_seats(&self.source.state, &target)
            .into_iter()
            .next()
        else {
            return say_notice(
                "no judge looks at this turn: focus the record for verdicts on the debate",
            );
        };
        let chair = self.source.state.protocol().and_then(|protocol| {
            let seat = protocol.find_judging(&judging)?.by.clone()?;
            Some(Chair {
                seat,
                index: slot.chair,
            })
        });
        let Some(chair) = chair else {
            return Vec::new();
        };
        let step = Step::Judge(Judge {
            judging: judging.clone(),
            chair,
            target: target.clone(),
            order: slot.order,
            attempt: 0,
        });
        let reopen = Reopen::Verdict {
            judging: judging.clone(),
            target: target.clone(),
            slot: Some(slot),
        };
        let to = AnswerTo {
            step: step.id(),
            reopen: Some(reopen),
        };
        let items = self.verdicts_for(&judging, &to);
        let title = format!("{judging} on {target}, in a fork: a verdict was given");
        self.offer_choices(&title, items)
    }

    /// Says why there is nothing to act on under the cursor.
    fn no_turn_text(&self) -> String {
        match &self.cursor {
            Some(turn) => format!(
                "{} has not spoken in round {} yet: {} plays the turn, {} speaks for the seat",
                self.source.state.name_of(&turn.chair),
                turn.round,
                debate_key(Action::StepTurn),
                debate_key(Action::TakeOver)
            ),
            None => format!(
                "put the cursor on a turn first: {} and {} move it",
                debate_key(Action::PreviousTurn),
                debate_key(Action::NextTurn)
            ),
        }
    }
}
