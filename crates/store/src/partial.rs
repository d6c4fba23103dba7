//! Side files of replies that are still coming: their words so far, next to no journal and in no
//! chain.
//!
//! ```text
//! partial/<session>.<call>         JSON lines; <call> is a number that no other call of the session has
//! trash/partial/<session>.<call>   those of deleted sessions
//! ```
//!
//! A side file only bridges the time until its call's outcome is in the journal. It is never
//! synced: it survives the end of this process, and a power cut may take it. Only the holder of
//! the session's lock touches it.

use std::{
    fs::{self, File},
    io::{Read, Write},
    path::{Path, PathBuf},
};

use super::files::{create_folders, create_private, open_regular};
use super::journal_path::folder_of;
use super::{Access, Layout, Result, StoreError};

/// The store's folder of side files.
const FOLDER: &str = "partial";
/// The most bytes of a side file that are read; a reply has fewer.
const MAX_BYTES: u64 = 64 << 20;

/// Side file of one call. It does not exist before something is appended.
#[derive(Debug)]
pub struct PartialFile {
    path: PathBuf,
    open: Option<File>,
}

impl PartialFile {
    /// Returns the side file of a call of the session at `journal`; touches nothing. `None` where
    /// the journal lies in no store.
    pub fn from_call(journal: &Path, call: u64) -> Option<Self> {
        Layout::session_at(journal)?;
        let (folder, session) = folder_and_session(journal)?;
        let path = folder.join(format!("{session}.{call}"));
        Some(Self { path, open: None })
    }

    /// Returns whether anything was appended.
    pub fn has_content(&self) -> bool {
        self.open.is_some()
    }

    /// Appends a line, without waiting for the disk. The first one replaces what an earlier process
    /// left.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn append_line(&mut self, mut line: Vec<u8>) -> Result<()> {
        line.push(b'\n');
        let mut file = match self.open.take() {
            Some(file) => file,
            None => create_file(&self.path)?,
        };
        file.write_all(&line)
            .map_err(StoreError::from_io("write", &self.path))?;
        self.open = Some(file);
        Ok(())
    }

    /// Removes the file, if anything was appended.
    pub fn remove(&mut self) {
        if self.open.take().is_some() {
            // What stays is removed when the session is opened next.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn create_file(path: &Path) -> Result<File> {
    if let Some(folder) = path.parent() {
        create_folders(folder)?;
    }
    // Removing a link removes the link; creating afterwards follows none.
    let _ = fs::remove_file(path);
    create_private(path)
}

/// Side files that an earlier process left for the session at `journal`: call and path, by call.
/// The caller holds the session's lock.
pub fn partial_files(journal: &Path) -> Vec<(u64, PathBuf)> {
    let Some((folder, session)) = folder_and_session(journal) else {
        return Vec::new();
    };
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let of_session = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let (of, call) = name.to_str()?.rsplit_once('.')?;
        Some((call.parse().ok()?, entry.path())).filter(|_| of == session)
    };
    let mut files: Vec<(u64, PathBuf)> = entries.flatten().filter_map(of_session).collect();
    files.sort();
    files
}

/// Reads a side file: its whole lines. An incomplete last line was never acknowledged to anybody.
///
/// # Errors
/// As [`open_regular`].
pub fn read_partial(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path, Access::Read)?
        .take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .map_err(StoreError::from_io("read", path))?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n');
    bytes.truncate(whole.map_or(0, |at| at + 1));
    Ok(bytes)
}

/// Removes a side file whose words are in the journal, or that belongs to no call. A link is
/// removed and not followed.
pub fn remove_partial(path: &Path) {
    let _ = fs::remove_file(path);
}

/// Moves the side files of a session along with its journal. The caller holds the session's lock.
///
/// # Errors
/// [`StoreError::Io`].
pub(super) fn move_partials(from: &Path, to: &Path) -> Result<()> {
    let Some((folder, _)) = folder_and_session(to) else {
        return Ok(());
    };
    for (_, path) in partial_files(from) {
        create_folders(&folder)?;
        let to = folder.join(path.file_name().unwrap_or_default());
        fs::rename(&path, to).map_err(StoreError::from_io("move", &path))?;
    }
    Ok(())
}

/// Returns the folder of the side files of a session's journal, and what their names begin with.
fn folder_and_session(journal: &Path) -> Option<(PathBuf, &str)> {
    let (root, folder) = folder_of(journal)?;
    let folder = match folder.to_str()? {
        "sessions" => root.join(FOLDER),
        "trash" => root.join(folder).join(FOLDER),
        _ => return None,
    };
    Some((folder, journal.file_stem()?.to_str()?))
}
