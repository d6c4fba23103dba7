//! What was found about turns, and how a finding looks. Pure.

use crate::debate::event::{Author, Outcome};
use crate::debate::state::State;
use crate::debate::step::Target;
use crate::debate::{JudgingId, TurnId};
use crate::tui::theme::Role;
use std::collections::BTreeMap;

/// Returns how a finding looks, by what its rubric says it is worth.
pub fn role_of(outcome: &Outcome) -> Role {
    match outcome {
        Outcome::Label(finding) if finding.value > 0.0 => Role::Safe,
        Outcome::Label(finding) if finding.value < 0.0 => Role::Unsafe,
        Outcome::Label(_) => Role::Middle,
        Outcome::Unparsed { .. } => Role::Unparsed,
    }
}

/// What was found about a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub judging: JudgingId,
    pub outcome: Outcome,
    /// Who found it, where one judge did.
    pub by: Option<Author>,
}

/// What was found about each turn, for rail and timeline.
pub type Glances = BTreeMap<TurnId, Vec<Found>>;

/// Returns what was found about each turn that counts.
pub fn glances(state: &State) -> Glances {
    let mut glances = Glances::new();
    let Some(protocol) = state.protocol() else {
        return glances;
    };
    for (judging, target, by_slot) in state.verdicts() {
        let Target::Attempt(attempt) = target else {
            continue;
        };
        if !state.is_current(target) {
            continue;
        }
        if let Some(rule) = protocol.judging(judging)
            && let Some(outcome) = state.finding(rule, target)
        {
            let mut judges = by_slot.values();
            let by = judges.next().filter(|_| judges.next().is_none());
            glances
                .entry(attempt.turn.clone())
                .or_default()
                .push(Found {
                    judging: judging.clone(),
                    outcome,
                    by: by.map(|verdict| verdict.by.clone()),
                });
        }
    }
    glances
}
