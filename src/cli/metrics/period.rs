//! Time in which debates began (`--since`, `--until`).

use anyhow::Context;
use clap::Args;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Debates that began within a time.
#[derive(Debug, Clone, Default, Args)]
pub struct PeriodArgs {
    /// Only debates that began then or later: a day (2026-01-31, in UTC) or a time (2026-01-31T12:00:00Z)
    #[arg(long, value_name = "WHEN", value_parser = parse_first_moment)]
    pub since: Option<Timestamp>,
    /// Only debates that began before the end of a day, or before a time
    #[arg(long, value_name = "WHEN", value_parser = parse_end_moment)]
    pub until: Option<Timestamp>,
}

impl PeriodArgs {
    /// Returns whether a debate began within the time, by its time in RFC 3339; one whose time is not known
    /// did where no time was asked for.
    pub(super) fn covers(&self, began_at: Option<&str>) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let start = began_at.and_then(|at| at.parse::<Timestamp>().ok());
        start.is_some_and(|began| {
            self.since.is_none_or(|since| since <= began)
                && self.until.is_none_or(|until| began < until)
        })
    }
}

fn parse_first_moment(text: &str) -> anyhow::Result<Timestamp> {
    parse_moment(text, Some)
}

fn parse_end_moment(text: &str) -> anyhow::Result<Timestamp> {
    parse_moment(text, |day| day.tomorrow().ok())
}

/// Reads a time, or a day as the beginning of the day that `of_day` makes of it.
fn parse_moment(text: &str, of_day: impl Fn(Date) -> Option<Date>) -> anyhow::Result<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(time);
    }
    let day = text.parse::<Date>().ok().and_then(of_day);
    let begins = day.and_then(|day| day.to_zoned(TimeZone::UTC).ok());
    begins
        .map(|begins| begins.timestamp())
        .context("give a day, as in 2026-01-31, or a time, as in 2026-01-31T12:00:00Z")
}
