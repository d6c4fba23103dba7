//! The ceiling of a run: the worst case of every call is reserved before the call is sent.

use crate::model::{CallError, CallErrorKind};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Money that a run may spend, shared by its debates.
#[derive(Debug, Default)]
pub struct Budget {
    account: Mutex<Account>,
    settled: Notify,
    after_refusal: AfterRefusal,
    /// What the first provider said that turned a call away for good.
    refusal: OnceLock<String>,
    /// Somebody wants no more calls to be sent.
    pause: CancellationToken,
}

#[derive(Debug, Default, Clone, Copy)]
struct Account {
    ceiling_usd: Option<f64>,
    spent_usd: f64,
    reserved_usd: f64,
    exhausted: bool,
}

/// What happens to the calls after one that a provider turned away for good: its key is refused, its
/// account is empty, or its server is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum AfterRefusal {
    /// Each is tried: somebody looks on and can decide.
    #[default]
    GoOn,
    /// None is sent: every one of them would be turned away as well.
    Stop,
}

/// A call's worst case, set aside until the call is settled.
#[derive(Debug)]
#[must_use = "a reservation is held until it is settled"]
pub struct Reservation<'a> {
    budget: &'a Budget,
    usd: f64,
    call: Sent,
}

/// Whether the call that money was set aside for may cost anything yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    NotYet,
    InFlight,
}

/// Whether the ceiling holds whatever the calls in flight will cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Holds,
    Broken,
}

/// The ceiling does not allow another call.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the ceiling of ${ceiling_usd:.4} is reached: ${spent_usd:.4} are spent and the next call \
     may cost ${next_usd:.4}"
)]
pub struct Exhausted {
    pub ceiling_usd: f64,
    pub spent_usd: f64,
    pub next_usd: f64,
}

/// The ceiling stays as it was.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum NotRaised {
    #[error("the ceiling is ${before_usd:.4} already; give an amount above it")]
    Lower { before_usd: f64 },
    #[error("there is no ceiling; play on")]
    None,
}

impl Budget {
    /// Opens a budget; `spent_usd` is what earlier parts of a resumed run cost at most.
    pub fn new(ceiling_usd: Option<f64>, spent_usd: f64) -> Self {
        Self {
            account: Mutex::new(Account {
                ceiling_usd,
                spent_usd,
                ..Account::default()
            }),
            settled: Notify::new(),
            after_refusal: AfterRefusal::GoOn,
            refusal: OnceLock::new(),
            pause: CancellationToken::new(),
        }
    }

    /// Opens a budget for many debates that nobody looks at one by one: it is closed by the first
    /// call that a provider turns away for good.
    pub fn of_many(ceiling_usd: Option<f64>, spent_usd: f64) -> Self {
        Self {
            after_refusal: AfterRefusal::Stop,
            ..Self::new(ceiling_usd, spent_usd)
        }
    }

    /// Lends nothing any more once `pause` is cancelled; calls that were sent are settled as usual.
    pub fn closed_by(self, pause: CancellationToken) -> Self {
        Self { pause, ..self }
    }

    /// Takes note that a provider turned a call away; where that will not change by itself, no more
    /// are sent.
    pub fn turned_away(&self, error: &CallError) {
        let for_good = matches!(
            error.kind,
            CallErrorKind::Quota | CallErrorKind::Auth | CallErrorKind::Unreachable
        );
        if self.after_refusal == AfterRefusal::Stop && for_good {
            let _ = self.refusal.set(error.to_string());
            self.account().exhausted = true;
            self.settled.notify_waiters();
        }
    }

