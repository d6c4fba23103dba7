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

/// What a turn shows on rail and timeline.
#[derive(Debug, Clone, PartialEq)]
pub enum Glance {
    Found(Vec<Found>),
    /// A guardrail refused it: nobody judges those.
    Refused,
    /// Nothing visible came: nobody judges those either.
    Empty,
}

impl Glance {
    /// Returns what was found.
    pub fn found(&self) -> &[Found] {
        match self {
            Glance::Found(found) => found,
            Glance::Refused | Glance::Empty => &[],
        }
    }
}

/// What each turn shows that was judged, or that nobody judges.
pub type Glances = BTreeMap<TurnId, Glance>;

/// Returns what was found about each turn that counts.
pub fn glances(state: &State) -> Glances {
    let mut glances = Glances::new();
    let Some(protocol) = state.protocol() else {
        return glances;
    };
    let turns = state.turns().keys();
    for turn in turns.filter(|turn| state.refused_by(turn).is_some()) {
        glances.insert(turn.clone(), Glance::Refused);
    }
    for id in state.empty_turns() {
        glances.insert(id.turn, Glance::Empty);
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
            let found = Found {
                judging: judging.clone(),
                outcome,
                by: by.map(|verdict| verdict.by.clone()),
            };
            let glance = glances
                .entry(attempt.turn.clone())
                .or_insert(Glance::Found(Vec::new()));
            match glance {
                Glance::Found(all) => all.push(found),
                Glance::Refused | Glance::Empty => {}
            }
        }
    }
    glances
}
