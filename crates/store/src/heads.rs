//! Head files: durable length and last hash of each journal, stored apart from the journals.
//!
//! A chain cannot show that its own end was cut off, or that its last line was changed. So the
//! holder of a journal's lock records its length in a small file outside the chain:
//!
//! ```text
//! heads/<folder of the journal>/<name>    {"bytes":5120,"lines":9,"hash":"<of the last line>"}
//! ```
//!
//! A head is never ahead of the durable lines of its journal. It is written at most once a second,
//! and then without waiting for the disk, and durably when the journal is closed. Readers never
//! write one.

use std::{
    ffi::OsStr,
    fmt, fs,
    io::Read,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::files::{
    create_folders, open_regular, parent_of, place_durable, place_private, sync_folder,
};
use super::layout::JOURNAL;
use super::{Access, Head, Result, StoreError, SyncPool, journal_path, layout};

/// The store's folder of heads.
const HEADS: &str = "heads";
/// The most bytes of a head file; it takes a few hundred, and some more for each loss that was
/// accepted.
const MAX_BYTES: u64 = 1 << 20;

/// Content of a head file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HeadFile {
    #[serde(flatten)]
    pub(super) head: Head,
    /// Heads recorded elsewhere that were given up as lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) accepted: Vec<Head>,
    /// Time of the journal's import, if it was imported: what came from elsewhere is ordered by when it
    /// came, never by times of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) imported: Option<String>,
    /// Folder or file that it was imported from; earlier versions recorded the time alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) imported_from: Option<String>,
    /// How many lines came with the import; those behind them were written here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) imported_lines: Option<u64>,
    /// Whether everything after `head` was given up.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) rest_lost: bool,
}

// serde hands over a reference.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_false(value: &bool) -> bool {
    !value
}

impl HeadFile {
    pub(super) fn from_head(head: Head) -> Self {
        Self {
            head,
            accepted: Vec::new(),
            imported: None,
            imported_from: None,
            imported_lines: None,
            rest_lost: false,
        }
    }
}

/// Returns the path of the head of the journal at `path`; `None` for a file that is in no folder of
/// a store.
pub(super) fn head_path(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?.strip_suffix(JOURNAL)?;
    let (root, kind) = journal_path::folder_of(path)?;
    Some(root.join(HEADS).join(kind).join(name))
}

/// Reads the head of the journal at `path`. It must be read before the journal: a journal that
/// grows meanwhile is then merely longer.
///
/// `None` where none was written, or the file is not a valid head: a power cut can leave an empty
/// file.
pub(super) fn read_head_file(path: &Path) -> Option<HeadFile> {
    let file = open_regular(&head_path(path)?, Access::Read).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Returns whether the journal at `path` has a readable head.
pub fn has_head(path: &Path) -> bool {
    read_head_file(path).is_some()
}

/// Import of a journal: when it came into this store, and from where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// RFC 3339.
    pub at: String,
    /// Folder or file that it was read from; earlier versions did not record it.
    pub from: Option<String>,
    /// How many of its lines came with it; earlier versions did not record it.
    pub lines: Option<u64>,
}

/// Characters of a time in RFC 3339 to the day.
const DAY_CHARS: usize = 10;

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let day = self.at.get(..DAY_CHARS).unwrap_or(&self.at);
        match &self.from {
            Some(from) => write!(f, "imported from {from}, {day}"),
            None => write!(f, "imported, {day}"),
        }
    }
}

/// Returns the import of the journal at `path`; `None` for one that was begun here.
pub fn import_of(path: &Path) -> Option<Import> {
    let head = read_head_file(path)?;
    Some(Import {
        at: head.imported?,
        from: head.imported_from,
        lines: head.imported_lines,
    })
}

/// Writes the head of a journal at `path` that was imported at a time, RFC 3339, from a folder or file;
/// whole and durable. An existing head stays: the journal was here before, and may have come back with
/// fewer lines.
pub fn begin_head(path: &Path, head: Head, at: &str, from: &str) -> Result<()> {
    if has_head(path) {
        return Ok(());
    }
    let mark = HeadFile {
        imported: Some(at.to_owned()),
        imported_from: Some(from.to_owned()),
        imported_lines: Some(head.lines),
        ..HeadFile::from_head(head)
    };
    write_head_file(path, &mark, Durability::Soon)
}

/// Returns the path of a session after a move to the trash, or from there: a crash during the move,
/// or a person, can have moved it without its head.
fn trash_path(path: &Path) -> Option<PathBuf> {
    let (root, folder) = journal_path::folder_of(path)?;
    let other = match folder.to_str()? {
        "sessions" => "trash",
        "trash" => "sessions",
        _ => return None,
    };
    Some(root.join(other).join(path.file_name()?))
}

/// Refuses to create a journal in place of one that had acknowledged lines and is gone. A journal
/// in the trash is not gone.
pub(super) fn refuse_gone(path: &Path) -> Result<()> {
    read_head_file(path).map_or(Ok(()), |mark| match mark.head.lines {
        0 => Ok(()),
        _ if trash_path(path).is_some_and(|trashed| trashed.exists()) => Ok(()),
        lines => Err(StoreError::Damaged {
            path: path.to_owned(),
            why: format!("it is gone, and {lines} lines of it were acknowledged"),
        }),
    })
}