    /// Returns what the provider said that turned a call away for good.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.get().map(String::as_str)
    }

    /// Returns what is spent, in US dollars.
    pub fn spent_usd(&self) -> f64 {
        self.account().spent_usd
    }

    /// Says whether a call was refused: the run pauses.
    pub fn is_exhausted(&self) -> bool {
        self.pause.is_cancelled() || self.account().exhausted
    }

    /// Raises the ceiling: calls that it refused may be made.
    ///
    /// # Errors
    /// When it would not be higher than before.
    pub fn raise(&self, ceiling_usd: f64) -> Result<(), NotRaised> {
        let mut account = self.account();
        match account.ceiling_usd {
            Some(before_usd) if ceiling_usd > before_usd => {
                account.ceiling_usd = Some(ceiling_usd);
                account.exhausted = false;
                Ok(())
            }
            Some(before_usd) => Err(NotRaised::Lower { before_usd }),
            None => Err(NotRaised::None),
        }
    }

    /// Counts what a failed try may have cost, at once, and says whether the ceiling still holds
    /// for the calls that are set aside.
    pub fn charge(&self, usd: f64) -> Standing {
        let mut account = self.account();
        account.spent_usd += usd;
        let over = account
            .ceiling_usd
            .is_some_and(|ceiling| account.spent_usd + account.reserved_usd > ceiling);
        if over && usd > 0.0 {
            account.exhausted = true;
            return Standing::Broken;
        }
        Standing::Holds
    }

    /// Sets the worst case of a call aside, waiting for other calls to settle if that may help.
    ///
    /// # Errors
    /// When the ceiling is reached even if every call in flight turned out to be free.
    pub async fn reserve(&self, worst_case_usd: f64) -> Result<Reservation<'_>, Exhausted> {
        loop {
            let settled = self.settled.notified();
            tokio::pin!(settled);
            // Listening begins before looking, so that a call settling in between is not missed.
            settled.as_mut().enable();
            if let Some(answer) = self.try_reserve(worst_case_usd) {
                return answer.map(|()| Reservation {
                    budget: self,
                    usd: worst_case_usd,
                    call: Sent::NotYet,
                });
            }
            tokio::select! {
                () = settled => {}
                () = self.pause.cancelled() => {}
            }
        }
    }

    /// Returns `None` when the answer depends on calls in flight.
    fn try_reserve(&self, usd: f64) -> Option<Result<(), Exhausted>> {
        let mut account = self.account();
        account.exhausted |= self.pause.is_cancelled();
        let Some(ceiling) = account.ceiling_usd else {
            if account.exhausted {
                return Some(Err(Exhausted {
                    ceiling_usd: f64::INFINITY,
                    spent_usd: account.spent_usd,
                    next_usd: usd,
                }));
            }
            account.reserved_usd += usd;
            return Some(Ok(()));
        };
        let exhausted = Exhausted {
            ceiling_usd: ceiling,
            spent_usd: account.spent_usd,
            next_usd: usd,
        };
        if account.exhausted || account.spent_usd + usd > ceiling {
            account.exhausted = true;
            drop(account);
            self.settled.notify_waiters();
            return Some(Err(exhausted));
        }
        if account.spent_usd + account.reserved_usd + usd > ceiling {
            return None;
        }
        account.reserved_usd += usd;
        Some(Ok(()))
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation<'_> {
    /// Says that the call is sent: from here on it counts at its worst until it is settled.
    pub fn sent(&mut self) {
        self.call = Sent::InFlight;
    }

    /// Replaces the worst case by what the call did cost, or may have cost.
    pub fn settle(mut self, cost_usd: f64) {
        self.call = Sent::NotYet;
        self.budget.account().spent_usd += cost_usd;
        // Dropping gives the reserved part back and wakes those who wait.
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut account = self.budget.account();
        account.reserved_usd -= self.usd;
        match self.call {
            Sent::NotYet => {}
            // Its debate broke off and nobody will know what it cost.
            Sent::InFlight => account.spent_usd += self.usd,
        }
        drop(account);
        self.budget.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_that_fits_only_if_another_is_cheap_waits_for_it() {
        let budget = Budget::new(Some(1.0), 0.0);
        let first = budget.reserve(0.8).await.unwrap();
        let second = budget.reserve(0.5);
        tokio::pin!(second);
        assert!(futures_util::poll!(second.as_mut()).is_pending());
        first.settle(0.1);
        second.await.unwrap().settle(0.5);
        assert!((budget.spent_usd() - 0.6).abs() < 1e-9);
    }

    #[tokio::test]
    async fn the_worst_case_never_passes_the_ceiling() {
        let budget = Budget::new(Some(1.0), 0.7);
        assert!(budget.reserve(0.4).await.is_err());
        assert!(budget.is_exhausted());
    }

    #[tokio::test]
    async fn a_try_that_may_have_been_charged_ends_the_budget_when_another_would_pass_it() {
        let budget = Budget::new(Some(1.0), 0.0);
        let call = budget.reserve(0.4).await.unwrap();
        assert_eq!(budget.charge(0.4), Standing::Holds);
        assert_eq!(budget.charge(0.4), Standing::Broken);
        assert!(budget.is_exhausted());
        drop(call);
    }

    #[tokio::test]
    async fn a_call_that_nobody_waits_for_any_more_counts_at_its_worst_once_it_is_sent() {
        let budget = Budget::new(Some(1.0), 0.0);
        drop(budget.reserve(0.4).await.unwrap());
        assert!(budget.spent_usd().abs() < 1e-9);
        let mut sent = budget.reserve(0.4).await.unwrap();
        sent.sent();
        drop(sent);
        assert!((budget.spent_usd() - 0.4).abs() < 1e-9);
        let mut settled = budget.reserve(0.4).await.unwrap();
        settled.sent();
        settled.settle(0.1);
        assert!((budget.spent_usd() - 0.5).abs() < 1e-9);
    }

    #[tokio::test]
    async fn a_raised_ceiling_lets_through_what_it_refused() {
        let budget = Budget::new(Some(1.0), 0.9);
        assert!(budget.reserve(0.4).await.is_err());
        assert_eq!(budget.raise(0.5), Err(NotRaised::Lower { before_usd: 1.0 }));
        assert!(budget.is_exhausted());
        budget.raise(1.5).unwrap();
        budget.reserve(0.4).await.unwrap().settle(0.4);
        assert!((budget.spent_usd() - 1.3).abs() < 1e-9);
        assert_eq!(Budget::new(None, 0.0).raise(1.0), Err(NotRaised::None));
    }

    #[tokio::test]
    async fn a_waiting_call_is_refused_when_the_other_was_dear() {
        let budget = Budget::new(Some(1.0), 0.0);
        let first = budget.reserve(0.8).await.unwrap();
        let second = budget.reserve(0.5);
        tokio::pin!(second);
        assert!(futures_util::poll!(second.as_mut()).is_pending());
        first.settle(0.8);
        assert!(second.await.is_err());
    }
}
