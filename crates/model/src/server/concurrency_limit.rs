//! Concurrency limit of a provider: the number of calls in flight, adapted to what its server
//! bears.
//!
//! A server that ends one reply as soon as the next request comes cannot serve several at once, and
//! nothing says so beforehand. Each reply that breaks off in this way halves the limit, down to
//! one; [`REPLIES_TO_RECOVER`] whole replies in a row raise it again by one, up to what is
//! configured, so that a rare break does not slow a long run down for good.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};

/// Number of whole replies in a row that raise the limit by one.
const REPLIES_TO_RECOVER: u32 = 64;

/// The limit of a provider, shared by all its models.
#[derive(Debug)]
pub struct ConcurrencyLimit {
    permits: Semaphore,
    state: Mutex<LimitState>,
}

#[derive(Debug)]
struct LimitState {
    configured: usize,
    limit: usize,
    /// Permits that are withdrawn as soon as the calls that hold them end.
    owed: usize,
    /// Whole replies since the limit changed.
    replies_since_change: u32,
    /// Whole replies in total.
    total_replies: u64,
    /// Permits acquired in total.
    total_calls: u64,
}

/// Load of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Calls in flight.
    pub busy: usize,
    /// The most calls in flight.
    pub limit: usize,
    /// Calls so far.
    pub total_calls: u64,
}

impl Load {
    /// Orders by the share of permits in use, then by calls so far.
    pub fn compare_load(&self, other: &Self) -> std::cmp::Ordering {
        let share = |one: &Self, other: &Self| one.busy.saturating_mul(other.limit);
        let by_share = share(self, other).cmp(&share(other, self));
        by_share.then(self.total_calls.cmp(&other.total_calls))
    }
}

/// A permit for one call in flight, released when it is dropped.
#[derive(Debug)]
#[must_use = "the place is free as soon as this is dropped"]
pub struct Permit<'a> {
    permit: Option<SemaphorePermit<'a>>,
    in_flight: &'a ConcurrencyLimit,
}

impl ConcurrencyLimit {
    /// Allows `limit` calls, at least one.
    pub fn new(limit: usize) -> Self {
        let limit = limit.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            permits: Semaphore::new(limit),
            state: Mutex::new(LimitState {
                configured: limit,
                limit,
                owed: 0,
                replies_since_change: 0,
                total_replies: 0,
                total_calls: 0,
            }),
        }
    }

    /// Waits for a permit, first come first served.
    pub async fn acquire(&self) -> Permit<'_> {
        // The semaphore is never closed: there is always a permit in the end.
        let permit = self.permits.acquire().await.ok();
        self.lock_state().total_calls += 1;
        Permit {
            permit,
            in_flight: self,
        }
    }

    /// Returns the present load.
    pub fn current_load(&self) -> Load {
        let state = self.lock_state();
        let permit_count = state.limit + state.owed;
        Load {
            busy: permit_count.saturating_sub(self.permits.available_permits()),
            limit: state.limit,
            total_calls: state.total_calls,
        }
    }

    /// Halves the limit, and returns the new one.
    pub fn halve(&self) -> usize {
        let mut state = self.lock_state();
        state.replies_since_change = 0;
        let new_limit = (state.limit / 2).max(1);
        let given_up = state.limit - new_limit;
        // Permits in use cannot be withdrawn now: they are owed.
        let withdrawn_count = self.permits.forget_permits(given_up);
        state.owed += given_up - withdrawn_count;
        state.limit = new_limit;
        new_limit
    }

    /// Counts the whole replies so far.
    pub fn reply_count(&self) -> u64 {
        self.lock_state().total_replies
    }

    /// Records a whole reply.
    pub fn record_reply(&self) {
        let mut state = self.lock_state();
        state.total_replies += 1;
        if state.limit >= state.configured {
            return;
        }
        state.replies_since_change += 1;
        if state.replies_since_change < REPLIES_TO_RECOVER {
            return;
        }
        state.replies_since_change = 0;
        state.limit += 1;
        if state.owed > 0 {
            state.owed -= 1;
        } else {
            self.permits.add_permits(1);
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, LimitState> {
        // Plain numbers, changed together: a panic leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.in_flight.lock_state();
        if state.owed > 0
            && let Some(permit) = self.permit.take()
        {
            state.owed -= 1;
            permit.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    /// Acquires permits until there is none left, and counts them.
    fn free(in_flight: &ConcurrencyLimit) -> usize {
        let mut held = Vec::new();
        while let Some(place) = in_flight.acquire().now_or_never() {
            held.push(place);
        }
        held.len()
    }

    #[test]
    fn each_break_halves_the_places_down_to_one() {
        let in_flight = ConcurrencyLimit::new(16);
        let limits: Vec<usize> = (0..6).map(|_| in_flight.halve()).collect();
        assert_eq!(limits, [8, 4, 2, 1, 1, 1]);
        assert_eq!(free(&in_flight), 1);
        assert_eq!(free(&ConcurrencyLimit::new(0)), 1);
    }

    #[test]
    fn places_that_are_held_while_the_limit_falls_are_given_up_when_they_are_free() {
        let in_flight = ConcurrencyLimit::new(4);
        let held: Vec<_> = (0..3)
            .filter_map(|_| in_flight.acquire().now_or_never())
            .collect();
        assert_eq!(held.len(), 3);
        in_flight.halve();
        in_flight.halve();
        assert_eq!(free(&in_flight), 0);
        let mut held = held;
        for expected in [0, 0, 1] {
            held.pop();
            assert_eq!(free(&in_flight), expected);
        }
    }

    #[test]
    fn whole_replies_in_a_row_bring_the_places_back_one_by_one_and_no_further() {
        let in_flight = ConcurrencyLimit::new(3);
        in_flight.halve();
        for expected in [2, 3, 3] {
            for _ in 0..REPLIES_TO_RECOVER {
                in_flight.record_reply();
            }
            assert_eq!(free(&in_flight), expected);
        }
        in_flight.halve();
        for _ in 1..REPLIES_TO_RECOVER {
            in_flight.record_reply();
        }
        in_flight.halve();
        in_flight.record_reply();
        assert_eq!(free(&in_flight), 1);
    }

    #[test]
    fn a_place_that_comes_back_while_some_are_owed_is_one_that_need_not_be_given_up() {
        let in_flight = ConcurrencyLimit::new(2);
        let held: Vec<_> = (0..2)
            .filter_map(|_| in_flight.acquire().now_or_never())
            .collect();
        in_flight.halve();
        for _ in 0..REPLIES_TO_RECOVER {
            in_flight.record_reply();
        }
        drop(held);
        assert_eq!(free(&in_flight), 2);
    }
}
