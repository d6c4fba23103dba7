//! Budget of a run: reserves the worst case of every call before the call is sent.

use elenchus_game::debate::Expense;
use elenchus_game::debate::event::CeilingKind;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_memory::RetrieveError;
use elenchus_memory::embed::FailureReach;
use elenchus_model::{CallError, CallErrorKind};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Topics in a row that may be forbidden (status 403) before a provider counts as refusing everything: one
/// of them may be refused for what it says.
const MAX_FORBIDDEN_TOPICS: usize = 3;

/// Money, calls and tokens that a run may use, shared by its debates.
#[derive(Debug, Default)]
pub struct Budget {
    account: Mutex<BudgetAccount>,
    settled: Notify,
    after_refusal: AfterRefusal,
    /// Message of the first provider that refused a call permanently, or why memory cannot be searched.
    refusal: OnceLock<String>,
    /// Topics whose calls were forbidden since the last reply.
    forbidden: Mutex<BTreeSet<String>>,
    /// Cancelled when no more calls may be sent.
    pause: CancellationToken,
}

#[derive(Debug, Default, Clone, Copy)]
struct BudgetAccount {
    ceilings: Ceilings,
    spent: Expense,
    reserved: Expense,
    exhausted: bool,
    /// The first ceiling that refused a call.
    met: Option<MetCeiling>,
}

/// Treatment of calls after a provider refused one permanently: its key is refused, its account is empty,
/// or its server is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum AfterRefusal {
    /// Each is tried: a person watches and can decide.
    #[default]
    GoOn,
    /// None is sent: every one of them would be refused as well.
    Stop,
}

/// A call's worst case, set aside until the call is settled.
#[derive(Debug)]
#[must_use = "a reservation is held until it is settled"]
pub struct Reservation<'a> {
    budget: &'a Budget,
    worst_case: Expense,
    call: CallStage,
}

/// Stage of a call with a reservation: only a sent call can cost anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallStage {
    NotYet,
    InFlight,
}

/// Status of the ceilings under the worst case of the calls in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CeilingStatus {
    Holds,
    Broken,
}

/// No more calls are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the budget allows no more calls")]
pub struct Exhausted;

/// A ceiling that another call might have passed, in US dollars, calls or tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetCeiling {
    pub kind: CeilingKind,
    pub ceiling: f64,
    pub spent: f64,
    /// What the next call might have used.
    pub next: f64,
}

impl fmt::Display for MetCeiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            ceiling,
            spent,
            next,
        } = self;
        match kind {
            CeilingKind::CostUsd => write!(
                f,
                "${spent:.4} of ${ceiling:.4} are spent or in doubt, and the next call may cost \
                 ${next:.4}"
            ),
            CeilingKind::Calls => write!(f, "{spent} of {ceiling} calls were made"),
            CeilingKind::Tokens => write!(
                f,
                "{spent} of {ceiling} tokens are used or in doubt, and the next call may use {next}"
            ),
        }
    }
}

/// The ceiling stays as it was.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum NotRaised {
    #[error("the ceiling is ${before_usd:.4} already; give an amount above it")]
    Lower { before_usd: f64 },
    #[error("there is no ceiling; play on")]
    None,
}

impl BudgetAccount {
    /// Returns the ceilings that would be passed by `next` in addition to `before`.
    fn find_passed_ceilings(
        &self,
        before: Expense,
        next: Expense,
    ) -> impl Iterator<Item = MetCeiling> + use<> {
        let Ceilings {
            cost_usd,
            calls,
            tokens,
        } = self.ceilings;
        let count = |count: u64| count as f64;
        let (calls, tokens) = (calls.map(count), tokens.map(count));
        let all = [
            (CeilingKind::CostUsd, cost_usd, before.usd, next.usd),
            (
                CeilingKind::Calls,
                calls,
                count(before.calls),
                count(next.calls),
            ),
            (
                CeilingKind::Tokens,
                tokens,
                count(before.tokens),
                count(next.tokens),
            ),
        ];
        all.into_iter().filter_map(|(kind, ceiling, spent, next)| {
            let ceiling = ceiling.filter(|ceiling| spent + next > *ceiling)?;
            Some(MetCeiling {
                kind,
                ceiling,
                spent,
                next,
            })
        })
    }

    fn exhaust(&mut self, met: MetCeiling) {
        self.exhausted = true;
        self.met.get_or_insert(met);
    }
}

impl Budget {
    /// Opens a budget of money alone; `spent_usd` is what earlier parts of a resumed run cost at
    /// most.
    pub fn new(ceiling_usd: Option<f64>, spent_usd: f64) -> Self {
        let ceilings = Ceilings::from_usd(ceiling_usd);
        Self::with_ceilings(ceilings, Expense::from_usd(spent_usd))
    }

