//! Stopped replies of a debate: kept and shown, and never part of the game.

use super::refusal::EventRefusal;
use super::{Started, State};
use crate::debate::event::{Record, Stopped};
use crate::debate::ids::TurnId;
use crate::debate::step::{StepId, Target};

/// A reply that ended before it was whole.
#[derive(Debug, Clone, PartialEq)]
pub struct StoppedReply {
    /// Time of the record (RFC 3339, UTC).
    pub at: String,
    pub reply: Stopped,
    /// Copied from the session that this one was forked from.
    pub inherited: bool,
}

/// A call in flight, as far as the journal knows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpenCall {
    /// Index of its `CallStarted` among the session's events, which no other call has.
    pub event: u64,
    /// `None` where its model has no prices.
    pub worst_case_usd: Option<f64>,
    pub worst_case_tokens: u64,
}

impl State {
    /// Returns the stopped replies, oldest first.
    pub fn stopped_replies(&self) -> &[StoppedReply] {
        &self.stopped
    }

    /// Returns the stopped replies to a turn, oldest first; re-rolls are among them.
    pub fn stopped_replies_to(&self, turn: &TurnId) -> impl Iterator<Item = &StoppedReply> {
        let is_to_turn =
            move |stopped: &&StoppedReply| stopped.reply.step.turn().as_ref() == Some(turn);
        self.stopped.iter().filter(is_to_turn)
    }

    /// Returns the stopped replies of judges that were to judge a target, oldest first.
    pub fn stopped_verdicts_on(&self, target: &Target) -> impl Iterator<Item = &StoppedReply> {
        self.stopped.iter().filter(move |stopped| {
            let verdict = stopped.reply.step.requested_verdict();
            verdict.is_some_and(|(_, _, on, _)| &on == target)
        })
    }

    /// Returns the stopped replies that are neither to a turn nor to a judge, oldest first:
    /// guardrail decisions and lessons.
    pub fn other_stopped_replies(&self) -> impl Iterator<Item = &StoppedReply> {
        self.stopped.iter().filter(|stopped| {
            let step = &stopped.reply.step;
            step.turn().is_none() && step.requested_verdict().is_none()
        })
    }

    /// Returns a call without a known outcome.
    pub fn open_call(&self, step: &StepId) -> Option<OpenCall> {
        let call = self.started.get(step)?;
        Some(OpenCall {
            event: call.event,
            worst_case_usd: Some(call.worst_case_usd).filter(|_| call.is_priced),
            worst_case_tokens: call.worst_case_tokens,
        })
    }

    /// Keeps the words that came. Where nothing else is the call's outcome, its cost is counted.
    pub(super) fn apply_stopped_reply(
        &mut self,
        record: &Record,
        stopped: &Stopped,
    ) -> Result<(), EventRefusal> {
        self.check_running()?;
        let Some(call) = self.started.get(&stopped.step).copied() else {
            return Err(EventRefusal::NotOpen(stopped.step.clone()));
        };
        if stopped.reason.ends_call() {
            self.started.remove(&stopped.step);
            self.count_worst_case(Started {
                worst_case_usd: stopped.may_have_cost_usd.unwrap_or(0.0),
                worst_case_tokens: stopped.may_have_used_tokens.unwrap_or(0),
                ..call
            });
        }
        self.stopped.push(StoppedReply {
            at: record.at.clone(),
            reply: stopped.clone(),
            inherited: false,
        });
        Ok(())
    }
}
