//! Stamp of a journal: size, time and inode of its file and of its head, to notice a change without
//! opening either.

use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt, path::Path};

use super::files::parent_of;
use super::layout::{JOURNAL, is_safe_name};
use super::reader::entries_with;
use super::{Layout, Result, heads};

/// Stamp of a journal and of its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JournalStamp {
    journal: FileStamp,
    /// All zero where there is no head.
    head: FileStamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct FileStamp {
    bytes: u64,
    changed_s: i64,
    changed_ns: i64,
    inode: u64,
}

impl FileStamp {
    const BYTES: usize = 4 * 8;

    fn new(found: &fs::Metadata) -> Self {
        Self {
            bytes: found.len(),
            changed_s: found.mtime(),
            changed_ns: found.mtime_nsec(),
            inode: found.ino(),
        }
    }

    fn from_path(path: &Path) -> Option<Self> {
        Some(Self::new(&fs::symlink_metadata(path).ok()?))
    }

    fn to_bytes(self) -> [[u8; 8]; 4] {
        [
            self.bytes.to_be_bytes(),
            self.changed_s.to_be_bytes(),
            self.changed_ns.to_be_bytes(),
            self.inode.to_be_bytes(),
        ]
    }

    fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let (parts, _) = bytes.as_chunks::<8>();
        let [bytes, changed_s, changed_ns, inode] = parts.first_chunk::<4>()?;
        Some(Self {
            bytes: u64::from_be_bytes(*bytes),
            changed_s: i64::from_be_bytes(*changed_s),
            changed_ns: i64::from_be_bytes(*changed_ns),
            inode: u64::from_be_bytes(*inode),
        })
    }
}

impl JournalStamp {
    pub(super) const BYTES: usize = 2 * FileStamp::BYTES;

    /// Takes the stamp of the journal at `path`; `None` where there is none.
    ///
    /// What is read afterwards is at least as new: if the journal grows meanwhile, the stamp is merely
    /// out of date.
    pub fn from_path(path: &Path) -> Option<Self> {
        let head = heads::head_path(path).and_then(|head| FileStamp::from_path(&head));
        Some(Self {
            journal: FileStamp::from_path(path)?,
            head: head.unwrap_or_default(),
        })
    }

    /// Returns the length of the journal's file.
    pub fn bytes(&self) -> u64 {
        self.journal.bytes
    }

    pub(super) fn write_to(&self, into: &mut Vec<u8>) {
        for part in [self.journal.to_bytes(), self.head.to_bytes()] {
            into.extend_from_slice(part.as_flattened());
        }
    }

    pub(super) fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let (journal, head) = bytes.split_first_chunk()?;
        Some(Self {
            journal: FileStamp::from_bytes(journal)?,
            head: FileStamp::from_bytes(head.first_chunk()?)?,
        })
    }
}

impl Layout {
    /// Takes the stamps of all sessions, by id, with one listing of their folder and one of their heads'.
    ///
    /// # Errors
    /// [`StoreError::Io`](crate::StoreError::Io).
    pub fn session_stamps(&self) -> Result<BTreeMap<String, JournalStamp>> {
        let stamps_in = |any: &Path, suffix| {
            entries_with(&parent_of(any), suffix, |entry| {
                entry.metadata().ok().map(|found| FileStamp::new(&found))
            })
        };
        let any = self.session_path("any")?;
        // Heads first, as [`JournalStamp::of`] does.
        let heads = match heads::head_path(&any) {
            Some(head) => stamps_in(&head, "")?.into_iter().collect(),
            None => BTreeMap::new(),
        };
        let mut journals = stamps_in(&any, JOURNAL)?;
        journals.retain(|(id, _)| is_safe_name(id));
        let stamp = |(id, journal): (String, FileStamp)| {
            let head = heads.get(&id).copied().unwrap_or_default();
            (id, JournalStamp { journal, head })
        };
        Ok(journals.into_iter().map(stamp).collect())
    }
}
