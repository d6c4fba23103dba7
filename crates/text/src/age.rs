//! How long ago something was. The time that counts as now is passed in.

use jiff::Timestamp;

/// Returns how long ago a time was, in its largest unit: at most four cells, `42s`, `999d`, `2y`.
pub fn format_age(at: &str, now: &str) -> String {
    let (Ok(at), Ok(now)) = (at.parse::<Timestamp>(), now.parse::<Timestamp>()) else {
        return "?".to_owned();
    };
    let seconds = (now.as_second() - at.as_second()).max(0);
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const MANY_DAYS: i64 = 1000 * DAY;
    match seconds {
        0..MINUTE => format!("{seconds}s"),
        MINUTE..HOUR => format!("{}m", seconds / MINUTE),
        HOUR..DAY => format!("{}h", seconds / HOUR),
        DAY..MANY_DAYS => format!("{}d", seconds / DAY),
        _ => format!("{}y", seconds / (365 * DAY)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_said_in_its_largest_unit() {
        let since = |at| format_age(at, "2025-01-10T12:00:00Z");
        assert_eq!(since("2025-01-10T11:59:18.5Z"), "42s");
        assert_eq!(since("2025-01-10T11:00:01Z"), "59m");
        assert_eq!(since("2025-01-09T12:00:01Z"), "23h");
        assert_eq!(since("2024-12-31T12:00:00Z"), "10d");
        assert_eq!(since("2022-04-17T12:00:00Z"), "999d");
        assert_eq!(since("2022-04-16T12:00:00Z"), "2y");
        assert_eq!(since("2025-01-11T12:00:00Z"), "0s");
        assert_eq!(since("yesterday"), "?");
    }
}
