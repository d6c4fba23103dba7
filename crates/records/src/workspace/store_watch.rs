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

/// The watch, and when what is listed is to be read again.
pub struct StoreWatch {
    /// Something was written since the list was read: said once until it is read again.
    is_told: Arc<AtomicBool>,
    due: Option<Instant>,
    refreshed: Instant,
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
            _watch: FolderWatch::start(folders, ".jsonl", tell).ok(),
        }
    }

    /// Takes note that something was written.
    pub fn note_change(&mut self) {
        self.due.get_or_insert(self.refreshed + REFRESH_EVERY);
    }

    /// Returns when to read again, if anything was written.
    pub fn due_at(&self) -> Option<Instant> {
        self.due
    }

    /// Takes note that it is read again now; what is written from here on is told again.
    pub fn note_refresh(&mut self) {
        (self.due, self.refreshed) = (None, Instant::now());
        self.is_told.store(false, Ordering::Relaxed);
    }
}
