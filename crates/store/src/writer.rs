//! Writer of a journal: ordered, durable appends, and the closing of a journal after a failure.

use std::{fmt, fs::File, marker::PhantomData, path::Path, sync::Arc};

use tokio::sync::oneshot;

use super::error::tail_file;
use super::files::{
    Access, create_folders, create_private, open_regular, parent_of, replace_private, sync_folder,
};
use super::heads::HeadFile;
use super::journal_file::{FolderSync, JournalFile, JournalState, sync_journal, write_head_later};
use super::lock::Lock;
use super::reader::Journal;
use super::{
    Envelope, Hash, Head, JournalType, ReadLine, Result, StoreError, SyncPool, TailNotice,
    TailTreatment, heads, reader,
};

/// The one writer of a journal. It holds the journal's lock until it is dropped, and then writes
/// the head durably, unless [`close`](Self::close) did.
///
/// Lines are written in the order of the calls; share it in an `Arc` to append from several tasks.
pub struct JournalWriter<T> {
    // Before `file`: the lock is released even while a sync without a waiting caller is in
    // progress.
    _lock: Lock,
    file: Arc<JournalFile>,
    executor: SyncPool,
    journal: PhantomData<fn(&T) -> T>,
}

/// A journal that was opened for writing, with its content.
#[derive(Debug)]
pub struct OpenedJournal<T: JournalType> {
    pub writer: JournalWriter<T>,
    /// Every line, first to last; all of them are durable.
    pub lines: Vec<ReadLine<T::Event>>,
    pub notices: Vec<TailNotice>,
}

impl<T: JournalType> JournalWriter<T> {
    /// See [`Journals::begin_journal`](super::Journals::begin_journal).
    pub(super) fn create(path: &Path, command: &str, executor: &SyncPool) -> Result<Self> {
        create_folders(&parent_of(path))?;
        if !path.exists() {
            heads::refuse_gone(path)?;
        }
        let file = Arc::new(create_private(path)?);
        let lock = Lock::acquire_new(&file, path, path, command)?;
        let open = JournalFile::new(
            path,
            file,
            HeadFile::from_head(Head::EMPTY),
            FolderSync::Unsynced,
        );
        Ok(Self::new(lock, open, executor))
    }

    /// See [`Journals::resume_journal`](super::Journals::resume_journal).
    pub(super) fn open(
        path: &Path,
        command: &str,
        executor: &SyncPool,
    ) -> Result<OpenedJournal<T>> {
        let file = match open_regular(path, Access::Append) {
            Err(StoreError::Missing { path: missing }) => {
                heads::refuse_gone(path)?;
                return Err(StoreError::Missing { path: missing });
            }
            opened => Arc::new(opened?),
        };
        let lock = Lock::acquire(&file, path, command)?;
        // Only the holder of the lock writes it.
        let mark = heads::read_head_file(path);
        let previous_mark = mark.clone();
        let Journal {
            lines,
            head,
            notices,
        } = reader::read_from(path, &file, mark)?;
        check_envelope::<T>(path, lines.first())?;
        let notices = notices
            .into_iter()
            .map(|notice| cut_tail(&file, &head, notice))
            .collect::<Result<_, _>>()?;
        file.sync_all().map_err(StoreError::from_io("sync", path))?;
        sync_folder(&parent_of(path))?;
        let mark = HeadFile {
            head,
            rest_lost: false,
            ..previous_mark.unwrap_or_else(|| HeadFile::from_head(head))
        };
        let open = JournalFile::new(path, file, mark, FolderSync::Synced);
        Ok(OpenedJournal {
            writer: Self::new(lock, open, executor),
            lines,
            notices,
        })
    }

    pub(super) fn new(lock: Lock, open: JournalFile, executor: &SyncPool) -> Self {
        let file = Arc::new(open);
        let was_there = file.lock_state().durable.bytes > 0;
        if was_there {
            write_head_later(&file, |job| executor.submit_later(job));
        }
        Self {
            _lock: lock,
            file,
            executor: executor.clone(),
            journal: PhantomData,
        }
    }

    /// Appends an event; it is durable when this returns, and so is every line before it.
    ///
    /// The line is written when the future is first polled. Dropping the future afterwards does not
    /// take it back.
    ///
    /// # Errors
    /// [`StoreError::TooLong`], [`StoreError::Unwritable`]: nothing was written and the journal goes
    /// on. [`StoreError::Io`]: the journal is closed. [`StoreError::Closed`]: it was before.
    pub async fn append(&self, at: &str, by: &str, event: &T::Event) -> Result<Head> {
        let (head, durable) = {
            let mut state = self.file.lock_state();
            let head = self.file.append_event::<T>(&mut state, at, by, event)?;
            (head, self.register_waiter(&mut state))
        };
        self.wait_until_durable(durable).await?;
        Ok(head)
    }

