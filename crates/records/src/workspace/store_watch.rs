//! Watch of the store: says that something was written into it, by this program or another one.

use super::folder_watch::{FolderWatch, Listens, WatchedChanges};
use elenchus_store::Layout;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

/// Folders of a store whose journals are listed, besides those of experiments.
const LISTED: [&str; 5] = ["sessions", "notes", "queues", "memory/*", "memory/*/guards"];
/// Folders that hold folders of journals.
const PARENTS: [&str; 3] = ["memory", "experiments", "tries"];
/// What is listed is read again at most so often.
const REFRESH_EVERY: Duration = Duration::from_secs(1);
/// What shows processes is read once more after the last change: the end of one is told while it lets go of its files,
/// when its locks may still be held.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// Whether what was read is known to be as it will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settling {
    /// It shows what a process does, whose end may just have been told.
    LooksAgain,
    IsSettled,
}

/// The watch, and when what is listed is to be read again.
pub struct StoreWatch {
    /// Something was written since the list was read: said once until it is read again.
    is_told: Arc<AtomicBool>,
    due: Option<Instant>,
    refreshed: Instant,
    /// Something was written since it was read twice.
    is_unsettled: bool,
    /// None on a system without such a watch.
    _watch: Option<FolderWatch>,
}

impl StoreWatch {
    /// Begins to watch what is listed, and the journals in folders of experiments; `tell` is sent one notice
    /// at a time.
    pub fn start(
        layout: &Layout,
        experiments: Vec<&'static str>,
        tell: UnboundedSender<()>,
    ) -> Self {
        let is_told = Arc::new(AtomicBool::new(false));
        let (layout, told) = (layout.clone(), Arc::clone(&is_told));
        let folders = move || {
            let below = LISTED
                .iter()
                .chain(&experiments)
                .filter_map(|name| layout.folders_of(name).ok());
            let below = below.flatten().map(|name| layout.root().join(name));
            let below = below.map(|folder| (folder, WatchedChanges::Written));
            // What is not there yet is made below what is.
            let above = layout.root().ancestors().find(|folder| folder.is_dir());
            let above = above.map(PathBuf::from).into_iter();
            let above = above.chain(PARENTS.map(|parent| layout.root().join(parent)));
            let above = above.map(|folder| (folder, WatchedChanges::Folders));
            above.chain(below).collect()
        };
        let tell = move || match told.swap(true, Ordering::Relaxed) {
            true => Listens::Yes,
            false => match tell.send(()) {
                Ok(()) => Listens::Yes,
                Err(_) => Listens::No,
            },
        };
        Self {
            is_told,
            due: None,
            refreshed: Instant::now(),
            is_unsettled: false,
            _watch: FolderWatch::start(folders, ".jsonl", tell).ok(),
        }
    }

    /// Takes note that something was written.
    pub fn note_change(&mut self) {
        let soon = self.refreshed + REFRESH_EVERY;
        self.due = Some(self.due.map_or(soon, |due| due.min(soon)));
        self.is_unsettled = true;
    }

    /// Returns when to read again, if anything was written.
    pub fn due_at(&self) -> Option<Instant> {
        self.due
    }

    /// Takes note that it is read again now; what is written from here on is told again.
    pub fn note_refresh(&mut self, settling: Settling) {
        self.refreshed = Instant::now();
        let is_unsettled = std::mem::take(&mut self.is_unsettled);
        self.due = match settling {
            Settling::LooksAgain if is_unsettled => Some(self.refreshed + SETTLED_AFTER),
            Settling::LooksAgain | Settling::IsSettled => None,
        };
        self.is_told.store(false, Ordering::Relaxed);
    }
}
