//! Index of a store's sessions: what lists and filters ask for, so that they need not read every
//! journal.
//!
//! Journals are the truth. An entry counts while its journal is the file, of the length and time, that
//! it was when it was read; else while the journal still ends at the entry's watermark. The store's
//! index is open only while it is read or written as a whole, never while journals are read.

use super::error::WorkspaceError;
use super::rows::arm;
use super::session::read_session_to;
use super::session_list::SessionOverview;
use super::session_summary::summary;
use crate::debate::event::Player;
use crate::debate::{SessionId, State};
use crate::store::{
    Head, Index, IndexChange, IndexEntry, IndexNotice, IndexOptions, IndexTable, Layout,
    check_seen, has_head,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Table of sessions, by id.
const SESSIONS: &str = "sessions/3";
/// Version of what an overview means.
const SOFTWARE: &str = env!("CARGO_PKG_VERSION");

/// Entries of a store's sessions as they were read, and those that are to be written.
#[derive(Debug)]
pub struct SessionIndex {
    layout: Layout,
    known: IndexTable,
    /// Changes since the last write, or the reason that nothing is written.
    changes: Result<Mutex<Changes>, String>,
}

type Changes = BTreeMap<Vec<u8>, Option<IndexEntry>>;

/// Stamp of a journal's file, to notice a change without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    changed_s: i64,
    changed_ns: i64,
    inode: u64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let found = fs::symlink_metadata(path).ok()?;
        Some(Self {
            bytes: found.len(),
            changed_s: found.mtime(),
            changed_ns: found.mtime_nsec(),
            inode: found.ino(),
        })
    }
}

/// Value of an entry.
#[derive(Serialize, Deserialize)]
struct IndexedSession {
    software: String,
    stamp: Stamp,
    overview: SessionOverview,
}

impl IndexedSession {
    /// Reads an entry's value; `None` for one of another version.
    fn of(entry: &IndexEntry) -> Option<Self> {
        let indexed: Self = serde_json::from_slice(&entry.value).ok()?;
        (indexed.software == SOFTWARE).then_some(indexed)
    }
}

impl SessionIndex {
    /// An index that knows nothing and keeps nothing: every journal is read.
    pub fn without(layout: &Layout) -> Self {
        Self::new(layout, Err("journals alone are read".to_owned()))
    }

    /// An index that knows nothing and keeps what is read.
    pub fn empty(layout: &Layout) -> Self {
        Self::new(layout, Ok(Mutex::default()))
    }

    fn new(layout: &Layout, changes: Result<Mutex<Changes>, String>) -> Self {
        Self {
            layout: layout.clone(),
            known: IndexTable::default(),
            changes: changes.and_then(|changes| match layout.root().exists() {
                true => Ok(changes),
                false => Err("there is no store yet".to_owned()),
            }),
        }
    }

    /// Reads the index of a store, with what a user should know. Blocks, for another process 200 ms at
    /// most; what cannot be read then counts as empty.
    pub fn read(layout: &Layout) -> (Self, Option<IndexNotice>) {
        let mut read = Self::empty(layout);
        if read.why_off().is_some() {
            return (read, None);
        }
        let (mut index, notice) = Index::open(&layout.cache(), IndexOptions::default());
        read.known = index.table(SESSIONS);
        if let Some(why) = index.why_off() {
            read.changes = Err(why.to_owned());
        }
        (read, notice)
    }

    /// Returns the reason that nothing is kept, if so.
    pub fn why_off(&self) -> Option<&str> {
        self.changes.as_ref().err().map(String::as_str)
    }

    /// Returns the store's layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the overview of a session; its journal is read only if it has changed.
    ///
    /// # Errors
    /// When the journal cannot be read, or holds less than it was seen to hold.
    pub fn overview(&self, id: &SessionId) -> Result<SessionOverview, WorkspaceError> {
        let path = self.layout.session(id.as_str())?;
        // Before the journal is read: if it grows meanwhile, the entry is merely out of date.
        let stamp = Stamp::of(&path);
        if let Some(entry) = self.known.get(id.as_str().as_bytes()) {
            if let Some(known) = IndexedSession::of(&entry) {
                if Some(known.stamp) == stamp {
                    return Ok(known.overview);
                }
                if matches!(entry.is_current(&path), Ok(true)) {
                    return Ok(self.note(id, stamp, entry.watermark, known.overview));
                }
            }
            // What is seen now must not take the place of what was seen: it may be less.
            check_seen(&path, &entry.watermark)?;
        }
        let (state, head) = read_session_to(&path)?;
        let overview = overview(id, &state).ok_or_else(|| WorkspaceError::Empty {
            path: path.display().to_string(),
        })?;
        Ok(self.note(id, stamp, head, overview))
    }

