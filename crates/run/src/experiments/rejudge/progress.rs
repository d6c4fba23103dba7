//! Progress of a pass, counted from its updates. Pure.

use super::PassUpdate;
use crate::experiments::ExperimentEnd;
use elenchus_text::format_grouped_count;
use std::fmt;

/// Verdicts of a pass that goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassProgress {
    wanted: usize,
    found: usize,
    failed: usize,
}

impl PassProgress {
    /// Counts an update; returns the message for the person, if there is one.
    pub fn apply_update(&mut self, update: &PassUpdate) -> Option<String> {
        match update {
            PassUpdate::Opened {
                verdicts, found, ..
            } => {
                self.wanted += verdicts;
                self.found += found;
                None
            }
            PassUpdate::Judged(_) => {
                self.found += 1;
                None
            }
            PassUpdate::Failed { session, why, .. } => {
                self.failed += 1;
                Some(format!("a verdict on {session} is missing: {why}"))
            }
            PassUpdate::LeftOut { session, why } => {
                Some(format!("{session} was not judged again: {why}"))
            }
            PassUpdate::Ended(end) => Some(match end {
                Ok(ExperimentEnd::Completed) => "judged again".to_owned(),
                Ok(ExperimentEnd::WithFailures(missing)) => {
                    let are = if *missing == 1 { "is" } else { "are" };
                    let missing = format_grouped_count(*missing, "verdict");
                    format!("judged again, {missing} {are} missing")
                }
                Ok(ExperimentEnd::Paused(cause)) => {
                    format!("judging again was stopped: {cause}")
                }
                Err(why) => format!("judging again failed: {why}"),
            }),
        }
    }
}

impl fmt::Display for PassProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} verdicts", self.found, self.wanted)?;
        match self.failed {
            0 => Ok(()),
            failed => write!(f, ", {failed} failed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elenchus_game::debate::SessionId;

    #[test]
    fn verdicts_are_counted_over_sessions_and_failures_are_told() {
        let mut progress = PassProgress::default();
        let open_update = |verdicts, found| PassUpdate::Opened {
            session: SessionId::new("01ONE"),
            verdicts,
            found,
        };
        assert_eq!(progress.apply_update(&open_update(3, 1)), None);
        assert_eq!(progress.apply_update(&open_update(2, 0)), None);
        assert_eq!(progress.to_string(), "1 of 5 verdicts");
        let left_out = PassUpdate::LeftOut {
            session: SessionId::new("02TWO"),
            why: "it goes on".to_owned(),
        };
        let message = progress.apply_update(&left_out);
        assert_eq!(
            message.as_deref(),
            Some("02TWO was not judged again: it goes on")
        );
        let end_update = PassUpdate::Ended(Ok(ExperimentEnd::WithFailures(1)));
        let message = progress.apply_update(&end_update);
        assert_eq!(
            message.as_deref(),
            Some("judged again, 1 verdict is missing")
        );
    }
}
