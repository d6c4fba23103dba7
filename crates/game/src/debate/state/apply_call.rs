//! Application of calls to the state: calls in flight, failed calls and calls in doubt.

use super::refusal::EventRefusal;
use super::{Started, State};
use crate::debate::ensemble::required_slots;
use crate::debate::event::{Author, Failed, FailureKind, Record};
use crate::debate::protocol::Protocol;
use crate::debate::step::open::is_person;
use crate::debate::step::{Step, StepId, VerdictSlot};

impl State {
    pub(super) fn apply_call_start(
        &mut self,
        step: &StepId,
        call: Started,
    ) -> Result<(), EventRefusal> {
        let first_event = self.check_running()?;
        match step.rerolled_attempt() {
            Some(reroll) => {
                let turn = &reroll.turn;
                if !first_event.protocol.has_turn(turn) {
                    return Err(EventRefusal::NoSuchTurn(turn.clone()));
                }
                let turn_state = self.turns.get(turn);
                if !turn_state.is_some_and(|state| state.filtered || !state.attempts.is_empty()) {
                    return Err(EventRefusal::NotOpen(step.clone()));
                }
                if self.is_seen(turn) {
                    return Err(EventRefusal::Seen(turn.clone()));
                }
                let turn_state = self.turns.entry(reroll.turn).or_default();
                turn_state.rerolled = turn_state.rerolled.max(reroll.attempt.saturating_add(1));
            }
            None if self.can_call_step(&first_event.protocol, step) => {}
            None => return Err(EventRefusal::NotOpen(step.clone())),
        }
        if let Some(before) = self.started.insert(step.clone(), call) {
            self.count_worst_case(before);
        }
        Ok(())
    }

    /// Returns whether the game may come to a step that is not done yet. A journal has one such
    /// line per call: computing all open steps each time would make long ones slow to read.
    fn can_call_step(&self, protocol: &Protocol, step: &StepId) -> bool {
        if let Some(attempt) = step.spoken_attempt() {
            let turn_state = self.turns.get(&attempt.turn);
            let attempts = turn_state.map_or(0, |state| state.attempts.len());
            return protocol.has_turn(&attempt.turn)
                && attempts == attempt.attempt as usize
                && !self.is_settled(&attempt.turn);
        }
        if let Some((id, chair, target, order)) = step.requested_verdict() {
            let slot = VerdictSlot {
                chair: chair.index,
                order,
            };
            return self
                .rule_about(protocol, &id, &target)
                .is_ok_and(|judging| {
                    judging.by.as_ref() == Some(&chair.seat)
                        && required_slots(protocol, judging).any(|wanted| wanted == slot)
                });
        }
        if let Some(chair) = step.guarded_chair() {
            let guard_step = Step::Guard(chair);
            return self
                .first_event()
                .is_some_and(|created| self.guard_steps(created).contains(&guard_step));
        }
        if let Some(writer) = &self.guardrail_writer
            && *step == Step::DeriveGuardrail(writer.clone()).id()
        {
            return self.written_guardrail.is_none();
        }
        let mut missing_lessons = protocol
            .feedback
            .iter()
            .filter(|rule| !self.feedback.contains_key(&rule.learner));
        missing_lessons.any(|rule| *step == StepId::feedback_step(rule.learner.as_ref()))
    }

    pub(crate) fn apply_failure(
        &mut self,
        record: &Record,
        failed: &Failed,
    ) -> Result<(), EventRefusal> {
        self.check_running()?;
        if failed.step.rerolled_attempt().is_some() {
            // The turn has what it needs: no step waits for another attempt.
            if !self.started.contains_key(&failed.step) {
                return Err(EventRefusal::NotOpen(failed.step.clone()));
            }
        } else {
            let opening = self.find_open_steps();
            let step = opening.steps.iter().find(|step| step.id() == failed.step);
            let Some(step) = step.cloned() else {
                return Err(EventRefusal::NotOpen(failed.step.clone()));
            };
            match (failed.kind, &step) {
                (FailureKind::Error | FailureKind::Filtered, Step::Guard(chair)) => {
                    self.apply_guard_failure(record, chair, failed);
                }
                (FailureKind::Error, _) => {
                    self.failures.insert(failed.step.clone(), failed.clone());
                }
                (FailureKind::Filtered, _) => self.skip_filtered_step(record, &step)?,
            }
        }
        let call = self.started.remove(&failed.step);
        self.spend.failures += 1;
        let cost_usd = failed.may_have_cost_usd.unwrap_or(0.0);
        let is_in_doubt = cost_usd > 0.0 || failed.may_have_used_tokens.is_some();
        match call {
            // The recorded cost is better known than the worst case.
            Some(call) if is_in_doubt => self.count_worst_case(Started {
                worst_case_usd: cost_usd,
                worst_case_tokens: (failed.may_have_used_tokens).unwrap_or(call.worst_case_tokens),
                ..call
            }),
            Some(_) => self.spend.failed_tries += u64::from(!failed.unsent),
            None => self.spend.in_doubt_usd += cost_usd,
        }
        Ok(())
    }

    pub(super) fn count_running_calls(&mut self) {
        for call in std::mem::take(&mut self.started).into_values() {
            self.count_worst_case(call);
        }
    }

    /// Counts a call without a known outcome at its worst case.
    pub(super) fn count_worst_case(&mut self, call: Started) {
        self.spend.in_doubt_usd += call.worst_case_usd;
        self.spend.in_doubt_calls += 1;
        self.spend.in_doubt_tokens = self
            .spend
            .in_doubt_tokens
            .saturating_add(call.worst_case_tokens);
    }

    /// Settles a step; its id is built only where a call or failure waits for it.
    pub(crate) fn settle_step(&mut self, by: &Author, step: &Step) {
        if !self.started.is_empty() || !self.failures.is_empty() {
            self.settle_step_id(by, &step.id());
        }
    }

    /// Marks a step as done. When a person did it, a call made for it before has no outcome.
    pub(crate) fn settle_step_id(&mut self, by: &Author, step: &StepId) {
        let call = self.started.remove(step);
        if let Some(call) = call.filter(|_| is_person(by)) {
            self.count_worst_case(call);
        }
        self.failures.remove(step);
    }
}
