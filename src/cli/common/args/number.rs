//! Parsers of numbers on the command line.

use anyhow::Context;
use std::str::FromStr;

/// Parses a whole number of at least 1.
pub(crate) fn parse_at_least_one<T: FromStr + PartialOrd + From<u8>>(
    text: &str,
) -> anyhow::Result<T> {
    text.parse()
        .ok()
        .filter(|count| *count >= T::from(1))
        .context("a whole number of at least 1 is needed")
}