impl HeadFile {
    /// Checks a line that goes from `before` to `after`: if the head is within it, the line must
    /// end at the head.
    pub(super) fn check_line(&self, path: &Path, before: &Head, after: &Head) -> Result<()> {
        let reaches = before.bytes < self.head.bytes && self.head.bytes <= after.bytes;
        if !reaches || *after == self.head {
            return Ok(());
        }
        Err(StoreError::Damaged {
            path: path.to_owned(),
            why: format!(
                "line {} is not the one that was acknowledged",
                self.head.lines
            ),
        })
    }

    /// Checks, at the end of the file, that the head was passed.
    pub(super) fn check_end(&self, path: &Path, end: &Head) -> Result<()> {
        if end.bytes >= self.head.bytes {
            return Ok(());
        }
        Err(StoreError::Damaged {
            path: path.to_owned(),
            why: format!(
                "{} lines are there and {} were acknowledged: the end was cut off",
                end.lines, self.head.lines
            ),
        })
    }
}

/// Durability of a write of a head.
#[derive(Debug, Clone, Copy)]
pub(super) enum Durability<'a> {
    /// Without waiting for the disk.
    Soon,
    Durably(&'a SyncPool),
}

/// Writes the head of the journal at `path`; only for the holder of its lock. Does nothing for a
/// file that is in no folder of a store.
pub(super) fn write_head_file(path: &Path, mark: &HeadFile, put: Durability<'_>) -> Result<()> {
    // A store that was removed as a whole is not created again.
    let Some(place) = head_path(path).filter(|_| parent_of(path).is_dir()) else {
        return Ok(());
    };
    let folder = parent_of(&place);
    create_folders(&folder)?;
    // Numbers and hashes always become JSON.
    let mut bytes = serde_json::to_vec(mark).unwrap_or_default();
    bytes.push(b'\n');
    match put {
        Durability::Soon => place_private(&place, &bytes),
        Durability::Durably(executor) => {
            place_durable(&place, &bytes)?;
            executor.sync_folder(&folder)
        }
    }
}

/// Moves the head of a journal that was moved from `from` to `to`, durably.
///
/// A journal without a head leaves an existing head at its new place: that one records how far it
/// went there.
pub fn move_head(from: &Path, to: &Path) -> Result<()> {
    let (Some(from), Some(to)) = (head_path(from), head_path(to)) else {
        return Ok(());
    };
    if !from.exists() {
        return Ok(());
    }
    let (old, new) = (parent_of(&from), parent_of(&to));
    create_folders(&new)?;
    fs::rename(&from, &to).map_err(StoreError::from_io("move", &from))?;
    // The new name first, as with the journal.
    sync_folder(&new)?;
    sync_folder(&old)
}

/// Removes the head of a journal that is gone, durably.
pub(super) fn remove_head_file(path: &Path) -> Result<()> {
    let Some(place) = head_path(path) else {
        return Ok(());
    };
    fs::remove_file(&place).map_err(StoreError::from_io("remove", &place))?;
    sync_folder(&parent_of(&place))
}

/// Lists the journals of the store at `root` that have heads, sorted, whether or not the journals
/// exist.
pub(super) fn journals_of(root: &Path) -> Result<Vec<PathBuf>> {
    let heads = root.join(HEADS);
    let mut folders = vec![PathBuf::new()];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(heads.join(&folder)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(StoreError::from_io("list", heads.join(&folder))(error)),
        };
        for entry in entries {
            let entry = entry.map_err(StoreError::from_io("list", &heads))?;
            let kind = entry.file_type();
            let kind = kind.map_err(StoreError::from_io("read", entry.path()))?;
            let name = entry.file_name();
            if kind.is_dir() {
                folders.push(folder.join(&name));
            } else if let Some(path) = journal_of(root, &folder, &name) {
                paths.push(path);
            }
        }
    }
    paths.sort_unstable();
    Ok(paths)
}

/// Lists the journals of one folder of a store that are gone and had acknowledged lines.
pub(super) fn list_gone_journals(folder: &Path) -> Vec<PathBuf> {
    let any = head_path(&folder.join(format!("x{JOURNAL}")));
    let entries = any.and_then(|any| fs::read_dir(parent_of(&any)).ok());
    let names = entries.into_iter().flatten().filter_map(|entry| {
        let name = entry.ok()?.file_name();
        name.to_str()
            .filter(|name| layout::is_safe_name(name))
            .map(str::to_owned)
    });
    let mut gone_paths: Vec<PathBuf> = names
        .map(|name| folder.join(format!("{name}{JOURNAL}")))
        .filter(|path| !path.exists() && refuse_gone(path).is_err())
        .collect();
    gone_paths.sort_unstable();
    gone_paths
}

/// Returns the journal whose head is `name` in `folder`; `None` for other files, such as the rest
/// of an interrupted write.
fn journal_of(root: &Path, folder: &Path, name: &OsStr) -> Option<PathBuf> {
    let name = name.to_str().filter(|name| layout::is_safe_name(name))?;
    let path = journal_path::journal_in(root, folder, name);
    // Only a journal whose head belongs exactly here.
    (head_path(&path)? == root.join(HEADS).join(folder).join(name)).then_some(path)
}
