//! Decisions that pay: those of a debate itself, and those of another one that its lessons are written from.

use super::event::{PaidDecisions, SwappedRewards};
use super::protocol::JudgedThing;
use super::state::State;
use super::step::{Step, Target};

impl State {
    /// Returns what this debate's own decisions were and paid.
    pub fn paid_decisions(&self) -> PaidDecisions {
        let Some(protocol) = self.protocol() else {
            return PaidDecisions::default();
        };
        let rules = protocol.judging.iter().filter(|rule| {
            rule.enabled
                && rule.of == JudgedThing::Debate
                && protocol.rewards.contains_key(&rule.id)
        });
        let labels = rules.map(|rule| {
            let outcome = self.combined_outcome(rule, &Target::Debate);
            let label = outcome.and_then(|outcome| outcome.label().map(str::to_owned));
            (rule.id.clone(), label)
        });
        PaidDecisions {
            labels: labels.collect(),
            rewards: self.compute_rewards(),
        }
    }

    /// Returns whether every decision that pays was made, so that the debate's rewards are known.
    pub fn has_decisions(&self) -> bool {
        let Some(protocol) = self.protocol() else {
            return false;
        };
        let mut rules = protocol.judging.iter().filter(|rule| {
            rule.enabled
                && rule.of == JudgedThing::Debate
                && protocol.rewards.contains_key(&rule.id)
        });
        self.is_spoken() && rules.all(|rule| self.verdicts_are_in(protocol, rule))
    }

    /// Returns another debate's decisions that lessons of this one are written from.
    pub fn swapped_rewards(&self) -> Option<&SwappedRewards> {
        self.swapped_rewards.as_ref()
    }

    /// Returns whether nothing is missing but another debate's decisions, which a run gives out when all
    /// debates of the batch have theirs.
    pub fn waits_for_rewards(&self) -> bool {
        self.find_open_steps().steps.contains(&Step::SwapRewards)
    }
}
