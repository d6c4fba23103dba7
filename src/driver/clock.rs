//! Time and ids, the only inputs that differ between two equal runs.

use jiff::Timestamp;
use ulid::Ulid;

/// Gives times and ids.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock;

impl Clock {
    /// Returns the time as RFC 3339 in UTC, to the millisecond.
    pub fn now(&self) -> String {
        let now = Timestamp::now();
        let whole = now.as_millisecond();
        Timestamp::from_millisecond(whole)
            .unwrap_or(now)
            .to_string()
    }

    /// Returns a fresh id: globally unique, and sorted by time of creation.
    pub fn fresh_id(&self) -> String {
        Ulid::new().to_string().to_lowercase()
    }
}
