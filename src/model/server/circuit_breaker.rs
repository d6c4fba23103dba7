//! Whether a server can be reached.
//!
//! One that refuses connections is set aside, so that calls which others can answer do not wait for
//! it. When its time is over a single call looks whether it is back; if it is not, the time doubles,
//! up to [`LONGEST_ASIDE`].

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long a server is set aside that refuses connections for the first time.
pub const FIRST_ASIDE: Duration = Duration::from_secs(1);
/// The longest time that a server is set aside.
pub const LONGEST_ASIDE: Duration = Duration::from_secs(60);

/// What is known of a server, shared by all its models.
#[derive(Debug, Default)]
pub struct Reach(Mutex<Option<Aside>>);

#[derive(Debug, Clone, Copy)]
struct Aside {
    until: Instant,
    length: Duration,
    /// Whether a call is under way to see whether it is back.
    is_looked_for: bool,
}

impl Reach {
    /// Whether calls may go there.
    pub fn is_open(&self, now: Instant) -> bool {
        self.state().is_none_or(|aside| now >= aside.until)
    }

    /// Lets a call go there, if calls may. Of those that wait for a server to come back it is one.
    pub fn enter(&self, now: Instant) -> bool {
        let mut state = self.state();
        let Some(aside) = state.as_mut() else {
            return true;
        };
        if now < aside.until {
            return false;
        }
        aside.until = now + aside.length;
        aside.is_looked_for = true;
        true
    }

    /// Notes that it refused a connection.
    pub fn refused(&self, now: Instant) {
        let mut state = self.state();
        let length = match *state {
            None => FIRST_ASIDE,
            Some(aside) if aside.is_looked_for || now >= aside.until => {
                (aside.length * 2).min(LONGEST_ASIDE)
            }
            // A call that was on its way when it was set aside says nothing new.
            Some(_) => return,
        };
        *state = Some(Aside {
            until: now + length,
            length,
            is_looked_for: false,
        });
    }

    /// Notes that it is there.
    pub fn answered(&self) {
        *self.state() = None;
    }

    fn state(&self) -> MutexGuard<'_, Option<Aside>> {
        // Plain values, replaced together: whoever panicked left nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_set_aside_longer_each_time_and_looked_for_by_one_call() {
        let reach = Reach::default();
        let mut now = Instant::now();
        let mut length = FIRST_ASIDE;
        for _ in 0..10 {
            reach.refused(now);
            // Calls that were on their way are refused as well.
            reach.refused(now);
            assert!(!reach.is_open(now) && !reach.enter(now));
            now += length;
            assert!(reach.is_open(now) && reach.enter(now));
            assert!(!reach.is_open(now) && !reach.enter(now));
            length = (length * 2).min(LONGEST_ASIDE);
        }
        reach.answered();
        assert!(reach.enter(now) && reach.enter(now));
        reach.refused(now);
        assert!(reach.is_open(now + FIRST_ASIDE));
    }
}
