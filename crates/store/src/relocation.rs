//! Moves of journals within a store with their heads, missing journals, and copies.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::files::{create_folders, open_regular, sync_folder};
use super::lock::Lock;
use super::partial::move_partials;
use super::reader::line_ending_at;
use super::{Access, Hash, Head, Layout, Result, StoreError, heads};

/// Finds journals that are byte-for-byte copies of another one in the same folder, each with the
/// first of its kind in the given order. Unreadable files are left to their readers to report.
///
/// `ends` knows of some journals the head that is the end of the file: these are not opened.
pub fn find_copies(
    paths: &[PathBuf],
    ends: impl Fn(&Path) -> Option<Head>,
) -> Vec<(PathBuf, PathBuf)> {
    type Ended<'a> = (&'a PathBuf, Option<Hash>);
    let mut alike: BTreeMap<(Option<&Path>, u64), Vec<Ended<'_>>> = BTreeMap::new();
    for path in paths {
        let end = ends(path);
        let length = end.map(|end| end.bytes).or_else(|| {
            let metadata = fs::symlink_metadata(path).ok();
            metadata
                .filter(fs::Metadata::is_file)
                .map(|found| found.len())
        });
        if let Some(length) = length.filter(|length| *length > 0) {
            let of = alike.entry((path.parent(), length)).or_default();
            of.push((path, end.map(|end| end.hash)));
        }
    }
    alike.retain(|_, paths| paths.len() > 1);
    let mut copies = Vec::new();
    for ((_, length), paths) in alike {
        let mut first: BTreeMap<Hash, &PathBuf> = BTreeMap::new();
        for (path, last) in paths {
            // A line holds the hash of the one before: where the last lines are equal, all are.
            let Some(last) = last.or_else(|| {
                let file = open_regular(path, Access::Read).ok()?;
                line_ending_at(&file, length).ok()?
            }) else {
                continue;
            };
            match first.entry(last) {
                Entry::Occupied(of) => copies.push((path.clone(), (*of.get()).clone())),
                Entry::Vacant(new) => drop(new.insert(path)),
            }
        }
    }
    copies
}

impl Layout {
    /// Lists journals with acknowledged lines that are gone, sorted: only their heads are left. A
    /// journal in the trash is not gone.
    pub fn list_missing_journals(&self) -> Result<Vec<PathBuf>> {
        let mut gone_paths = heads::journals_of(self.root())?;
        let trash = self.root().join("trash");
        let mut here: BTreeMap<PathBuf, BTreeSet<OsString>> = BTreeMap::new();
        gone_paths.retain(|path| {
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
                return false;
            };
            // One listing of a folder, in place of a question about each of its journals.
            let here = match here.get(folder) {
                Some(here) => here,
                None => here.entry(folder.to_owned()).or_insert_with(|| {
                    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
                    entries.map(|entry| entry.file_name()).collect()
                }),
            };
            // Emptying the trash is intended.
            !here.contains(name)
                && !path.exists()
                && !path.starts_with(&trash)
                && heads::refuse_gone(path).is_err()
        });
        Ok(gone_paths)
    }

    /// Moves a session to the trash. Nothing is ever removed from there.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when another writer has it open; [`StoreError::Missing`];
    /// [`StoreError::Exists`] when the trash has one of that id; [`StoreError::Io`].
    pub fn move_to_trash(&self, id: &str) -> Result<()> {
        move_journal(&self.session_path(id)?, &self.trash_path(id)?)
    }

    /// Brings a session back from the trash.
    ///
    /// # Errors
    /// As [`move_to_trash`](Self::move_to_trash).
    pub fn restore_session(&self, id: &str) -> Result<()> {
        move_journal(&self.trash_path(id)?, &self.session_path(id)?)
    }

    /// Moves a session of another store into this one.
    ///
    /// # Errors
    /// As [`move_to_trash`](Self::move_to_trash).
    pub fn take_session(&self, from: &Layout, id: &str) -> Result<()> {
        move_journal(&from.session_path(id)?, &self.session_path(id)?)
    }
}

fn move_journal(from: &Path, to: &Path) -> Result<()> {
    let (Some(from_folder), Some(to_folder)) = (from.parent(), to.parent()) else {
        return Err(StoreError::Missing {
            path: from.to_owned(),
        });
    };
    create_folders(to_folder)?;
    let file = open_regular(from, Access::Append)?;
    let _lock = Lock::acquire(&Arc::new(file), from, "moving it")?;
    if to.exists() {
        return Err(StoreError::Exists {
            path: to.to_owned(),
        });
    }
    fs::rename(from, to).map_err(StoreError::from_io("move", from))?;
    heads::move_head(from, to)?;
    move_partials(from, to)?;
    // The new name first: after a power cut the journal has two names rather than none.
    sync_folder(to_folder)?;
    sync_folder(from_folder)
}
