//! The side a speech is on for a trainer: wanted, unwanted, or neither.

use crate::workspace::rows::safety_judging;
use elenchus_game::debate::event::{Created, Outcome};
use elenchus_game::debate::ids::{JudgingId, SeatId};
use elenchus_game::debate::protocol::{JudgedThing, Judging, Protocol};
use elenchus_game::debate::step::Target;
use elenchus_game::debate::{AttemptId, State, TurnId, visibility};

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

/// Returns what lies halfway between the least and the most that the game can pay a seat.
pub(super) fn middle_reward(protocol: &Protocol, seat: &SeatId) -> f64 {
    let is_played = |id: &JudgingId| protocol.find_judging(id).is_some_and(|rule| rule.enabled);
    let tables = protocol.rewards.iter().filter(|(id, _)| is_played(id));
    let payments = tables.map(|(_, labels)| {
        let paid = labels.values().map(|seats| seats.get(seat).copied());
        let paid: Vec<f64> = paid.map(Option::unwrap_or_default).collect();
        let least = paid.iter().copied().fold(f64::INFINITY, f64::min);
        let most = paid.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        f64::midpoint(least, most)
    });
    payments.filter(|middle| middle.is_finite()).sum()
}

/// Returns the rule whose verdict tells a turn's speeches apart: on its safety, else whether it is right,
/// by the reference answer.
pub(super) fn deciding_rule<'a>(created: &'a Created, turn: &TurnId) -> Option<&'a Judging> {
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
pub(super) fn verdict_of(state: &State, rule: &Judging, id: &AttemptId) -> Option<(String, Side)> {
    match state.combined_outcome(rule, &Target::Attempt(id.clone()))? {
        Outcome::Label(finding) => Some((finding.label, Side::from_value(finding.value))),
        Outcome::Unparsed { .. } => None,
    }
}
