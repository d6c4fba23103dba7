//! How an experiment goes on, by the times of its journal's lines.

use super::clock::parse_milliseconds;
use super::error::Result;
use super::experiment::{ExperimentEvent, ExperimentSummary, ProgressMark};
use elenchus_store::JournalLine;
use std::path::Path;

/// Most items that a pace is counted over: how fast an experiment was long ago says little of how fast it is.
const RECENT_ITEMS: usize = 32;

/// Progress of an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    /// Time of the last line, RFC 3339.
    pub last_line_at: String,
    /// `None` before an item was done, and where times do not tell.
    pub pace: Option<Pace>,
    /// Items that failed since it was begun or gone on with last: those before are tried again.
    pub failed: u64,
}

/// Items that were done in a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    pub items: u32,
    pub milliseconds: u32,
}

impl Pace {
    pub fn items_per_second(self) -> f64 {
        f64::from(self.items) * 1000.0 / f64::from(self.milliseconds)
    }

    /// Returns how many seconds so many more items take at this pace.
    pub fn seconds_for(self, items: u64) -> f64 {
        items as f64 / self.items_per_second()
    }
}

impl Progress {
    /// Counts the last items that were done since the experiment was begun or gone on with last. What fails, fails at
    /// once as a rule, and says nothing of how long the others take.
    pub fn from_lines<E: ExperimentEvent>(lines: &[JournalLine<E>]) -> Self {
        let marks = lines
            .iter()
            .rev()
            .filter_map(|line| Some((line.event.progress_mark()?, line.at.as_str())));
        // From the last one back to the beginning of what counts.
        let mut times: Vec<&str> = Vec::new();
        let mut failed = 0;
        for (mark, at) in marks {
            match mark {
                ProgressMark::FailsItem => failed += 1,
                ProgressMark::FinishesItem | ProgressMark::Begins => {
                    if times.len() <= RECENT_ITEMS {
                        times.push(at);
                    }
                }
            }
            if mark == ProgressMark::Begins {
                break;
            }
        }
        Self {
            last_line_at: lines
                .last()
                .map_or_else(String::new, |line| line.at.clone()),
            pace: pace_of(&times),
            failed,
        }
    }
}

/// Returns the pace of items that were done at these times, the last first; with the last of the times it began.
fn pace_of(times: &[&str]) -> Option<Pace> {
    let (last, first) = (times.first()?, times.last()?);
    let milliseconds = parse_milliseconds(last)? - parse_milliseconds(first)?;
    let items = u32::try_from(times.len() - 1).ok()?;
    let milliseconds = u32::try_from(milliseconds).ok()?;
    (items > 0 && milliseconds > 0).then_some(Pace {
        items,
        milliseconds,
    })
}

/// Reads how far an experiment is and how it goes on. Blocks.
///
/// # Errors
/// When its journal cannot be read.
pub fn read_progress<E: ExperimentEvent>(path: &Path) -> Result<(ExperimentSummary, Progress)> {
    let lines = E::read_lines(path)?;
    let progress = Progress::from_lines(&lines);
    Ok((E::summarize(&E::fold_journal(path, lines)?), progress))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::run::{Finished, RunEvent};
    use elenchus_game::debate::SessionId;
    use elenchus_game::debate::protocol::Ceilings;
    use elenchus_store::Hash;

    fn line(second: u32, event: RunEvent) -> JournalLine<RunEvent> {
        JournalLine {
            journal: None,
            prev: Hash::ZERO,
            at: format!("2026-01-31T10:00:{second:02}.000Z"),
            by: "engine".to_owned(),
            event,
        }
    }

    fn done(second: u32) -> JournalLine<RunEvent> {
        let event = RunEvent::Finished(Finished {
            item: 0,
            session: SessionId::new("s"),
            how: "complete".to_owned(),
            bytes: 0,
            lines: 0,
            head: String::new(),
            committed_usd: 0.0,
            committed_calls: None,
            committed_tokens: None,
            filtered: 0,
        });
        line(second, event)
    }

    fn failed(second: u32) -> JournalLine<RunEvent> {
        let event = RunEvent::Failed {
            item: 0,
            session: SessionId::new("s"),
            why: String::new(),
        };
        line(second, event)
    }

    fn resumed(second: u32) -> JournalLine<RunEvent> {
        let ceilings = Ceilings::default();
        line(second, RunEvent::Resumed { ceilings })
    }

    #[test]
    fn a_pace_counts_from_where_it_was_gone_on_with_last() {
        let paused = line(
            30,
            RunEvent::Paused {
                why: "you asked".to_owned(),
            },
        );
        let lines = [
            done(1),
            failed(2),
            paused,
            resumed(40),
            failed(40),
            done(42),
            failed(43),
            done(44),
        ];
        let progress = Progress::from_lines(&lines);
        assert_eq!(progress.failed, 2);
        assert_eq!(progress.last_line_at, "2026-01-31T10:00:44.000Z");
        let pace = progress.pace.unwrap();
        assert_eq!((pace.items, pace.milliseconds), (2, 4000));
        assert_eq!((pace.items_per_second(), pace.seconds_for(5)), (0.5, 10.0));
    }

    #[test]
    fn without_an_item_that_is_done_or_a_difference_in_time_there_is_no_pace() {
        assert_eq!(Progress::from_lines(&[resumed(3)]).pace, None);
        assert_eq!(Progress::from_lines(&[resumed(3), failed(4)]).pace, None);
        assert_eq!(Progress::from_lines(&[resumed(3), done(3)]).pace, None);
        assert_eq!(Progress::from_lines(&[resumed(3), done(1)]).pace, None);
    }

    #[test]
    fn only_the_last_items_count() {
        let slow = [done(0), done(10)];
        let fast = (11..=42).map(done);
        let lines: Vec<_> = slow.into_iter().chain(fast).collect();
        let pace = Progress::from_lines(&lines).pace.unwrap();
        assert_eq!((pace.items, pace.milliseconds), (32, 32_000));
    }
}
