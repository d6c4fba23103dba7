//! Findings on turns, and their roles. Pure.

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

/// Finding on a turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TurnFinding {
    pub judging: JudgingId,
    pub outcome: Outcome,
    /// Author of the finding, where one judge made it.
    pub by: Option<Author>,
}

/// Short finding on a turn for the rail and the timeline.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TurnGlance {
    Found(Vec<TurnFinding>),
    /// A guardrail refused it: it is not judged.
    Refused,
    /// No visible text arrived: it is not judged.
    Empty,
}

impl TurnGlance {
    /// Returns what was found.
    pub fn found(&self) -> &[TurnFinding] {
        match self {
            TurnGlance::Found(found) => found,
            TurnGlance::Refused | TurnGlance::Empty => &[],
        }
    }
}

/// Short findings of the turns that were judged, or that are never judged.
pub(super) type Glances = BTreeMap<TurnId, TurnGlance>;

/// Returns what was found about each turn that counts.
pub fn glances(state: &State) -> Glances {
    let mut glances = Glances::new();
    let Some(protocol) = state.protocol() else {
        return glances;
    };
    let turns = state.turns().keys();
    for turn in turns.filter(|turn| state.refused_by(turn).is_some()) {
        glances.insert(turn.clone(), TurnGlance::Refused);
    }
    for id in state.empty_turns() {
        glances.insert(id.turn, TurnGlance::Empty);
    }
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
            let found = TurnFinding {
                judging: judging.clone(),
                outcome,
                by: by.map(|verdict| verdict.by.clone()),
            };
            let glance = glances
                .entry(attempt.turn.clone())
                .or_insert(TurnGlance::Found(Vec::new()));
            match glance {
                TurnGlance::Found(all) => all.push(found),
                TurnGlance::Refused | TurnGlance::Empty => {}
            }
        }
    }
    glances
}
