//! Watch of the store: says that something was written into it, by this program or another one.

use super::file_watch::{FolderWatch, Listens, WatchedChanges};
use crate::experiments::EXPERIMENT_KINDS;
use crate::workspace::Desk;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

/// Folders of a store whose journals the screens list, besides those of experiments.
const LISTED: [&str; 5] = ["sessions", "notes", "queues", "memory/*", "memory/*/guards"];
/// Folders that hold folders of journals.
const PARENTS: [&str; 3] = ["memory", "experiments", "tries"];
/// What is listed is read again at most so often.
const REFRESH_EVERY: Duration = Duration::from_secs(1);

/// The watch, and when what is listed is to be read again.
pub(super) struct StoreWatch {
    /// Something was written since the list was read: said once until it is read again.
    is_told: Arc<AtomicBool>,
    due: Option<Instant>,
    refreshed: Instant,
    /// None on a system without such a watch.
    _watch: Option<FolderWatch>,
}

impl StoreWatch {
    /// Begins to watch; `tell` is sent one notice at a time.
    pub(super) fn begin(desk: &Desk, tell: UnboundedSender<()>) -> Self {
        let is_told = Arc::new(AtomicBool::new(false));
        let (layout, told) = (desk.layout.clone(), Arc::clone(&is_told));
        let folders = move || {
            let of_experiments = EXPERIMENT_KINDS.iter().flat_map(|kind| kind.folders);
            let below = LISTED
                .iter()
                .chain(of_experiments)
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
            _watch: FolderWatch::begin(folders, ".jsonl", tell).ok(),
        }
    }

    /// Takes note that something was written.
    pub(super) fn changed(&mut self) {
        self.due.get_or_insert(self.refreshed + REFRESH_EVERY);
    }

    /// Returns when to read again, if anything was written.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Takes note that it is read again now; what is written from here on is told again.
    pub(super) fn refreshed(&mut self) {
        (self.due, self.refreshed) = (None, Instant::now());
        self.is_told.store(false, Ordering::Relaxed);
    }
}
