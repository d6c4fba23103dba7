//! Clock and id generator, the only inputs that differ between two equal runs.

use jiff::Timestamp;
use ulid::Ulid;

/// Gives times and ids.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock;

impl Clock {
    /// Returns the time as RFC 3339 in UTC, to the millisecond: as text, times sort as they passed.
    pub fn now(&self) -> String {
        written(Timestamp::now())
    }

    /// Returns a fresh id: globally unique, and sorted by time of creation.
    pub fn fresh_id(&self) -> String {
        Ulid::new().to_string().to_lowercase()
    }
}

/// Reads a time in RFC 3339 as milliseconds since 1970; `None` where it is none.
pub fn milliseconds(time: &str) -> Option<i64> {
    let time: Timestamp = time.parse().ok()?;
    Some(time.as_millisecond())
}

/// Writes a time with all three digits of its milliseconds, be they zeros: `.12Z` would sort before
/// `.1Z`.
fn written(time: Timestamp) -> String {
    format!("{time:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_sort_as_text() {
        let milliseconds = [0, 1, 9, 10, 99, 100, 101, 110, 120, 999, 1000];
        let texts: Vec<String> = milliseconds
            .iter()
            .filter_map(|at| Timestamp::from_millisecond(1_700_000_000_000 + at).ok())
            .map(written)
            .collect();
        assert_eq!(texts.len(), milliseconds.len());
        assert!(texts.is_sorted(), "{texts:?}");
        assert_eq!(texts[5], "2023-11-14T22:13:20.100Z");
        assert_eq!(texts[0], "2023-11-14T22:13:20.000Z");
    }

    #[test]
    fn what_passed_within_a_millisecond_is_left_out() {
        let time = Timestamp::from_nanosecond(1_700_000_000_123_999_999);
        assert_eq!(
            time.map(written).ok().as_deref(),
            Some("2023-11-14T22:13:20.123Z")
        );
    }
}
