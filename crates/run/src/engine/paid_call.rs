//! Call outside of a debate: its worst case is reserved before it is sent, its retries are charged, and what
//! it used is settled when it ends.

use super::cost::{Budget, CeilingStatus, Reservation, WorstCase, longer_reply, reply_expense};
use super::seats::ReadyModel;
use elenchus_model::{CallError, Delta, Reply, Request, Watch};
use elenchus_records::workspace::WorkspaceError;
use std::future::Future;
use std::sync::{Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// A request with what it is paid from.
pub(crate) struct PaidCall<'a> {
    pub seat: &'a ReadyModel,
    pub request: &'a Request,
    pub worst_case: WorstCase,
    pub budget: &'a Budget,
    pub cancel: &'a CancellationToken,
}

/// Result of a call.
pub(crate) enum PaidReply {
    Replied(Box<Reply>),
    /// It failed, or was given up; it may have used this much.
    Failed {
        error: CallError,
        charge: WorstCase,
    },
    /// A ceiling allows no more calls.
    Refused,
    /// It was cancelled before it was sent.
    NotSent,
}

impl PaidCall<'_> {
    /// Sends the request as soon as the budget has room for its worst case. `started` is awaited before
    /// that, to write it down; `retried` is called with each failed try, the wait before the next one in
    /// milliseconds, and what the try may have used. Where a ceiling has no room for another try, the
    /// call ends.
    ///
    /// # Errors
    /// When `started` does.
    pub(crate) async fn send(
        self,
        started: impl Future<Output = Result<(), WorkspaceError>>,
        retried: impl Fn(&CallError, u64, WorstCase) + Send + Sync,
    ) -> Result<PaidReply, WorkspaceError> {
        let reserve_result = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Ok(PaidReply::NotSent),
            reserved = self.budget.reserve(self.worst_case.to_expense()) => reserved,
        };
        let Ok(mut reservation) = reserve_result else {
            return Ok(PaidReply::Refused);
        };
        started.await?;
        reservation.mark_sent();
        let cancel = self.cancel.child_token();
        let watch = RetryCharges {
            budget: self.budget,
            worst_case: self.worst_case,
            cancel: &cancel,
            seat: self.seat,
            longer: Mutex::default(),
            retried,
        };
        let model = &self.seat.model;
        match model.complete(self.request, &watch, &cancel).await {
            Ok(reply) => {
                self.budget.note_answer();
                reservation.settle(reply_expense(&self.seat.settings, &reply));
                Ok(PaidReply::Replied(Box::new(reply)))
            }
            Err(error) => {
                self.budget
                    .note_refusal(&self.request.context.topic, &error);
                let charge = self.worst_case.failure_charge(&error);
                reservation.settle(charge.to_expense());
                Ok(PaidReply::Failed { error, charge })
            }
        }
    }
}

/// Charges retries to the budget, and cancels the call when another one could pass the ceiling.
struct RetryCharges<'a, R> {
    budget: &'a Budget,
    worst_case: WorstCase,
    cancel: &'a CancellationToken,
    seat: &'a ReadyModel,
    /// What was set aside for a reply longer than its request's limit.
    longer: Mutex<Vec<Reservation<'a>>>,
    retried: R,
}

impl<R: Fn(&CallError, u64, WorstCase) + Send + Sync> Watch for RetryCharges<'_, R> {
    fn on_delta(&self, _delta: Delta<'_>) {}

    fn may_reply_longer(&self, by_tokens: u32) -> bool {
        let more = longer_reply(&self.seat.settings, by_tokens);
        let reserve_result = self.budget.reserve_more(more);
        match reserve_result {
            Ok(reservation) => {
                let mut longer = self.longer.lock().unwrap_or_else(PoisonError::into_inner);
                longer.push(reservation);
                true
            }
            Err(_) => {
                self.cancel.cancel();
                false
            }
        }
    }

    fn on_retry(&self, _retry: u32, why: &CallError, wait_ms: u64) {
        let charge = self.worst_case.failure_charge(why);
        match self.budget.charge_try(charge.to_expense()) {
            CeilingStatus::Holds => (self.retried)(why, wait_ms, charge),
            CeilingStatus::Broken => self.cancel.cancel(),
        }
    }
}
