//! Circuit breaker of a server: a server that refuses connections gets no calls for a while, so
//! that calls which other servers can answer do not wait for it.
//!
//! When the pause is over a single call probes the server; if it fails again, the pause doubles, up
//! to [`LONGEST_PAUSE`].

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The first pause after a refused connection.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Circuit breaker of one server, shared by all its models.
#[derive(Debug, Default)]
pub struct CircuitBreaker(Mutex<Option<OpenState>>);

#[derive(Debug, Clone, Copy)]
struct OpenState {
    until: Instant,
    length: Duration,
    /// Whether a probing call is under way.
    is_probing: bool,
}

impl CircuitBreaker {
    /// Returns whether calls may be sent.
    pub(super) fn allows_calls(&self, now: Instant) -> bool {
        self.lock_state()
            .is_none_or(|open_state| now >= open_state.until)
    }

    /// Admits a call, if calls may be sent. While the server is being probed, only one call is
    /// admitted for each pause.
    pub(super) fn try_enter(&self, now: Instant) -> bool {
        let mut state = self.lock_state();
        let Some(open_state) = state.as_mut() else {
            return true;
        };
        if now < open_state.until {
            return false;
        }
        open_state.until = now + open_state.length;
        open_state.is_probing = true;
        true
    }

    /// Records a refused connection.
    pub(super) fn record_refusal(&self, now: Instant) {
        let mut state = self.lock_state();
        let length = match *state {
            None => FIRST_PAUSE,
            Some(open_state) if open_state.is_probing || now >= open_state.until => {
                (open_state.length * 2).min(LONGEST_PAUSE)
            }
            // The call was sent before the pause began, so its failure is no news.
            Some(_) => return,
        };
        *state = Some(OpenState {
            until: now + length,
            length,
            is_probing: false,
        });
    }

    /// Records that the server answered.
    pub(super) fn record_answer(&self) {
        *self.lock_state() = None;
    }

    fn lock_state(&self) -> MutexGuard<'_, Option<OpenState>> {
        // Plain values, replaced together: a panic leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_set_aside_longer_each_time_and_looked_for_by_one_call() {
        let reach = CircuitBreaker::default();
        let mut now = Instant::now();
        let mut length = FIRST_PAUSE;
        for _ in 0..10 {
            reach.record_refusal(now);
            // Calls that were on their way are refused as well.
            reach.record_refusal(now);
            assert!(!reach.allows_calls(now) && !reach.try_enter(now));
            now += length;
            assert!(reach.allows_calls(now) && reach.try_enter(now));
            assert!(!reach.allows_calls(now) && !reach.try_enter(now));
            length = (length * 2).min(LONGEST_PAUSE);
        }
        reach.record_answer();
        assert!(reach.try_enter(now) && reach.try_enter(now));
        reach.record_refusal(now);
        assert!(reach.allows_calls(now + FIRST_PAUSE));
    }
}
