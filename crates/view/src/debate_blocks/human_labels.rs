//! Human labels on turns, by attempt. Pure.

use elenchus_game::debate::{AttemptId, SessionId, State, TurnId};
use elenchus_records::workspace::annotations::Annotations;
use std::collections::{BTreeMap, BTreeSet};

/// The labels on one session's attempts.
#[derive(Debug, Default)]
pub struct HumanLabels {
    by_attempt: BTreeMap<AttemptId, BTreeSet<String>>,
}

impl HumanLabels {
    /// Picks the labels on a session out of all annotations. Hidden repeats are left out.
    pub fn from_annotations(annotations: &Annotations, session: &SessionId) -> Self {
        let mut labels = Self::default();
        let first = annotations
            .labels()
            .map(|standing| &standing.label)
            .filter(|label| &label.on.session == session && label.repeat == 0);
        for label in first {
            if let Some(on) = &label.on.attempt {
                let of_attempt = labels.by_attempt.entry(on.id.clone()).or_default();
                of_attempt.insert(label.label.clone());
            }
        }
        labels
    }

    /// Returns the labels on the attempt of a turn that counts; several where people differ.
    pub fn labels_on_turn<'a>(
        &'a self,
        state: &State,
        turn: &TurnId,
    ) -> impl Iterator<Item = &'a str> {
        let attempt_id = state.chosen_attempt(turn).map(|(id, _)| id);
        let labels = attempt_id.and_then(|id| self.by_attempt.get(&id));
        labels.into_iter().flatten().map(String::as_str)
    }
}