    /// Appends an event that the next [`append`](Self::append) or [`sync`](Self::sync) makes durable.
    ///
    /// It survives the end of this process at once, and a power cut only after that.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_without_sync(&self, at: &str, by: &str, event: &T::Event) -> Result<Head> {
        self.file
            .append_event::<T>(&mut self.file.lock_state(), at, by, event)
    }

    /// Appends an event as [`append`](Self::append) does, on the caller's thread: blocks for a sync.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_blocking(&self, at: &str, by: &str, event: &T::Event) -> Result<Head> {
        let (head, folder) = {
            let mut state = self.file.lock_state();
            let head = self.file.append_event::<T>(&mut state, at, by, event)?;
            (head, state.folder)
        };
        let sync_result = self.file.sync_data(folder);
        let mut state = self.file.lock_state();
        match sync_result {
            Ok(()) => {
                if state.durable.bytes < head.bytes {
                    state.durable = head;
                }
                state.folder = FolderSync::Synced;
                drop(state);
                write_head_later(&self.file, |job| self.executor.submit_later(job));
                Ok(head)
            }
            Err(error) => {
                state.failure = Some(error.to_string());
                Err(error)
            }
        }
    }

    /// Writes the head durably before the writer is dropped: dropping it does the same, and blocks.
    pub async fn close(&self) {
        let (done, written) = oneshot::channel();
        let (file, executor) = (Arc::clone(&self.file), self.executor.clone());
        self.executor.submit(Box::new(move |_| {
            file.close(&executor);
            // The receiver may have been dropped; ignore the send error.
            let _ = done.send(());
        }));
        let _ = written.await;
    }

    /// Makes every line so far durable.
    ///
    /// # Errors
    /// [`StoreError::Io`]: the journal is closed. [`StoreError::Closed`]: it was before.
    pub async fn sync(&self) -> Result<()> {
        let durable = {
            let mut state = self.file.lock_state();
            self.file.check_open(&state)?;
            if state.durable.bytes == state.head.bytes {
                return Ok(());
            }
            self.register_waiter(&mut state)
        };
        self.wait_until_durable(durable).await
    }

    /// Returns the head, including lines that are not durable yet.
    pub fn head(&self) -> Head {
        self.file.lock_state().head
    }

    /// Returns the journal's path.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Registers for the sync that covers everything written so far.
    fn register_waiter(&self, state: &mut JournalState) -> oneshot::Receiver<Result<()>> {
        let (waiter, durable) = oneshot::channel();
        state.waiting.push((state.head.bytes, waiter));
        if !state.syncing {
            state.syncing = true;
            let file = Arc::clone(&self.file);
            self.executor
                .submit(Box::new(|queue| sync_journal(file, queue)));
        }
        durable
    }

    async fn wait_until_durable(&self, durable: oneshot::Receiver<Result<()>>) -> Result<()> {
        durable.await.unwrap_or_else(|_| {
            Err(StoreError::Closed {
                path: self.file.path.clone(),
                failure: "the thread that syncs it ended".to_owned(),
            })
        })
    }
}

impl<T> fmt::Debug for JournalWriter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JournalWriter")
            .field("path", &self.file.path)
            .finish_non_exhaustive()
    }
}

impl<T> Drop for JournalWriter<T> {
    // Before the lock is released: its next holder writes a head of its own.
    fn drop(&mut self) {
        self.file.close(&self.executor);
        self.file.head_writer().ended = true;
    }
}

/// Refuses to go on with a journal of another kind, or of a format that a later version writes.
fn check_envelope<T: JournalType>(path: &Path, first: Option<&ReadLine<T::Event>>) -> Result<()> {
    let Some(Envelope { kind, format }) = first.and_then(ReadLine::envelope) else {
        return Ok(());
    };
    let path = path.to_owned();
    if kind != T::KIND {
        return Err(StoreError::OtherKind {
            path,
            is: kind,
            wanted: T::KIND,
        });
    }
    if format > T::FORMAT {
        return Err(StoreError::NewerFormat {
            path,
            format,
            known: T::FORMAT,
        });
    }
    Ok(())
}

/// Cuts off a tail that was never acknowledged, after it was made durable in a file next to the
/// journal.
fn cut_tail(file: &File, head: &Head, notice: TailNotice) -> Result<TailNotice> {
    let TailNotice {
        path,
        line_no,
        bytes,
        kind,
        ..
    } = notice;
    let cut = reader::bytes_of_range(file, head.bytes, bytes)
        .map_err(StoreError::from_io("read", &path))?;
    let hash = Hash::digest(&cut);
    replace_private(&tail_file(&path, &hash), &cut)?;
    file.set_len(head.bytes)
        .map_err(StoreError::from_io("cut the tail off", &path))?;
    Ok(TailNotice {
        path,
        line_no,
        bytes,
        kind,
        tail: TailTreatment::Cut(hash),
    })
}
