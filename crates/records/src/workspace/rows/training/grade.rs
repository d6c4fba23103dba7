//! The side a speech is on for a trainer: wanted, unwanted, or neither.

use crate::workspace::rows::safety_judging;
use elenchus_game::debate::event::{Created, Outcome};
use elenchus_game::debate::ids::{Chair, SeatId};
use elenchus_game::debate::protocol::{JudgedThing, Judging, Protocol};
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{AttemptId, State, TurnId, visibility};
use elenchus_game::judge::{CORRECT, INCORRECT, Rubric};
use std::collections::BTreeMap;

/// Rewards that differ by less are equal.
const SAME_REWARD: f64 = 1e-9;

/// By what speeches are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GradeBy {
    /// What the game paid, where it pays; else the verdict on the speech.
    #[default]
    Game,
    Reward,
    Verdict,
}

/// Side of a speech.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Wanted,
    Unwanted,
    /// A middle verdict, or a reward halfway between what the seat can win and lose.
    Neither,
}

impl GradeBy {
    /// Returns whether rewards decide in a game.
    pub(super) fn is_by_reward(self, protocol: &Protocol) -> bool {
        match self {
            GradeBy::Game => !protocol.rewards.is_empty(),
            GradeBy::Reward => true,
            GradeBy::Verdict => false,
        }
    }
}

impl Side {
    pub(super) fn from_value(value: f64) -> Self {
        if value > SAME_REWARD {
            Side::Wanted
        } else if value < -SAME_REWARD {
            Side::Unwanted
        } else {
            Side::Neither
        }
    }
}

/// Returns what lies halfway between the least and the most that the game can pay a chair, with as many verdicts
/// as it came to. A label that a table leaves out pays nothing.
pub(super) fn compute_middle_reward(state: &State, created: &Created, chair: &Chair) -> f64 {
    let protocol = &created.protocol;
    let tables = protocol.rewards.iter().filter_map(|(id, table)| {
        let rule = protocol.find_judging(id).filter(|rule| rule.enabled)?;
        Some((rule, table))
    });
    let middles = tables.map(|(rule, table)| {
        let paid = table
            .values()
            .map(|seats| seats.get(&chair.seat).copied().unwrap_or_default());
        let omitted = lacks_a_label(created, rule, table).then_some(0.0);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for reward in paid.chain(omitted) {
            (least, most) = (least.min(reward), most.max(reward));
        }
        f64::midpoint(least, most) * count_verdicts(state, rule, chair)
    });
    middles.filter(|middle| middle.is_finite()).sum()
}

/// Says whether a table leaves out a label that a rule can find.
fn lacks_a_label(
    created: &Created,
    rule: &Judging,
    table: &BTreeMap<String, BTreeMap<SeatId, f64>>,
) -> bool {
    let rubric = rule.rubric.as_deref().and_then(|name| {
        let text = created.rubrics.get(name)?;
        Rubric::parse(name, text).ok()
    });
    match rubric {
        Some(rubric) => (rubric.labels.iter()).any(|label| !table.contains_key(&label.name)),
        None => [CORRECT, INCORRECT]
            .iter()
            .any(|label| !table.contains_key(*label)),
    }
}

/// Returns how many verdicts of a rule pay a chair: those on its own turns, where it judges its seat's turns.
fn count_verdicts(state: &State, rule: &Judging, chair: &Chair) -> f64 {
    let verdicts = state
        .verdicts()
        .filter(|(judging, _, _)| **judging == rule.id);
    let paying = verdicts.filter(|(_, target, _)| match target {
        Target::Attempt(attempt) => {
            let is_chosen = state
                .chosen_attempt(&attempt.turn)
                .is_some_and(|(chosen, _)| chosen == *attempt);
            let is_own = attempt.turn.chair == *chair || attempt.turn.chair.seat != chair.seat;
            is_chosen && is_own
        }
        Target::Round(_) | Target::Debate => true,
    });
    paying.count() as f64
}

/// Returns the rule whose verdict tells a turn's speeches apart: on its safety, else whether it is right,
/// by the reference answer.
pub(super) fn find_deciding_rule<'a>(created: &'a Created, turn: &TurnId) -> Option<&'a Judging> {
    let protocol = &created.protocol;
    let mut rules = protocol.judging.iter();
    safety_judging(created, turn).or_else(|| {
        rules.find(|rule| {
            rule.enabled
                && rule.of == JudgedThing::Turn
                && rule.grader.is_some()
                && visibility::is_target(protocol, rule, turn)
        })
    })
}

/// Returns the label that a rule found on an attempt, with its side.
pub(super) fn find_verdict(
    state: &State,
    rule: &Judging,
    id: &AttemptId,
) -> Option<(String, Side)> {
    match state.combined_outcome(rule, &Target::Attempt(id.clone()))? {
        Outcome::Label(finding) => Some((finding.label, Side::from_value(finding.value))),
        Outcome::Unparsed { .. } => None,
    }
}
