//! Parsers of numbers on the command line.

use std::str::FromStr;

/// Parses a whole number of at least 1.
pub(crate) fn parse_at_least_one<T: FromStr + PartialOrd + From<u8>>(
    text: &str,
) -> Result<T, String> {
    text.parse()
        .ok()
        .filter(|count| *count >= T::from(1))
        .ok_or_else(|| "a whole number of at least 1 is needed".to_owned())
}