    /// Opens a budget under ceilings; `spent` is what earlier parts of a resumed run used at most.
    pub fn with_ceilings(ceilings: Ceilings, spent: Expense) -> Self {
        Self {
            account: Mutex::new(BudgetAccount {
                ceilings,
                spent,
                ..BudgetAccount::default()
            }),
            settled: Notify::new(),
            after_refusal: AfterRefusal::GoOn,
            refusal: OnceLock::new(),
            forbidden: Mutex::default(),
            pause: CancellationToken::new(),
        }
    }

    /// Opens a budget for many debates that run unattended: it is closed by the first
    /// call that a provider turns away for good.
    pub fn new_unattended(ceilings: Ceilings, spent: Expense) -> Self {
        Self {
            after_refusal: AfterRefusal::Stop,
            ..Self::with_ceilings(ceilings, spent)
        }
    }

    /// Lends nothing any more once `pause` is cancelled; calls that were sent are settled as usual.
    pub fn with_pause(self, pause: CancellationToken) -> Self {
        Self { pause, ..self }
    }

    /// Takes note that a provider turned a call about a topic away; where that will not change by
    /// itself, no more are sent.
    pub fn note_refusal(&self, topic: &str, error: &CallError) {
        let for_good = match error.kind {
            CallErrorKind::Quota | CallErrorKind::Auth | CallErrorKind::Unreachable => true,
            CallErrorKind::Status(403) => {
                let mut forbidden = self.lock_forbidden_topics();
                forbidden.insert(topic.to_owned());
                forbidden.len() >= MAX_FORBIDDEN_TOPICS
            }
            _ => false,
        };
        if for_good {
            self.close(&error.to_string());
        }
    }

    /// Takes note that memory cannot be searched: no debate that reads it can be played on.
    pub fn note_lost_search(&self, error: &RetrieveError) {
        if error.reach == FailureReach::EveryText {
            self.close(&error.to_string());
        }
    }

    /// Lends nothing any more, where nobody attends to what is refused.
    fn close(&self, why: &str) {
        if self.after_refusal == AfterRefusal::Stop {
            let _ = self.refusal.set(why.to_owned());
            self.lock_account().exhausted = true;
            self.settled.notify_waiters();
        }
    }

    /// Takes note that a provider answered a call.
    pub fn note_answer(&self) {
        self.lock_forbidden_topics().clear();
    }

    fn lock_forbidden_topics(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.forbidden
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what the provider said that turned a call away for good.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.get().map(String::as_str)
    }

    /// Returns what is spent, in US dollars.
    pub fn spent_usd(&self) -> f64 {
        self.lock_account().spent.usd
    }

    /// Says whether the run was paused: no more calls are sent.
    pub fn is_paused(&self) -> bool {
        self.pause.is_cancelled()
    }

    /// Says whether a call was refused: the run pauses.
    pub fn is_exhausted(&self) -> bool {
        self.pause.is_cancelled() || self.lock_account().exhausted
    }

    /// Returns the ceiling that refused the first call, with what is spent by now.
    pub fn met_ceiling(&self) -> Option<MetCeiling> {
        let account = self.lock_account();
        let ceiling = account.met?;
        let amount = match ceiling.kind {
            CeilingKind::CostUsd => account.spent.usd,
            CeilingKind::Calls => account.spent.calls as f64,
            CeilingKind::Tokens => account.spent.tokens as f64,
        };
        Some(MetCeiling {
            spent: amount,
            ..ceiling
        })
    }

    /// Raises the ceiling on cost: calls that it refused may be made.
    ///
    /// # Errors
    /// When it would not be higher than before.
    pub fn raise_ceiling(&self, ceiling_usd: f64) -> Result<(), NotRaised> {
        let mut account = self.lock_account();
        match account.ceilings.cost_usd {
            Some(before_usd) if ceiling_usd > before_usd => {
                account.ceilings.cost_usd = Some(ceiling_usd);
                account.exhausted = false;
                account.met = None;
                Ok(())
            }
            Some(before_usd) => Err(NotRaised::Lower { before_usd }),
            None => Err(NotRaised::None),
        }
    }

    /// Counts what a failed try may have used before its call is made again, and says whether the
    /// ceilings have room for that. Where they have none nothing is counted: the call ends, and is
    /// settled as the try that it was.
    pub fn charge_try(&self, failed: Expense) -> CeilingStatus {
        let mut account = self.lock_account();
        let before = account.spent.plus(account.reserved);
        let mut ceilings = account.find_passed_ceilings(before, failed);
        // A try that used nothing of it passes no ceiling.
        if let Some(ceiling) = ceilings.find(|met| met.next > 0.0) {
            account.exhaust(ceiling);
            drop(account);
            self.settled.notify_waiters();
            return CeilingStatus::Broken;
        }
        account.spent = account.spent.plus(failed);
        CeilingStatus::Holds
    }

