//! History of a person's acts on a session: what can be undone and done again. Pure.

use elenchus_game::debate::{AttemptId, State, TurnId};
use elenchus_records::workspace::annotations::AnnotationId;

/// Acts that can be undone, at most.
const MAX_ACTS: usize = 200;

/// Something that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Another attempt of a turn was chosen, or written.
    Chose {
        turn: TurnId,
        before: u32,
        after: u32,
    },
    /// A note was written; retracting it undoes that.
    Noted(AnnotationId),
}

/// What takes an act back, or does it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reversal {
    Choose(AttemptId),
    /// The retraction is an annotation of its own, which [`ActHistory::record_note`] takes.
    Retract(AnnotationId),
}

impl Reversal {
    fn choose_attempt(turn: &TurnId, attempt: u32) -> Self {
        let turn = turn.clone();
        Reversal::Choose(AttemptId { turn, attempt })
    }
}

/// Where an annotation that retracts another belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Retracting {
    ToUndo,
    ToRedo,
}

/// Acts on a session, the last one last.
#[derive(Debug, Default)]
pub struct ActHistory {
    undo: Vec<Act>,
    redo: Vec<Act>,
    /// Choice that is not durable yet: it becomes an act when it is recorded.
    chosen_before: Option<(TurnId, u32)>,
    retracting: Option<Retracting>,
}

impl ActHistory {
    /// Another attempt of a turn is about to be chosen.
    pub fn begin_choice(&mut self, state: &State, turn: &TurnId) {
        if let Some((id, _)) = state.chosen_attempt(turn) {
            self.chosen_before = Some((turn.clone(), id.attempt));
        }
    }

    /// What was about to be chosen was refused.
    pub fn cancel_choice(&mut self) {
        self.chosen_before = None;
    }

    /// A turn changed: where another attempt counts now, that can be undone.
    pub fn record_choice(&mut self, state: &State, turn: &TurnId) {
        let Some((before_turn, before)) = self.chosen_before.take() else {
            return;
        };
        let Some((after, _)) = state.chosen_attempt(turn) else {
            return;
        };
        if before_turn == *turn && after.attempt != before {
            self.record_act(Act::Chose {
                turn: before_turn,
                before,
                after: after.attempt,
            });
        }
    }

    /// An annotation was written: a note, or the retraction that an undone or redone act asked for.
    pub fn record_note(&mut self, mark: AnnotationId) {
        let act = Act::Noted(mark);
        match self.retracting.take() {
            None => self.record_act(act),
            Some(Retracting::ToUndo) => self.redo.push(act),
            Some(Retracting::ToRedo) => self.undo.push(act),
        }
    }

    /// Returns the act that would be undone.
    pub fn last(&self) -> Option<&Act> {
        self.undo.last()
    }

    /// Takes the last act back: returns what does that.
    pub fn undo(&mut self) -> Option<Reversal> {
        let act = self.undo.pop()?;
        Some(match &act {
            Act::Chose { turn, before, .. } => {
                let reversal = Reversal::choose_attempt(turn, *before);
                self.redo.push(act);
                reversal
            }
            Act::Noted(mark) => {
                self.retracting = Some(Retracting::ToUndo);
                Reversal::Retract(mark.clone())
            }
        })
    }

    /// Does again what was undone last: returns what does that.
    pub fn redo(&mut self) -> Option<Reversal> {
        let act = self.redo.pop()?;
        Some(match &act {
            Act::Chose { turn, after, .. } => {
                let reversal = Reversal::choose_attempt(turn, *after);
                self.undo.push(act);
                reversal
            }
            Act::Noted(mark) => {
                self.retracting = Some(Retracting::ToRedo);
                Reversal::Retract(mark.clone())
            }
        })
    }

    fn record_act(&mut self, act: Act) {
        self.redo.clear();
        if self.undo.len() >= MAX_ACTS {
            self.undo.remove(0);
        }
        self.undo.push(act);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(of: &str) -> AnnotationId {
        AnnotationId::new(of)
    }

    #[test]
    fn a_note_is_retracted_and_its_retraction_too() {
        let mut acts = ActHistory::default();
        assert_eq!(acts.undo(), None);
        acts.record_note(mark("note"));
        assert_eq!(acts.last(), Some(&Act::Noted(mark("note"))));
        assert_eq!(acts.undo(), Some(Reversal::Retract(mark("note"))));
        acts.record_note(mark("gone"));
        assert_eq!(acts.last(), None);
        assert_eq!(acts.redo(), Some(Reversal::Retract(mark("gone"))));
        acts.record_note(mark("back"));
        assert_eq!(acts.undo(), Some(Reversal::Retract(mark("back"))));
    }

    #[test]
    fn a_choice_goes_there_and_back_and_a_new_act_ends_what_could_be_redone() {
        let turn = TurnId::try_from("r1.answer.debater-0".to_owned()).unwrap();
        let mut acts = ActHistory::default();
        acts.record_act(Act::Chose {
            turn: turn.clone(),
            before: 0,
            after: 2,
        });
        assert_eq!(acts.undo(), Some(Reversal::choose_attempt(&turn, 0)));
        assert_eq!(acts.redo(), Some(Reversal::choose_attempt(&turn, 2)));
        assert_eq!(acts.undo(), Some(Reversal::choose_attempt(&turn, 0)));
        acts.record_note(mark("note"));
        assert_eq!(acts.redo(), None);
    }

    #[test]
    fn acts_are_bounded_and_the_oldest_go_first() {
        let mut acts = ActHistory::default();
        for at in 0..=MAX_ACTS {
            acts.record_note(mark(&at.to_string()));
        }
        assert_eq!(acts.undo.len(), MAX_ACTS);
        assert_eq!(acts.undo.first(), Some(&Act::Noted(mark("1"))));
    }
}
