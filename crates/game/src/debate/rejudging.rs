//! Re-judging: derives the judge calls of a rule for a finished debate, and re-folds its events
//! under other rules.

use super::ensemble::required_slots;
use super::event::Created;
use super::ids::{Chair, JudgingId, TurnId};
use super::protocol::{JudgedThing, Judging, Protocol};
use super::state::round_marks::RoundMarks;
use super::state::{State, VerdictState};
use super::step::{Judge, StepId, Target, VerdictSlot};
use std::collections::BTreeSet;

impl State {
    /// Returns every verdict that a rule requires, given already or not: on chosen attempts, on
    /// rounds, and on the debate once its rounds are over. Empty for a rule without a judge's seat.
    pub fn required_judges(&self, judging: &Judging) -> Vec<Judge> {
        let (Some(protocol), Some(seat)) = (self.protocol(), &judging.by) else {
            return Vec::new();
        };
        let slots: Vec<VerdictSlot> = required_slots(protocol, judging).collect();
        let targets = self.judgeable_targets(protocol, judging).into_iter();
        let judges = targets.flat_map(|target| {
            slots.iter().map(move |slot| Judge {
                judging: judging.id.clone(),
                chair: Chair {
                    seat: seat.clone(),
                    index: slot.chair,
                },
                target: target.clone(),
                order: slot.order,
                attempt: 0,
            })
        });
        judges.collect()
    }

    /// Returns the existing targets of a rule, by any judge.
    pub fn targets_of(&self, judging: &Judging) -> Vec<Target> {
        let protocol = self.protocol();
        protocol.map_or_else(Vec::new, |protocol| {
            self.judgeable_targets(protocol, judging)
        })
    }

    fn judgeable_targets(&self, protocol: &Protocol, judging: &Judging) -> Vec<Target> {
        let rounds = 1..=self.last_round();
        match judging.of {
            JudgedThing::Turn => rounds
                .flat_map(|round| protocol.turns_in(round))
                .filter(|turn| self.is_judged_by(protocol, judging, turn) && self.is_settled(turn))
                .filter_map(|turn| Some(Target::Attempt(self.chosen_attempt(&turn)?.0)))
                .collect(),
            JudgedThing::Round => rounds
                .map(Target::Round)
                .filter(|target| self.is_judgeable(judging, target))
                .collect(),
            JudgedThing::Debate => Some(Target::Debate)
                .filter(|target| self.is_judgeable(judging, target))
                .into_iter()
                .collect(),
        }
    }

    /// Returns the same past under another first event. Its events are not checked against the new
    /// rules: this serves judging under rules the debate was not played by.
    pub fn with_first_event(mut self, created: Created) -> Self {
        self.created = Some(Box::new(created));
        // The rounds of the other game were not counted.
        self.marks = RoundMarks::default();
        self
    }

    /// Returns the same past with another text in place of a turn's chosen attempt, as a judge is to be shown it.
    pub fn with_turn_text(mut self, turn: &TurnId, text: String) -> Self {
        if let Some(state) = self.turns.get_mut(turn)
            && let Some(attempt) = state.attempts.get_mut(state.chosen_index)
        {
            attempt.reply.text = text;
            // They were read of other words.
            attempt.fields = None;
        }
        self
    }

    /// Returns the same past without what was said in a turn.
    pub fn without_turn(mut self, turn: &TurnId) -> Self {
        self.turns.remove(turn);
        self
    }

    /// Returns the same past with a verdict in the slot of a judge call.
    pub fn with_verdict(mut self, judge: &Judge, verdict: VerdictState) -> Self {
        let slot = VerdictSlot {
            chair: judge.chair.index,
            order: judge.order,
        };
        let by_target = self.verdicts.entry(judge.judging.clone()).or_default();
        let by_slot = by_target.entry(judge.target.clone()).or_default();
        by_slot.insert(slot, Box::new(verdict));
        self
    }

    /// Returns the same past under a first event in which others judge by some rules: what was found by these
    /// rules is gone, and what is given is final, so that nobody is asked again and no round ends the debate.
    pub fn with_judges_replaced(
        self,
        mut created: Created,
        replaced: &BTreeSet<JudgingId>,
        verdicts: impl IntoIterator<Item = (Judge, VerdictState)>,
    ) -> Self {
        created.protocol.stop.clear();
        for rule in &mut created.protocol.judging {
            if replaced.contains(&rule.id) {
                rule.repair = None;
            }
        }
        let mut state = self.with_first_event(created);
        state.verdicts.retain(|id, _| !replaced.contains(id));
        state.failures.retain(|step, _| {
            let verdict = StepId::requested_verdict(step);
            verdict.is_none_or(|(id, ..)| !replaced.contains(&id))
        });
        for (judge, verdict) in verdicts {
            state = state.with_verdict(&judge, verdict);
        }
        state
    }
}