    /// Sets the worst case of a call aside, waiting for other calls to settle if that may help.
    ///
    /// # Errors
    /// When a ceiling is reached even if every call in flight turned out to be free.
    pub async fn reserve(&self, worst_case: Expense) -> Result<Reservation<'_>, Exhausted> {
        loop {
            let settlement = self.settled.notified();
            tokio::pin!(settlement);
            // Listening begins before looking, so that a call settling in between is not missed.
            settlement.as_mut().enable();
            if let Some(answer) = self.try_reserve(worst_case) {
                return answer.map(|()| Reservation {
                    budget: self,
                    worst_case,
                    call: CallStage::NotYet,
                });
            }
            tokio::select! {
                () = settlement => {}
                () = self.pause.cancelled() => {}
            }
        }
    }

    /// Sets more aside for a call in flight, without waiting.
    ///
    /// # Errors
    /// When it could pass a ceiling; no more calls are allowed then.
    pub fn reserve_more(&self, more: Expense) -> Result<Reservation<'_>, Exhausted> {
        let mut account = self.lock_account();
        let total = account.spent.plus(account.reserved);
        let ceiling = account
            .find_passed_ceilings(total, more)
            .find(|met| met.next > 0.0);
        if let Some(met) = ceiling {
            account.exhaust(met);
            drop(account);
            self.settled.notify_waiters();
            return Err(Exhausted);
        }
        account.reserved = account.reserved.plus(more);
        Ok(Reservation {
            budget: self,
            worst_case: more,
            call: CallStage::NotYet,
        })
    }

    /// Returns `None` when the answer depends on calls in flight.
    fn try_reserve(&self, next: Expense) -> Option<Result<(), Exhausted>> {
        let mut account = self.lock_account();
        account.exhausted |= self.pause.is_cancelled();
        let ceiling = account.find_passed_ceilings(account.spent, next).next();
        if let Some(met) = ceiling {
            account.exhaust(met);
        }
        if account.exhausted {
            drop(account);
            self.settled.notify_waiters();
            return Some(Err(Exhausted));
        }
        let total = account.spent.plus(account.reserved);
        if account.find_passed_ceilings(total, next).next().is_some() {
            return None;
        }
        account.reserved = account.reserved.plus(next);
        Some(Ok(()))
    }

    fn lock_account(&self) -> MutexGuard<'_, BudgetAccount> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation<'_> {
    /// Says that the call is sent: from here on it counts at its worst until it is settled.
    pub fn mark_sent(&mut self) {
        self.call = CallStage::InFlight;
    }

    /// Replaces the worst case by what the call did use, or may have used.
    pub fn settle(mut self, expense: Expense) {
        self.call = CallStage::NotYet;
        {
            let mut account = self.budget.lock_account();
            account.spent = account.spent.plus(expense);
        }
        // Dropping gives the reserved part back and wakes those who wait.
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut account = self.budget.lock_account();
        account.reserved = account.reserved.minus(self.worst_case);
        match self.call {
            CallStage::NotYet => {}
            // Its debate was interrupted, so its cost stays unknown.
            CallStage::InFlight => account.spent = account.spent.plus(self.worst_case),
        }
        drop(account);
        self.budget.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(usd: f64) -> Expense {
        Expense::from_usd(usd)
    }

    #[tokio::test]
    async fn a_call_that_fits_only_if_another_is_cheap_waits_for_it() {
        let budget = Budget::new(Some(1.0), 0.0);
        let first = budget.reserve(usd(0.8)).await.unwrap();
        let second = budget.reserve(usd(0.5));
        tokio::pin!(second);
        assert!(futures_util::poll!(second.as_mut()).is_pending());
        first.settle(usd(0.1));
        second.await.unwrap().settle(usd(0.5));
        assert!((budget.spent_usd() - 0.6).abs() < 1e-9);
    }

    #[tokio::test]
    async fn the_worst_case_never_passes_the_ceiling() {
        let budget = Budget::new(Some(1.0), 0.7);
        assert!(budget.reserve(usd(0.4)).await.is_err());
        assert!(budget.is_exhausted());
    }

    #[tokio::test]
    async fn a_try_that_may_have_been_charged_ends_the_budget_when_another_would_pass_it() {
        let budget = Budget::new(Some(1.0), 0.0);
        let call = budget.reserve(usd(0.4)).await.unwrap();
        assert_eq!(budget.charge_try(usd(0.4)), CeilingStatus::Holds);
        assert_eq!(budget.charge_try(usd(0.4)), CeilingStatus::Broken);
        assert!(budget.is_exhausted());
        drop(call);
    }

    #[tokio::test]
    async fn a_call_that_nobody_waits_for_any_more_counts_at_its_worst_once_it_is_sent() {
        let budget = Budget::new(Some(1.0), 0.0);
        drop(budget.reserve(usd(0.4)).await.unwrap());
        assert!(budget.spent_usd().abs() < 1e-9);
        let mut sent = budget.reserve(usd(0.4)).await.unwrap();
        sent.mark_sent();
        drop(sent);
        assert!((budget.spent_usd() - 0.4).abs() < 1e-9);
        let mut settled = budget.reserve(usd(0.4)).await.unwrap();
        settled.mark_sent();
        settled.settle(usd(0.1));
        assert!((budget.spent_usd() - 0.5).abs() < 1e-9);
    }

    #[tokio::test]
    async fn a_raised_ceiling_lets_through_what_it_refused() {
        let budget = Budget::new(Some(1.0), 0.9);
        assert!(budget.reserve(usd(0.4)).await.is_err());
        assert_eq!(
            budget.raise_ceiling(0.5),
            Err(NotRaised::Lower { before_usd: 1.0 })
        );
        assert!(budget.is_exhausted());
        budget.raise_ceiling(1.5).unwrap();
        budget.reserve(usd(0.4)).await.unwrap().settle(usd(0.4));
        assert!((budget.spent_usd() - 1.3).abs() < 1e-9);
        assert_eq!(
            Budget::new(None, 0.0).raise_ceiling(1.0),
            Err(NotRaised::None)
        );
    }

    #[tokio::test]
    async fn a_waiting_call_is_refused_when_the_other_was_dear() {
        let budget = Budget::new(Some(1.0), 0.0);
        let first = budget.reserve(usd(0.8)).await.unwrap();
        let second = budget.reserve(usd(0.5));
        tokio::pin!(second);
        assert!(futures_util::poll!(second.as_mut()).is_pending());
        first.settle(usd(0.8));
        assert!(second.await.is_err());
    }

    #[tokio::test]
    async fn each_of_three_ceilings_holds_beside_the_others() {
        let ceilings = Ceilings {
            cost_usd: Some(1.0),
            calls: Some(3),
            tokens: Some(100),
        };
        let one = |tokens| Expense {
            usd: 0.1,
            calls: 1,
            tokens,
        };
        let budget = Budget::with_ceilings(ceilings, one(10));
        budget.reserve(one(90)).await.unwrap().settle(one(20));
        let last = budget.reserve(one(60)).await.unwrap();
        let fourth = budget.reserve(one(1));
        tokio::pin!(fourth);
        assert!(futures_util::poll!(fourth.as_mut()).is_pending());
        last.settle(one(60));
        assert!(fourth.await.is_err());
        let met = budget.met_ceiling().unwrap();
        assert_eq!((met.kind, met.spent), (CeilingKind::Calls, 3.0));

        let budget = Budget::with_ceilings(ceilings, one(10));
        assert!(budget.reserve(one(91)).await.is_err());
        assert_eq!(budget.met_ceiling().unwrap().kind, CeilingKind::Tokens);
    }

    #[tokio::test]
    async fn a_call_in_flight_gets_more_only_under_the_ceiling_and_gives_it_back() {
        let budget = Budget::new(Some(1.0), 0.0);
        let call = budget.reserve(usd(0.6)).await.unwrap();
        let more = budget.reserve_more(usd(0.3)).unwrap();
        assert!(budget.reserve_more(usd(0.2)).is_err());
        assert!(budget.is_exhausted());
        drop(more);
        call.settle(usd(0.7));
        assert!((budget.spent_usd() - 0.7).abs() < 1e-9);
    }

    #[tokio::test]
    async fn a_try_that_has_no_room_to_be_made_again_is_counted_once() {
        let ceilings = Ceilings {
            calls: Some(2),
            ..Ceilings::default()
        };
        let call = Expense {
            calls: 1,
            ..Expense::default()
        };
        let budget = Budget::with_ceilings(ceilings, Expense::default());
        let reserved = budget.reserve(call).await.unwrap();
        assert_eq!(budget.charge_try(call), CeilingStatus::Holds);
        assert_eq!(budget.charge_try(call), CeilingStatus::Broken);
        reserved.settle(call);
        assert_eq!(budget.met_ceiling().unwrap().spent, 2.0);
    }
}
