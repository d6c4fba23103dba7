//! File of a journal that is open for writing: its length, its durable length, and its head.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

use super::files::{parent_of, sync_folder};
use super::heads::{Durability, HeadFile};
use super::sync_pool::{Job, JobQueue};
use super::{Head, JournalType, Result, StoreError, SyncPool, heads, line};

/// A journal's file that is open for writing.
pub(super) struct JournalFile {
    pub(super) path: PathBuf,
    file: Arc<File>,
    state: Mutex<JournalState>,
    /// Locked while a head is written, so that an older one never replaces a newer one.
    head_writer: Mutex<HeadWriter>,
}

/// State of the journal's head file.
pub(super) struct HeadWriter {
    mark: HeadFile,
    /// The head that this writer wrote last, and whether it is durable.
    written: Option<(Head, bool)>,
    /// Whether the lock was released: nothing is written any more.
    pub(super) ended: bool,
}

pub(super) struct JournalState {
    pub(super) head: Head,
    /// The watermark up to which everything is durable.
    pub(super) durable: Head,
    pub(super) folder: FolderSync,
    /// Whether a sync of this journal is queued or in progress: there is one at a time.
    pub(super) syncing: bool,
    /// Callers that wait for a length to be durable, in order.
    pub(super) waiting: Vec<(u64, oneshot::Sender<Result<()>>)>,
    /// Whether a write of the head is queued.
    head_queued: bool,
    /// Reason that no more lines are accepted.
    pub(super) failure: Option<String>,
}

/// Durability of the file's name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderSync {
    Synced,
    Unsynced,
}

impl JournalFile {
    pub(super) fn new(path: &Path, file: Arc<File>, mark: HeadFile, folder: FolderSync) -> Self {
        let head = mark.head;
        Self {
            path: path.to_owned(),
            file,
            state: Mutex::new(JournalState {
                head,
                durable: head,
                folder,
                syncing: false,
                waiting: Vec::new(),
                head_queued: false,
                failure: None,
            }),
            head_writer: Mutex::new(HeadWriter {
                mark,
                written: None,
                ended: false,
            }),
        }
    }

    /// Writes the head durably, for the last time.
    pub(super) fn close(&self, executor: &SyncPool) {
        self.write_head(Durability::Durably(executor));
    }

    /// Writes the journal's durable length to its head file. When that fails, the head is merely
    /// older.
    fn write_head(&self, put: Durability<'_>) {
        let mut writer = self.head_writer();
        let durable = {
            let mut state = self.lock_state();
            state.head_queued = false;
            state.durable
        };
        let durably = matches!(put, Durability::Durably(_));
        let is_written = (writer.written)
            .is_some_and(|(head, is_durable)| head == durable && is_durable >= durably);
        // The name of a journal without durable lines may be lost with the power.
        if writer.ended || durable.bytes == 0 || is_written {
            return;
        }
        writer.mark.head = durable;
        let result = heads::write_head_file(&self.path, &writer.mark, put);
        writer.written = result.ok().map(|()| (durable, durably));
    }

    pub(super) fn head_writer(&self) -> MutexGuard<'_, HeadWriter> {
        self.head_writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    // No code that can panic runs under the lock except the event's own serialisation, before
    // anything is written: a poisoned lock guards a sound state.
    pub(super) fn lock_state(&self) -> MutexGuard<'_, JournalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn check_open(&self, state: &JournalState) -> Result<()> {
        match &state.failure {
            None => Ok(()),
            Some(failure) => Err(StoreError::Closed {
                path: self.path.clone(),
                failure: failure.clone(),
            }),
        }
    }

    pub(super) fn append_event<T: JournalType>(
        &self,
        state: &mut JournalState,
        at: &str,
        by: &str,
        event: &T::Event,
    ) -> Result<Head> {
        self.check_open(state)?;
        let line = line::encode_line::<T>(&state.head, at, by, event)
            .map_err(|refusal| refusal.into_store_error(&self.path))?;
        let write_result = self
            .check_length(&state.head)
            .and_then(|()| (&*self.file).write_all(&line));
        match write_result {
            Ok(()) => {
                state.head = state.head.with_line(&line);
                Ok(state.head)
            }
            // Part of the line may be in the file, so no other line may follow it.
            Err(cause) => {
                let error = StoreError::from_io("write to", &self.path)(cause);
                state.failure = Some(error.to_string());
                Err(error)
            }
        }
    }

    /// Returns the lock is advisory: an editor or a copy can still change the file under it.
    fn check_length(&self, head: &Head) -> io::Result<()> {
        let bytes = self.file.metadata()?.len();
        if bytes == head.bytes {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "it has {bytes} bytes where {} were written, so something else changed it",
            head.bytes
        )))
    }

    fn sync_once(&self, folder: FolderSync, queue: &JobQueue) -> Result<()> {
        let result = self.sync_data(folder);
        queue.count_sync();
        result
    }

    pub(super) fn sync_data(&self, folder: FolderSync) -> Result<()> {
        if folder == FolderSync::Unsynced {
            sync_folder(&parent_of(&self.path))?;
        }
        let result = self.file.sync_data();
        result.map_err(StoreError::from_io("sync", &self.path))
    }
}

/// Syncs a journal once for all waiting callers, and queues another sync if more came meanwhile.
pub(super) fn sync_journal(file: Arc<JournalFile>, queue: &JobQueue) {
    let (target, folder) = {
        let state = file.lock_state();
        (state.head, state.folder)
    };
    let result = file.sync_once(folder, queue);
    let mut state = file.lock_state();
    let waiter_count = match &result {
        Ok(()) => {
            state.durable = target;
            state.folder = FolderSync::Synced;
            state
                .waiting
                .partition_point(|(bytes, _)| *bytes <= target.bytes)
        }
        Err(error) => {
            state.failure = Some(error.to_string());
            state.waiting.len()
        }
    };
    let waiters: Vec<_> = state.waiting.drain(..waiter_count).collect();
    state.syncing = !state.waiting.is_empty();
    let again = state.syncing;
    drop(state);
    write_head_later(&file, |job| queue.push_later(job));
    if again {
        queue.push(Box::new(|queue| sync_journal(file, queue)));
    }
    for (_, waiter) in waiters {
        // The receiver may have been dropped; ignore the send error.
        let _ = waiter.send(result.clone());
    }
}

/// Queues a write of the head within a second, unless one is queued.
pub(super) fn write_head_later(file: &Arc<JournalFile>, submit: impl FnOnce(Job)) {
    let has_queued_head = std::mem::replace(&mut file.lock_state().head_queued, true);
    if !has_queued_head {
        // A weak reference, so that the queue keeps no journal open.
        let file = Arc::downgrade(file);
        submit(Box::new(move |_| {
            if let Some(file) = file.upgrade() {
                file.write_head(Durability::Soon);
            }
        }));
    }
}
