//! Clock and id generator, the only inputs that differ between two equal runs.

use jiff::Timestamp;
use std::time::SystemTime;
use ulid::Ulid;

/// Gives times and ids.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock;

impl Clock {
    /// Returns the time as RFC 3339 in UTC, to the millisecond: as text, times sort as they passed.
    pub fn now(&self) -> String {
        format_time(to_timestamp(SystemTime::now()))
    }

    /// Returns a fresh id: globally unique, and sorted by time of creation.
    pub fn fresh_id(&self) -> String {
        Ulid::new().to_string().to_lowercase()
    }
}

/// Reads a time in RFC 3339 as milliseconds since 1970; `None` where it is none.
pub fn parse_milliseconds(time: &str) -> Option<i64> {
    let time: Timestamp = time.parse().ok()?;
    Some(time.as_millisecond())
}

/// Characters of a time to the minute.
const MINUTE_CHARS: usize = 16;

/// Returns a time in RFC 3339 to the minute, as people read it.
pub fn to_the_minute(time: &str) -> String {
    time.get(..MINUTE_CHARS).unwrap_or(time).replace('T', " ")
}

/// Returns the time of a clock; one that no calendar of four digits holds is the nearest that it does.
fn to_timestamp(time: SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(match time < SystemTime::UNIX_EPOCH {
        true => Timestamp::UNIX_EPOCH,
        false => Timestamp::MAX,
    })
}

/// Writes a time with all three digits of its milliseconds, be they zeros: `.12Z` would sort before
/// `.1Z`.
fn format_time(time: Timestamp) -> String {
    format!("{time:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_sort_as_text() {
        let milliseconds = [0, 1, 9, 10, 99, 100, 101, 110, 120, 999, 1000];
        let texts: Vec<String> = milliseconds
            .iter()
            .filter_map(|at| Timestamp::from_millisecond(1_700_000_000_000 + at).ok())
            .map(format_time)
            .collect();
        assert_eq!(texts.len(), milliseconds.len());
        assert!(texts.is_sorted(), "{texts:?}");
        assert_eq!(texts[5], "2023-11-14T22:13:20.100Z");
        assert_eq!(texts[0], "2023-11-14T22:13:20.000Z");
    }

    #[test]
    fn a_clock_that_is_off_by_centuries_has_a_time() {
        let year = Duration::from_secs(31_556_952);
        let of = |time: Option<SystemTime>| time.map(|time| format_time(to_timestamp(time)));
        let before = SystemTime::UNIX_EPOCH.checked_sub(10 * year);
        assert_eq!(of(before).as_deref(), Some("1960-01-01T13:48:00.000Z"));
        let after = SystemTime::UNIX_EPOCH.checked_add(10_000 * year);
        assert_eq!(of(after).as_deref(), Some("9999-12-30T22:00:00.999Z"));
        let long_before = SystemTime::UNIX_EPOCH.checked_sub(50_000 * year);
        assert_eq!(of(long_before).as_deref(), Some("1970-01-01T00:00:00.000Z"));
    }

    #[test]
    fn what_passed_within_a_millisecond_is_left_out() {
        let time = Timestamp::from_nanosecond(1_700_000_000_123_999_999);
        assert_eq!(
            time.map(format_time).ok().as_deref(),
            Some("2023-11-14T22:13:20.123Z")
        );
    }
}
