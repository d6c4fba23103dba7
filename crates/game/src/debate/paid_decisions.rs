//! Decisions that pay: those of a debate itself, and those of another one that its lessons are written from.

use super::event::{Created, PaidDecisions, SwappedRewards};
use super::protocol::{JudgedThing, Judging, Protocol};
use super::state::State;
use super::step::{Step, Target};

impl State {
    /// Returns what this debate's own decisions were and paid.
    pub fn paid_decisions(&self) -> PaidDecisions {
        let Some(protocol) = self.protocol() else {
            return PaidDecisions::default();
        };
        // What parts of a debate were found to be has no one label.
        let rules = paying_rules(protocol).filter(|rule| rule.of == JudgedThing::Debate);
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
        let Some(created) = self.first_event() else {
            return false;
        };
        let mut rules = paying_rules(&created.protocol).peekable();
        let pays = rules.peek().is_some();
        pays && self.is_spoken() && rules.all(|rule| self.has_all_findings(created, rule))
    }

    fn has_all_findings(&self, created: &Created, rule: &Judging) -> bool {
        let protocol = &created.protocol;
        match rule.of {
            JudgedThing::Debate => self.verdicts_are_in(protocol, rule),
            JudgedThing::Turn | JudgedThing::Round => (1..=self.last_round()).all(|round| {
                let turns = protocol.turns_in(round);
                let unjudged = self.find_unjudged_targets(created, rule, round, &turns);
                unjudged.is_empty()
            }),
        }
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

/// Returns the rules whose findings pay.
fn paying_rules(protocol: &Protocol) -> impl Iterator<Item = &Judging> {
    let rules = protocol.judging.iter();
    rules.filter(|rule| rule.enabled && protocol.rewards.contains_key(&rule.id))
}
