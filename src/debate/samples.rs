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
    /// How many samples there are, and how many of them were found as good.
    pub of: usize,
    pub alike: usize,
}

impl Protocol {
    /// Returns whether a turn is one of several that do not see one another.
    pub fn is_sample(&self, turn: &TurnId) -> bool {
        self.seat(&turn.chair.seat)
            .is_some_and(|seat| seat.count > 1)
            && self
                .stage(&turn.stage)
                .is_some_and(|stage| stage.sees.turns.is_empty())
    }
}

impl State {
    /// Returns the best sample of a game of one round that has nothing but samples: the one whose finding
    /// has the highest value, the first of several. `None` while one is missing, or where none was found
    /// to be anything.
    pub fn best_sample(&self) -> Option<BestSample> {
        let protocol = self.protocol()?;
        let turns = protocol.turns_in(1);
        if protocol.rounds != 1 || !turns.iter().all(|turn| protocol.is_sample(turn)) {
            return None;
        }
        let mut found = Vec::new();
        for turn in &turns {
            let rules = protocol.judging.iter().filter(|rule| rule.enabled);
            let mut rules = rules.filter(|rule| self.is_judged_by(protocol, rule, turn));
            if !self.is_settled(turn) {
                return None;
            }
            // A refused or empty sample is judged by nobody, and is not the best.
            let (Some(rule), Some((attempt, _))) = (rules.next(), self.chosen(turn)) else {
                continue;
            };
            let outcome = self.finding(rule, &Target::Attempt(attempt))?;
            found.push((turn, outcome));
        }
        let value = |outcome: &Outcome| outcome.finding().map(|finding| finding.value);
        let values = found.iter().filter_map(|(_, outcome)| value(outcome));
        let most = values.reduce(f64::max)?;
        let best = found
            .iter()
            .filter(|(_, outcome)| value(outcome) == Some(most));
        let alike = best.clone().count();
        let (turn, outcome) = best.into_iter().next()?;
        Some(BestSample {
            chair: turn.chair.clone(),
            outcome: outcome.clone(),
            of: turns.len(),
            alike,
        })
    }

    /// Says in words which sample is the best; `None` where there is none.
    pub fn best_sample_in_words(&self) -> Option<String> {
        let best = self.best_sample()?;
        let name = self.protocol()?.name_of(&best.chair);
        let label = best.outcome.label().unwrap_or_default();
        let alike = match best.alike {
            0 | 1 => String::new(),
            alike => format!(", the first of {alike} alike"),
        };
        Some(format!("best of {}: {name}, found {label}{alike}", best.of))
    }
}
