//! Proposals, critiques, decisions and conclusions of a game: which turns and rules they are, told by the rules that
//! look at them.

use super::{
    Detector, JudgedThing, Judging, NamedRounds, Orders, Protocol, RoundSet, TargetSelector,
};
use crate::debate::ids::{SeatId, TurnId};
use crate::debate::visibility;
use std::collections::BTreeSet;

/// The seat whose turns are critiques where no rule of a game looks at any.
const CRITIC: &str = "critic";
/// Rubrics that read critiques.
const CRITIQUE_RUBRICS: [&str; 6] = [
    "critique-quality",
    "named-error",
    "private-acceptance",
    "critic-stance",
    "back-stab",
    "goalposts",
];

/// The seats that propose and those that speak against it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sides {
    pub proposers: BTreeSet<SeatId>,
    pub critics: BTreeSet<SeatId>,
}

impl Protocol {
    /// Returns the two sides of a game; `None` where it has no proposer or no critic. Who criticises itself by the
    /// rules of the game is no side of its own.
    pub fn find_sides(&self) -> Option<Sides> {
        let seats = |turns: &[TargetSelector]| -> BTreeSet<SeatId> {
            let seats = turns.iter().flat_map(|turns| &turns.seats);
            seats.cloned().collect()
        };
        let proposers = seats(&self.find_proposal_rule()?.turns);
        let mut critics = seats(&self.critique_turns());
        critics.retain(|critic| !proposers.contains(critic));
        (!proposers.is_empty() && !critics.is_empty()).then_some(Sides { proposers, critics })
    }

    /// Returns the rules whose judge reads both sides of a round or debate and names each: shown in the other order
    /// it is asked the same.
    pub fn exchangeable_rules(&self) -> impl Iterator<Item = &Judging> {
        let sides = self.find_sides();
        self.judging.iter().filter(move |rule| {
            let reads = |side: &BTreeSet<SeatId>| {
                let mut seen = rule.sees.turns.iter().flat_map(|turns| &turns.seats);
                seen.any(|seat| side.contains(seat))
            };
            let is_whole = match rule.of {
                JudgedThing::Round | JudgedThing::Debate => true,
                JudgedThing::Turn => false,
            };
            rule.enabled
                && rule.has_judge()
                && rule.rubric.is_some()
                && is_whole
                && rule.orders == Orders::One
                && sides
                    .as_ref()
                    .is_some_and(|sides| reads(&sides.proposers) && reads(&sides.critics))
        })
    }

    /// Returns the rule whose turns are the proposals: the first by which a grader compares turns with the reference
    /// answer.
    pub fn find_proposal_rule(&self) -> Option<&Judging> {
        let mut rules = self.judging.iter();
        rules.find(|rule| rule.enabled && rule.grader.is_some() && rule.of == JudgedThing::Turn)
    }

    /// Returns the first rule by which a judge decides a debate about one proposal.
    pub fn find_decision_rule(&self) -> Option<&Judging> {
        self.judging.iter().find(|rule| {
            rule.enabled
                && rule.has_judge()
                && rule.of == JudgedThing::Debate
                && rule.orders == Orders::One
        })
    }

    /// Returns the rule by which a grader compares what a debate concludes with the reference answer.
    pub fn find_conclusion_rule(&self) -> Option<&Judging> {
        let mut rules = self.judging.iter();
        rules.find(|rule| rule.enabled && rule.grader.is_some() && rule.of == JudgedThing::Debate)
    }

    /// Returns the rules that look at critiques, whether they are asked or not.
    pub fn critique_rules(&self) -> impl Iterator<Item = &Judging> {
        self.judging.iter().filter(|rule| reads_critiques(rule))
    }

    /// Returns the turns that are critiques: those that the first rule on critiques looks at, else all of the seat
    /// `critic`; none in a game that has neither.
    pub fn critique_turns(&self) -> Vec<TargetSelector> {
        if let Some(rule) = self.critique_rules().next() {
            return rule.turns.clone();
        }
        let seat = SeatId::new(CRITIC);
        let critic = self.find_seat(&seat).map(|_| TargetSelector {
            seats: vec![seat],
            stages: None,
            rounds: RoundSet::Named(NamedRounds::All),
        });
        critic.into_iter().collect()
    }

    /// Says whether a turn is a proposal; no private turn is one.
    pub fn is_proposal(&self, turn: &TurnId) -> bool {
        let rule = self.find_proposal_rule();
        rule.is_some_and(|rule| visibility::is_target(self, rule, turn))
    }

    /// Says whether a turn is a critique; no private turn is one.
    pub fn is_critique(&self, turn: &TurnId) -> bool {
        visibility::is_among(self, &self.critique_turns(), turn)
    }
}

fn reads_critiques(rule: &Judging) -> bool {
    let by_rule = match rule.detector {
        Some(
            Detector::Stance
            | Detector::SpuriousTone
            | Detector::NamesError
            | Detector::BackStab
            | Detector::Goalposts,
        ) => true,
        Some(Detector::Citations | Detector::Refusal) | None => false,
    };
    let by_model = rule.rubric.as_deref();
    rule.of == JudgedThing::Turn
        && (by_rule || by_model.is_some_and(|rubric| CRITIQUE_RUBRICS.contains(&rubric)))
}
