//! Spend limit of a debate: what the debate's own ceiling allows while calls are in flight.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::budget::CeilingStatus;

/// The debate's ceiling on cost, as calls in flight see it.
///
/// Tries that fail and are made again cost money before the journal can say so: they are counted
/// here until their call is recorded.
#[derive(Debug, Default)]
pub(crate) struct SpendLimit {
    limit_usd: Option<f64>,
    state: Mutex<HeldCalls>,
}

#[derive(Debug, Default, Clone, Copy)]
struct HeldCalls {
    /// Spent, in doubt, and the worst case of every call in flight.
    committed_usd: f64,
    /// Possible cost of failed tries of calls in flight, in addition.
    charged_usd: f64,
}

impl SpendLimit {
    /// Opens a spend limit; `None` for no ceiling.
    pub(crate) fn new(limit_usd: Option<f64>) -> Self {
        Self {
            limit_usd,
            state: Mutex::default(),
        }
    }

    /// Sets the committed amount, calls in flight at their worst case.
    pub(crate) fn set_commitment(&self, committed_usd: f64) {
        self.lock_state().committed_usd = committed_usd;
    }

    /// Returns what failed tries of calls in flight may have cost.
    pub(crate) fn charged_usd(&self) -> f64 {
        self.lock_state().charged_usd
    }

    /// Counts what a failed try may have cost, where another try still fits.
    pub(crate) fn charge_try(&self, usd: f64) -> CeilingStatus {
        let mut state = self.lock_state();
        let total = state.committed_usd + state.charged_usd + usd;
        match self.limit_usd {
            Some(limit) if usd > 0.0 && total > limit => CeilingStatus::Broken,
            Some(_) | None => {
                state.charged_usd += usd;
                CeilingStatus::Holds
            }
        }
    }

    /// Forgets tries that the journal now counts.
    pub(crate) fn forget_charge(&self, usd: f64) {
        self.lock_state().charged_usd -= usd;
    }

    fn lock_state(&self) -> MutexGuard<'_, HeldCalls> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_try_must_fit_beside_the_calls_in_flight() {
        let purse = SpendLimit::new(Some(1.0));
        purse.set_commitment(0.5);
        assert_eq!(purse.charge_try(0.5), CeilingStatus::Holds);
        assert_eq!(purse.charge_try(0.1), CeilingStatus::Broken);
        purse.forget_charge(0.5);
        assert!(purse.charged_usd().abs() < 1e-12);
        assert_eq!(SpendLimit::new(None).charge_try(1e9), CeilingStatus::Holds);
    }
}
