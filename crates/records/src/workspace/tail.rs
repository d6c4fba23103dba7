//! Session that another process writes, read as it grows.

use super::error::Result;
use super::journal_lines::{known_lines, record_from_line};
use super::session::fold_lines;
use elenchus_game::debate::State;
use elenchus_game::debate::event::{Event, Record};
use elenchus_store::{Head, LockHolder, likely_holder, open_lines, read_after};
use std::path::{Path, PathBuf};

/// Reads what is appended to a session's journal, without its lock.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    head: Head,
}

impl Tail {
    /// Begins at a session's first event; touches nothing.
    pub fn open(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            head: Head::EMPTY,
        }
    }

    /// Begins at a session's end, and returns the state that it has come to. Blocks while it reads.
    ///
    /// # Errors
    /// As [`read_new_records`](Self::read_new_records); also when an event does not fit.
    pub fn open_at_end(path: &Path) -> Result<(State, Self)> {
        let mut lines = open_lines::<Event>(path)?;
        let state = fold_lines(path, &mut lines)?;
        let tail = Self {
            path: path.to_owned(),
            head: lines.head(),
        };
        Ok((state, tail))
    }

    /// Returns the events that came since it was last asked; one look at the file's length where
    /// there are none. Blocks while it reads.
    ///
    /// # Errors
    /// When the journal is gone, a line is broken, or one is of an unknown kind.
    pub fn read_new_records(&mut self) -> Result<Vec<Record>> {
        let journal = read_after::<Event>(&self.path, &self.head)?;
        let records = known_lines(&self.path, journal.lines)?;
        self.head = journal.head;
        Ok(records.into_iter().map(record_from_line).collect())
    }

    /// Returns the process that runs the session now; `None` when there is none. For display only:
    /// opening the session is what decides whether it can be run.
    pub fn driven_by(&self) -> Option<LockHolder> {
        likely_holder(&self.path)
    }
}
