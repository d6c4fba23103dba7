//! A journal's file while it is written to: what is in it, what of that is durable, and what was
//! written down of it.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Serialize, de::DeserializeOwned};
use tokio::sync::oneshot;

use super::{
    Fsync, Head, StoreError,
    files::{parent_of, sync_folder},
    fsync::{Job, Queue},
    heads::{self, Mark, Put},
    line,
};

/// A journal's file while it is written to.
pub(super) struct Open {
    pub(super) path: PathBuf,
    file: Arc<File>,
    state: Mutex<State>,
    /// Held while a head is written, so that an older one never follows a newer one.
    told: Mutex<Told>,
}

/// What was written down of how far the journal went.
pub(super) struct Told {
    mark: Mark,
    /// Which head was written by this writer, and whether it is durable.
    written: Option<(Head, bool)>,
    /// Whether the lock is given back: nothing is written any more.
    pub(super) ended: bool,
}

pub(super) struct State {
    pub(super) head: Head,
    /// Up to here everything is durable.
    pub(super) durable: Head,
    pub(super) folder: Folder,
    /// Whether a sync of this journal is queued or going on: there is one at a time.
    pub(super) syncing: bool,
    /// Who waits for which length to be durable, in order.
    pub(super) waiting: Vec<(u64, oneshot::Sender<Result<(), StoreError>>)>,
    /// Whether the head will be written within a second.
    telling: bool,
    /// Why no more lines are taken.
    pub(super) failure: Option<String>,
}

/// Whether the name of the file is durable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Folder {
    Synced,
    Unsynced,
}

impl Open {
    pub(super) fn new(path: &Path, file: Arc<File>, mark: Mark, folder: Folder) -> Self {
        let head = mark.head;
        Self {
            path: path.to_owned(),
            file,
            state: Mutex::new(State {
                head,
                durable: head,
                folder,
                syncing: false,
                waiting: Vec::new(),
                telling: false,
                failure: None,
            }),
            told: Mutex::new(Told {
                mark,
                written: None,
                ended: false,
            }),
        }
    }

    /// Writes the head down durably, for the last time.
    pub(super) fn close(&self, executor: &Fsync) {
        self.tell(Put::Durably(executor));
    }

    /// Writes down how far the journal is durable. When that fails, what is written is merely older.
    fn tell(&self, put: Put<'_>) {
        let mut told = self.told();
        let durable = {
            let mut state = self.lock();
            state.telling = false;
            state.durable
        };
        let durably = matches!(put, Put::Durably(_));
        let is_written = (told.written)
            .is_some_and(|(head, is_durable)| head == durable && is_durable >= durably);
        // The name of a journal without durable lines may be lost with the power.
        if told.ended || durable.bytes == 0 || is_written {
            return;
        }
        told.mark.head = durable;
        let written = heads::write(&self.path, &told.mark, put);
        told.written = written.ok().map(|()| (durable, durably));
    }

    pub(super) fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // No code that can panic runs under the lock except the event's own serialisation, before
    // anything is written: a poisoned lock guards a sound state.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn refuse_closed(&self, state: &State) -> Result<(), StoreError> {
        match &state.failure {
            None => Ok(()),
            Some(failure) => Err(StoreError::Closed {
                path: self.path.clone(),
                failure: failure.clone(),
            }),
        }
    }

    pub(super) fn write<E: Serialize + DeserializeOwned>(
        &self,
        state: &mut State,
        at: &str,
        by: &str,
        event: &E,
    ) -> Result<Head, StoreError> {
        self.refuse_closed(state)?;
        let line =
            line::encode(&state.head, at, by, event).map_err(|refusal| refusal.at(&self.path))?;
        let written = self
            .refuse_changed(&state.head)
            .and_then(|()| (&*self.file).write_all(&line));
        match written {
            Ok(()) => {
                state.head = state.head.after(&line);
                Ok(state.head)
            }
            // Part of the line may be in the file, so no other line may follow it.
            Err(cause) => {
                let error = StoreError::io("write to", &self.path)(cause);
                state.failure = Some(error.to_string());
                Err(error)
            }
        }
    }

    /// The lock is advisory: an editor or a copy can still change the file under it.
    fn refuse_changed(&self, head: &Head) -> io::Result<()> {
        let bytes = self.file.metadata()?.len();
        if bytes == head.bytes {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "it has {bytes} bytes where {} were written, so something else changed it",
            head.bytes
        )))
    }

    fn sync_once(&self, folder: Folder, queue: &Queue) -> Result<(), StoreError> {
        let synced = self.sync_data(folder);
        queue.count_sync();
        synced
    }

    pub(super) fn sync_data(&self, folder: Folder) -> Result<(), StoreError> {
        if folder == Folder::Unsynced {
            sync_folder(&parent_of(&self.path))?;
        }
        let synced = self.file.sync_data();
        synced.map_err(StoreError::io("sync", &self.path))
    }
}

/// Syncs a journal once for all who wait, and again, behind the others, if more came meanwhile.
pub(super) fn sync(file: Arc<Open>, queue: &Queue) {
    let (target, folder) = {
        let state = file.lock();
        (state.head, state.folder)
    };
    let result = file.sync_once(folder, queue);
    let mut state = file.lock();
    let covered = match &result {
        Ok(()) => {
            state.durable = target;
            state.folder = Folder::Synced;
            state
                .waiting
                .partition_point(|(bytes, _)| *bytes <= target.bytes)
        }
        Err(error) => {
            state.failure = Some(error.to_string());
            state.waiting.len()
        }
    };
    let done: Vec<_> = state.waiting.drain(..covered).collect();
    state.syncing = !state.waiting.is_empty();
    let again = state.syncing;
    drop(state);
    write_head_later(&file, |job| queue.push_later(job));
    if again {
        queue.push(Box::new(|queue| sync(file, queue)));
    }
    for (_, waiter) in done {
        // Who dropped its future does not want to know.
        let _ = waiter.send(result.clone());
    }
}

/// Has the head written within a second, unless it will be already or the journal is closed before.
pub(super) fn write_head_later(file: &Arc<Open>, submit: impl FnOnce(Job)) {
    let was_telling = std::mem::replace(&mut file.lock().telling, true);
    if !was_telling {
        // It keeps no journal open.
        let file = Arc::downgrade(file);
        submit(Box::new(move |_| {
            if let Some(file) = file.upgrade() {
                file.tell(Put::Soon);
            }
        }));
    }
}
