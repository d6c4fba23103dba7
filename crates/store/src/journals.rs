//! Opening of journals for writing: the only way to a [`JournalWriter`].

use std::{path::Path, thread, time::Duration};

use super::{JournalType, JournalWriter, OpenedJournal, Result, StoreError, SyncPool};

/// Tries for the lock of a journal that others hold for as long as a line takes.
const LOCK_TRIES: u32 = 200;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Opens journals for one writer, under the name that others are shown while it holds a lock.
///
/// Clones share the threads that sync.
#[derive(Debug, Clone)]
pub struct Journals {
    holder: String,
    executor: SyncPool,
}

impl Journals {
    /// Returns an opener for the writer called `holder`.
    pub fn new(holder: impl Into<String>, executor: &SyncPool) -> Self {
        Self {
            holder: holder.into(),
            executor: executor.clone(),
        }
    }

    /// Begins an empty journal that only its owner can read, with the folders above it.
    ///
    /// The file's name becomes durable with the first line.
    ///
    /// # Errors
    /// [`StoreError::Exists`]; [`StoreError::Damaged`] when there was one of that name and it is
    /// gone; [`StoreError::Io`].
    pub fn begin_journal<T: JournalType>(&self, path: &Path) -> Result<JournalWriter<T>> {
        self.start_threads(path)?;
        JournalWriter::create(path, &self.holder, &self.executor)
    }

    /// Opens a journal for writing and reads it. A tail that was never acknowledged is cut off and
    /// kept in a file next to the journal, with a notice.
    ///
    /// All returned lines are durable: lines that a killed process had written but not synced are
    /// synced. Blocks for the length of a read and two syncs.
    ///
    /// # Errors
    /// [`StoreError::Missing`]; [`StoreError::Locked`] when another writer, possibly of this
    /// process, has it open; [`StoreError::OtherKind`] and [`StoreError::NewerFormat`] by its
    /// envelope; [`StoreError::Broken`] naming the first changed line; [`StoreError::Damaged`] when
    /// acknowledged lines are missing; [`StoreError::Io`].
    pub fn resume_journal<T: JournalType>(&self, path: &Path) -> Result<OpenedJournal<T>> {
        self.start_threads(path)?;
        JournalWriter::open(path, &self.holder, &self.executor)
    }

    /// Opens a journal for writing, or begins it where there is none. Blocks as
    /// [`resume_journal`](Self::resume_journal) does.
    ///
    /// # Errors
    /// As [`begin_journal`](Self::begin_journal) and [`resume_journal`](Self::resume_journal).
    pub fn begin_or_resume<T: JournalType>(&self, path: &Path) -> Result<OpenedJournal<T>> {
        match self.begin_journal(path) {
            Ok(writer) => Ok(OpenedJournal {
                writer,
                lines: Vec::new(),
                notices: Vec::new(),
            }),
            Err(StoreError::Exists { .. }) => self.resume_journal(path),
            Err(error) => Err(error),
        }
    }

    /// As [`begin_or_resume`](Self::begin_or_resume), for a journal that others hold for one line
    /// at a time: waits two seconds for them. Blocks meanwhile.
    ///
    /// # Errors
    /// As [`begin_or_resume`](Self::begin_or_resume).
    pub fn begin_or_resume_soon<T: JournalType>(&self, path: &Path) -> Result<OpenedJournal<T>> {
        for _ in 0..LOCK_TRIES {
            match self.begin_or_resume(path) {
                Err(StoreError::Locked { .. }) => thread::sleep(LOCK_PAUSE),
                opened => return opened,
            }
        }
        self.begin_or_resume(path)
    }

    /// Begins a journal with `prefix`, the parent's lines byte for byte, and one event of its own.
    ///
    /// It appears whole and durable, or not at all. See [`read_prefix`](super::read_prefix).
    ///
    /// # Errors
    /// [`StoreError::Exists`]; [`StoreError::Broken`] when `prefix` is not a chain of complete lines;
    /// and as [`JournalWriter::append`].
    pub async fn fork_journal<T: JournalType>(
        &self,
        path: &Path,
        prefix: Vec<u8>,
        at_and_by: (&str, &str),
        event: &T::Event,
    ) -> Result<JournalWriter<T>> {
        self.start_threads(path)?;
        let (holder, executor) = (&self.holder, &self.executor);
        JournalWriter::create_fork(path, prefix, at_and_by, event, holder, executor).await
    }

    /// Starts the threads that will sync the journal at `path`.
    fn start_threads(&self, path: &Path) -> Result<()> {
        let doing = "start the threads that sync";
        let started = self.executor.start_threads();
        started.map_err(StoreError::from_io(doing, path))
    }
}
