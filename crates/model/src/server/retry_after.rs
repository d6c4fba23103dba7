//! Retry-After: the wait that a server asks for.

use jiff::Timestamp;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use std::time::SystemTime;

/// Returns the wait in milliseconds from `retry-after-ms` or `retry-after`, the latter in seconds
/// or as a date.
///
/// A date is taken relative to the server's own `date`, so that clocks need not agree.
pub(super) fn parse_retry_after(headers: &HeaderMap) -> Option<u64> {
    if let Some(wait) = parse_number_header(headers, "retry-after-ms") {
        return Some(wait.round() as u64);
    }
    if let Some(wait) = parse_number_header(headers, RETRY_AFTER.as_str()) {
        // A cast of a float saturates.
        return Some((wait * 1000.0).ceil() as u64);
    }
    let until = parse_date(headers.get(RETRY_AFTER)?.to_str().ok()?)?;
    let now = headers
        .get(DATE)
        .and_then(|value| parse_date(value.to_str().ok()?))
        .or_else(|| Timestamp::try_from(SystemTime::now()).ok())?;
    let wait = until.as_millisecond().saturating_sub(now.as_millisecond());
    Some(u64::try_from(wait).unwrap_or(0))
}

fn parse_number_header(headers: &HeaderMap, name: &str) -> Option<f64> {
    let text = headers.get(name)?.to_str().ok()?;
    let number: f64 = text.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

fn parse_date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(text.trim())
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                let name = reqwest::header::HeaderName::from_static(name);
                (name, reqwest::header::HeaderValue::from_static(value))
            })
            .collect()
    }

    #[test]
    fn seconds_milliseconds_and_dates_are_understood() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        let later = "Sun, 06 Nov 1994 08:49:41 GMT";
        assert_eq!(
            parse_retry_after(&headers(&[("retry-after", "2")])),
            Some(2000)
        );
        assert_eq!(
            parse_retry_after(&headers(&[("retry-after", "0.25")])),
            Some(250)
        );
        assert_eq!(
            parse_retry_after(&headers(&[("retry-after-ms", "70")])),
            Some(70)
        );
        let dated = [("retry-after", later), ("date", date)];
        assert_eq!(parse_retry_after(&headers(&dated)), Some(4000));
        let past = [("retry-after", date), ("date", later)];
        assert_eq!(parse_retry_after(&headers(&past)), Some(0));
    }

    #[test]
    fn nonsense_is_no_wait() {
        for text in ["", "soon", "-3", "inf", "NaN"] {
            assert_eq!(
                parse_retry_after(&headers(&[("retry-after", text)])),
                None,
                "{text}"
            );
        }
        assert_eq!(parse_retry_after(&headers(&[])), None);
    }
}
