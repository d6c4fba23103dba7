//! Journal that is opened, or begun, with its first line: a process that has nothing to write leaves
//! nothing behind, and takes no lock.

use std::{path::PathBuf, sync::Arc};

use super::{JournalType, JournalWriter, Journals, OpenedJournal, Result, TailNotice};

/// A journal that may not be there yet.
pub struct LazyJournal<T: JournalType> {
    journals: Journals,
    path: PathBuf,
    /// Time, author and event of the line that a new one begins with.
    first_line: Option<(String, String, T::Event)>,
    writer: Option<Arc<JournalWriter<T>>>,
}

impl<T: JournalType> LazyJournal<T> {
    /// Returns the journal at a path, unopened.
    pub fn new(journals: Journals, path: PathBuf) -> Self {
        Self {
            journals,
            path,
            first_line: None,
            writer: None,
        }
    }

    /// Begins it, where it is new, with a line that says what it is.
    #[must_use]
    pub fn with_first_line(mut self, at: &str, by: &str, event: T::Event) -> Self {
        self.first_line = Some((at.to_owned(), by.to_owned(), event));
        self
    }

    /// Opens or begins it when it is first asked for, and returns its writer, with what was mended then.
    /// Blocks for that once.
    ///
    /// # Errors
    /// As [`Journals::begin_or_resume`].
    pub fn open_writer(&mut self) -> Result<(Arc<JournalWriter<T>>, Vec<TailNotice>)> {
        if let Some(writer) = &self.writer {
            return Ok((Arc::clone(writer), Vec::new()));
        }
        let OpenedJournal {
            writer,
            lines,
            notices,
        } = self.journals.begin_or_resume(&self.path)?;
        if let (Some((at, by, event)), true) = (&self.first_line, lines.is_empty()) {
            writer.append_without_sync(at, by, event)?;
        }
        let writer = Arc::new(writer);
        self.writer = Some(Arc::clone(&writer));
        Ok((writer, notices))
    }

    /// Makes durable what was written to it, if anything was.
    ///
    /// # Errors
    /// As [`JournalWriter::sync`].
    pub async fn sync(&self) -> Result<()> {
        match &self.writer {
            Some(writer) => writer.sync().await,
            None => Ok(()),
        }
    }
}
