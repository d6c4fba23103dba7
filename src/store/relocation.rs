//! Moves of journals within a store with their heads, missing journals, and copies.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::files::{create_folders, open_regular, sync_folder};
use super::lock::Lock;
use super::reader::line_ending_at;
use super::{Access, Hash, Layout, StoreError, heads};

/// Finds journals that are byte-for-byte copies of another one in the same folder, each with the
/// first of its kind in the given order. Unreadable files are left to their readers to report.
pub fn find_copies(paths: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let mut alike: BTreeMap<(Option<&Path>, u64), Vec<&PathBuf>> = BTreeMap::new();
    for path in paths {
        let found = fs::symlink_metadata(path).ok();
        let length = found.filter(fs::Metadata::is_file).map(|found| found.len());
        if let Some(length) = length.filter(|length| *length > 0) {
            let of = alike.entry((path.parent(), length)).or_default();
            of.push(path);
        }
    }
    alike.retain(|_, paths| paths.len() > 1);
    let mut copied = Vec::new();
    for ((_, length), paths) in alike {
        let mut first: BTreeMap<Hash, &PathBuf> = BTreeMap::new();
        for path in paths {
            // A line holds the hash of the one before: where the last lines are equal, all are.
            let file = open_regular(path, Access::Read).ok();
            let Some(last) = file.and_then(|file| line_ending_at(&file, length).ok()?) else {
                continue;
            };
            match first.entry(last) {
                Entry::Occupied(of) => copied.push((path.clone(), (*of.get()).clone())),
                Entry::Vacant(new) => drop(new.insert(path)),
            }
        }
    }
    copied
}

impl Layout {
    /// Lists journals with acknowledged lines that are gone, sorted: only their heads are left. A
    /// journal in the trash is not gone.
    pub fn gone(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut gone = heads::journals_of(self.root())?;
        let trash = self.root().join("trash");
        // Emptying the trash is intended.
        gone.retain(|path| {
            !path.exists() && !path.starts_with(&trash) && heads::refuse_gone(path).is_err()
        });
        Ok(gone)
    }

    /// Lists sessions that are byte-for-byte copies of another one, each with that one: an id is
    /// one file.
    ///
    /// Only forks can be: any other session names its own id in its first event.
    pub fn copied_sessions(&self) -> Result<Vec<(String, String)>, StoreError> {
        let mut paths = Vec::new();
        for id in self.sessions()? {
            paths.push(self.session(&id)?);
        }
        let id = |path: &Path| Self::session_at(path).map(str::to_owned);
        let copied = find_copies(&paths).into_iter();
        Ok(copied
            .filter_map(|(path, of)| id(&path).zip(id(&of)))
            .collect())
    }

    /// Moves a session to the trash. Nothing is ever removed from there.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when another writer has it open; [`StoreError::Missing`];
    /// [`StoreError::Exists`] when the trash has one of that id; [`StoreError::Io`].
    pub fn move_to_trash(&self, id: &str) -> Result<(), StoreError> {
        move_journal(&self.session(id)?, &self.trashed(id)?)
    }

    /// Brings a session back from the trash.
    ///
    /// # Errors
    /// As [`move_to_trash`](Self::move_to_trash).
    pub fn restore(&self, id: &str) -> Result<(), StoreError> {
        move_journal(&self.trashed(id)?, &self.session(id)?)
    }

    /// Moves a session of another store into this one.
    ///
    /// # Errors
    /// As [`move_to_trash`](Self::move_to_trash).
    pub fn take_session(&self, from: &Layout, id: &str) -> Result<(), StoreError> {
        move_journal(&from.session(id)?, &self.session(id)?)
    }
}

fn move_journal(from: &Path, to: &Path) -> Result<(), StoreError> {
    let (Some(from_folder), Some(to_folder)) = (from.parent(), to.parent()) else {
        return Err(StoreError::Missing {
            path: from.to_owned(),
        });
    };
    create_folders(to_folder)?;
    let file = open_regular(from, Access::Append)?;
    let _lock = Lock::take(&Arc::new(file), from, "moving it")?;
    if to.exists() {
        return Err(StoreError::Exists {
            path: to.to_owned(),
        });
    }
    fs::rename(from, to).map_err(StoreError::io("move", from))?;
    heads::move_head(from, to)?;
    // The new name first: after a power cut the journal has two names rather than none.
    sync_folder(to_folder)?;
    sync_folder(from_folder)
}
