//! Notes and labels of people on a session, by turn. Pure.

use super::human_labels::HumanLabels;
use elenchus_game::debate::{SessionId, TurnId};
use elenchus_records::workspace::annotations::{Annotations, Note};
use std::collections::BTreeMap;

/// The notes on one session, and the labels.
#[derive(Debug, Default)]
pub struct Notes {
    on_turns: BTreeMap<TurnId, Vec<Note>>,
    on_debate: Vec<Note>,
    labels: HumanLabels,
}

impl Notes {
    /// Picks the notes on a session out of all annotations.
    pub fn from_annotations(annotations: &Annotations, session: &SessionId) -> Self {
        let mut notes = Self {
            labels: HumanLabels::from_annotations(annotations, session),
            ..Self::default()
        };
        for note in annotations.session_notes(session) {
            match &note.on.attempt {
                Some(on) => {
                    let of_turn = notes.on_turns.entry(on.id.turn.clone()).or_default();
                    of_turn.push(note.clone());
                }
                None => notes.on_debate.push(note.clone()),
            }
        }
        notes
    }

    /// Returns the notes on a turn's attempts.
    pub fn turn_notes(&self, turn: &TurnId) -> &[Note] {
        self.on_turns.get(turn).map_or(&[], Vec::as_slice)
    }

    /// Returns the labels on turns.
    pub fn labels(&self) -> &HumanLabels {
        &self.labels
    }

    /// Returns the notes on the debate as a whole.
    pub fn debate_notes(&self) -> &[Note] {
        &self.on_debate
    }
}
