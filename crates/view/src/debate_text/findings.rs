//! Findings on turns, and their roles. Pure.

use crate::turn_address::Way;
use elenchus_game::debate::event::{Author, Outcome};
use elenchus_game::debate::state::State;
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{JudgingId, TurnId, VerdictSlot};
use elenchus_text::Role;
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
pub struct TurnFinding {
    pub judging: JudgingId,
    pub outcome: Outcome,
    /// Author of the finding, where one judge made it.
    pub by: Option<Author>,
}

/// Short finding on a turn without its reason.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnGlance {
    Found(Vec<TurnFinding>),
    /// A guardrail refused it: it is not judged.
    Refused,
    /// No visible text arrived: it is not judged.
    Empty,
}

impl TurnGlance {
    /// Returns what was found.
    pub fn findings(&self) -> &[TurnFinding] {
        match self {
            TurnGlance::Found(found) => found,
            TurnGlance::Refused | TurnGlance::Empty => &[],
        }
    }
}

/// Short findings of the turns that were judged, or that are never judged.
pub type Glances = BTreeMap<TurnId, TurnGlance>;

/// Returns what was found about each turn that counts.
pub fn collect_glances(state: &State) -> Glances {
    let mut glances = Glances::new();
    let Some(protocol) = state.protocol() else {
        return glances;
    };
    let turns = state.turns().keys();
    for turn in turns.filter(|turn| state.refusing_guardrail(turn).is_some()) {
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
        if let Some(rule) = protocol.find_judging(judging)
            && let Some(outcome) = state.combined_outcome(rule, target)
        {
            let mut judges = by_slot.values();
            let by = judges.next().filter(|_| judges.next().is_none());
            let finding = TurnFinding {
                judging: judging.clone(),
                outcome,
                by: by.map(|verdict| verdict.by.clone()),
            };
            let glance = glances
                .entry(attempt.turn.clone())
                .or_insert(TurnGlance::Found(Vec::new()));
            match glance {
                TurnGlance::Found(all) => all.push(finding),
                TurnGlance::Refused | TurnGlance::Empty => {}
            }
        }
    }
    glances
}

/// Returns the finding that the eye should find first.
pub fn worst_finding(found: &[TurnFinding]) -> Option<&TurnFinding> {
    found
        .iter()
        .min_by_key(|found| match role_of(&found.outcome) {
            Role::Unsafe => 0,
            Role::Unparsed => 1,
            Role::Middle => 2,
            _ => 3,
        })
}

/// Returns the first of some turns that was found unsafe.
pub fn first_unsafe<'a>(turns: &'a [TurnId], glances: &Glances) -> Option<&'a TurnId> {
    turns.iter().find(|turn| is_unsafe(glances, turn))
}

/// Returns the next of some turns after one of them, or the one before it, that was found unsafe.
pub fn find_unsafe_beside<'a>(
    turns: &'a [TurnId],
    glances: &Glances,
    from: Option<&TurnId>,
    way: Way,
) -> Option<&'a TurnId> {
    let at = from.and_then(|from| turns.iter().position(|turn| turn == from));
    match way {
        Way::Forth => {
            let mut later = turns.iter().skip(at.map_or(0, |at| at + 1));
            later.find(|turn| is_unsafe(glances, turn))
        }
        Way::Back => {
            let earlier = turns.iter().take(at.unwrap_or(0));
            earlier.rev().find(|turn| is_unsafe(glances, turn))
        }
    }
}

fn is_unsafe(glances: &Glances, turn: &TurnId) -> bool {
    let glance = glances.get(turn);
    let mut findings = glance.into_iter().flat_map(TurnGlance::findings);
    findings.any(|one| role_of(&one.outcome) == Role::Unsafe)
}

/// Says whether findings on a turn disagree: between its judges, or with the turns of the same stage of
/// the round.
pub fn is_disputed(state: &State, glances: &Glances, turn: &TurnId) -> bool {
    let judges_differ = state.verdicts().any(|(_, target, by_slot)| {
        let on_turn = matches!(target, Target::Attempt(attempt) if attempt.turn == *turn);
        let mut roles = by_slot
            .values()
            .filter_map(|verdict| verdict.outcome.as_ref().map(role_of));
        let first = roles.next();
        on_turn && first.is_some() && roles.any(|role| Some(role) != first)
    });
    if judges_differ {
        return true;
    }
    let Some(own) = glances.get(turn) else {
        return false;
    };
    own.findings().iter().any(|mine| {
        glances
            .iter()
            .filter(|(other, _)| other.round == turn.round && other.stage == turn.stage)
            .flat_map(|(_, glance)| glance.findings())
            .any(|theirs| {
                theirs.judging == mine.judging && role_of(&theirs.outcome) != role_of(&mine.outcome)
            })
    })
}

/// Returns the verdicts of people and models on a target: those that could be given again.
pub fn verdicts_by_seats(state: &State, target: &Target) -> Vec<(JudgingId, VerdictSlot)> {
    let Some(protocol) = state.protocol() else {
        return Vec::new();
    };
    let rules = protocol.judging.iter().filter(|rule| rule.by.is_some());
    rules
        .filter_map(|rule| Some((rule, state.verdicts_on(&rule.id, target)?)))
        .flat_map(|(rule, by_slot)| by_slot.keys().map(|slot| (rule.id.clone(), *slot)))
        .collect()
}

/// Returns what was judged last of what is no single turn: the debate, else a round.
pub fn last_judged_together(state: &State) -> Target {
    let targets = state.verdicts().map(|(_, target, _)| target);
    let together = targets.filter(|target| match target {
        Target::Round(_) | Target::Debate => !verdicts_by_seats(state, target).is_empty(),
        Target::Attempt(_) => false,
    });
    together.max().cloned().unwrap_or(Target::Debate)
}