    /// Keeps an overview for the next write.
    fn note(
        &self,
        id: &SessionId,
        stamp: Option<Stamp>,
        watermark: Head,
        overview: SessionOverview,
    ) -> SessionOverview {
        let (Some(stamp), Some(mut changes)) = (stamp, self.changes()) else {
            return overview;
        };
        let indexed = IndexedSession {
            software: SOFTWARE.to_owned(),
            stamp,
            overview,
        };
        if let Ok(value) = serde_json::to_vec(&indexed) {
            let entry = IndexEntry { watermark, value };
            changes.insert(id.as_str().into(), Some(entry));
        }
        indexed.overview
    }

    /// Removes the sessions that are not `there`, with the next write.
    pub fn keep_only(&self, there: &[SessionId]) {
        let Some(mut changes) = self.changes() else {
            return;
        };
        let there: BTreeSet<&[u8]> = there.iter().map(|id| id.as_str().as_bytes()).collect();
        // One that began since they were listed is not gone.
        let is_gone = |key: &[u8]| {
            let path = std::str::from_utf8(key).map(|id| self.layout.session(id));
            !matches!(path, Ok(Ok(path)) if path.exists())
        };
        let known = self.known.keys().filter(|key| !there.contains(key));
        let gone = known.filter(|key| is_gone(key));
        changes.extend(gone.map(|key| (key.to_vec(), None)));
    }

    /// Writes what has changed, in one batch. Blocks, for another process 200 ms at most; what could not
    /// be written is kept for the next time.
    pub fn write(&self) {
        if self.changes().is_some_and(|changes| !changes.is_empty()) {
            // Nobody needs to know why: what is not in the index is read from journals.
            let _ = self.write_after(|_| {});
        }
    }

    /// Writes what was read in place of all that the store's index holds. Blocks as [`write`](Self::write).
    ///
    /// # Errors
    /// With the reason that the index cannot be written.
    pub fn replace_all(&self) -> Result<(), String> {
        self.write_after(Index::clear)
    }

    fn write_after(&self, prepare: impl FnOnce(&mut Index)) -> Result<(), String> {
        // Not held any longer: journals are read meanwhile, on other threads.
        let changes = self
            .changes()
            .map(|mut changes| std::mem::take(&mut *changes));
        let batch: Vec<IndexChange> = changes.unwrap_or_default().into_iter().collect();
        let (mut index, _) = match self.why_off() {
            None => Index::open(&self.layout.cache(), IndexOptions::default()),
            Some(why) => return Err(why.to_owned()),
        };
        prepare(&mut index);
        index.write(SESSIONS, &batch);
        let Some(why) = index.why_off() else {
            return Ok(());
        };
        if let Some(mut changes) = self.changes() {
            for (key, entry) in batch {
                changes.entry(key).or_insert(entry);
            }
        }
        Err(why.to_owned())
    }

    /// Returns the heads at which journals without one of their own were last seen: a journal that does
    /// not reach its head any more has lost its end.
    pub fn watermarks(&self) -> BTreeMap<SessionId, Head> {
        let seen = |key: &[u8]| {
            let id = std::str::from_utf8(key).ok()?;
            let path = self.layout.session(id).ok()?;
            // Where there is one it alone counts: what was seen may never have been durable.
            let entry = self.known.get(key).filter(|_| !has_head(&path))?;
            Some((SessionId::new(id), entry.watermark))
        };
        self.known.keys().filter_map(seen).collect()
    }

    fn changes(&self) -> Option<MutexGuard<'_, Changes>> {
        let changes = self.changes.as_ref().ok()?.lock();
        Some(changes.unwrap_or_else(PoisonError::into_inner))
    }
}

/// Sums a session up for lists; `None` for one that has not begun.
pub(super) fn overview(id: &SessionId, state: &State) -> Option<SessionOverview> {
    let created = state.created()?;
    let models = created.cast.iter().filter_map(|one| match &one.player {
        Player::Model(model) => Some(model.model.clone()),
        Player::Human { .. } | Player::Fixed(_) => None,
    });
    let models: BTreeSet<String> = models.collect();
    Some(SessionOverview {
        summary: summary(id, state)?,
        parent: state.forked_from().last().cloned(),
        models: models.into_iter().collect(),
        arm: arm(state, created),
        driven_by: None,
    })
}
