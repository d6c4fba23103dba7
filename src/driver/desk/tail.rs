//! A session that another process drives, read as it grows.

use super::super::error::DriverError;
use crate::debate::event::Record;
use crate::store::{Head, Holder};
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

    /// Returns the events that came since it was last asked; one look at the file's length where
    /// there are none. Blocks while it reads.
    ///
    /// # Errors
    /// When the journal is gone, a line is broken, or one is of an unknown kind.
    pub fn more(&mut self) -> Result<Vec<Record>, DriverError> {
        let _ = (&self.path, &mut self.head);
        todo!()
    }

    /// Returns who drives the session now; `None` when nobody does.
    pub fn driven_by(&self) -> Option<Holder> {
        todo!()
    }
}
