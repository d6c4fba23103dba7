//! What a model says about its retries while a call goes on.

use super::budget::{Budget, Standing};
use super::call::Call;
use super::purse::Purse;
use crate::model::{CallError, Delta, Watch};
use std::sync::{Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// A try that failed and was made again.
pub(super) struct Retry {
    pub why: String,
    pub wait_ms: u64,
    pub may_have_cost_usd: Option<f64>,
}

/// Keeps what the model says about its retries until the call's outcome is recorded, and ends the
/// call when another try could pass the run's ceiling or the debate's own.
pub(super) struct Retries<'a> {
    call: &'a Call,
    budget: &'a Budget,
    purse: &'a Purse,
    cancel: &'a CancellationToken,
    seen: Mutex<Vec<Retry>>,
}

impl<'a> Retries<'a> {
    /// Watches a call that is paid from `budget` and `purse` and ended by `cancel`.
    pub(super) fn of(
        call: &'a Call,
        budget: &'a Budget,
        purse: &'a Purse,
        cancel: &'a CancellationToken,
    ) -> Self {
        Self {
            call,
            budget,
            purse,
            cancel,
            seen: Mutex::default(),
        }
    }

    /// Returns the retries, oldest first.
    pub(super) fn seen(self) -> Vec<Retry> {
        self.seen
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Retries<'_> {
    fn delta(&self, _delta: Delta<'_>) {}

    fn retrying(&self, _retry: u32, why: &CallError, wait_ms: u64) {
        let retry = Retry {
            why: why.to_string(),
            wait_ms,
            may_have_cost_usd: self.call.may_have_cost_usd(why),
        };
        let charged = retry.may_have_cost_usd.unwrap_or(0.0);
        for standing in [self.budget.charge(charged), self.purse.charge(charged)] {
            match standing {
                Standing::Holds => {}
                Standing::Broken => self.cancel.cancel(),
            }
        }
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(retry);
    }
}
