//! Samples: answers that the chairs of one seat give apart from one another, and the best of them.

use super::event::Outcome;
use super::ids::{Chair, TurnId};
use super::protocol::Protocol;
use super::state::State;
use super::step::Target;

/// The sample with the best finding.
#[derive(Debug, Clone, PartialEq)]
pub struct BestSample {
    pub chair: Chair,
    pub outcome: Outcome,
    /// How many samples there are.
    pub sample_count: usize,
    /// How many of them were found as good, itself included.
    pub tied_count: usize,
}

impl Protocol {
    /// Returns whether a turn is one of several that do not see one another, in a game that has nothing
    /// else: what debaters say before they see their peers is no sample of an answer that stands.
    pub fn is_sample(&self, turn: &TurnId) -> bool {
        self.has_only_samples() && self.is_drawn_apart(turn)
    }

    fn has_only_samples(&self) -> bool {
        self.rounds == 1
            && self
                .turns_in(1)
                .iter()
                .all(|turn| self.is_drawn_apart(turn))
    }

    fn is_drawn_apart(&self, turn: &TurnId) -> bool {
        self.find_seat(&turn.chair.seat)
            .is_some_and(|seat| seat.count > 1)
            && self
                .find_stage(&turn.stage)
                .is_some_and(|stage| stage.sees.turns.is_empty())
    }
}

impl State {
    /// Returns the best sample of a game of one round that has nothing but samples: the one whose finding
    /// has the highest value, the first of several. `None` while one is missing, or where none was found
    /// to be anything.
    pub fn best_sample(&self) -> Option<BestSample> {
        let protocol = self.protocol()?;
        if !protocol.has_only_samples() {
            return None;
        }
        let turns = protocol.turns_in(1);
        let mut outcomes = Vec::new();
        for turn in &turns {
            let rules = protocol.judging.iter().filter(|rule| rule.enabled);
            let mut rules = rules.filter(|rule| self.is_judged_by(protocol, rule, turn));
            if !self.is_settled(turn) {
                return None;
            }
            // A refused or empty sample is judged by nobody, and is not the best.
            let (Some(rule), Some((attempt, _))) = (rules.next(), self.chosen_attempt(turn)) else {
                continue;
            };
            let outcome = self.combined_outcome(rule, &Target::Attempt(attempt))?;
            outcomes.push((turn, outcome));
        }
        let value = |outcome: &Outcome| outcome.as_finding().map(|finding| finding.value);
        let values = outcomes.iter().filter_map(|(_, outcome)| value(outcome));
        let most = values.reduce(f64::max)?;
        outcomes.retain(|(_, outcome)| value(outcome) == Some(most));
        let (turn, outcome) = outcomes.first()?;
        Some(BestSample {
            chair: turn.chair.clone(),
            outcome: outcome.clone(),
            sample_count: turns.len(),
            tied_count: outcomes.len(),
        })
    }
}
