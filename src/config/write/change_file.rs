//! Change of a configuration file: read, edited as text, checked, and replaced as a whole.

use super::WriteError;
use crate::config::ConfigError;
use crate::config::config_file::{FileShape, text_of};
use elenchus_store::{replace_own, replace_private};
use std::fs::{DirBuilder, File, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Longest wait for other processes that change the file, and interval of the attempts.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(10);

/// Result of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeOutcome {
    Written,
    /// The file had these values already.
    Nothing,
}

/// Reason that a file was not changed.
#[derive(Debug, Error)]
pub enum ChangeError {
    #[error("{path}: {source}; nothing was written")]
    Change { path: String, source: WriteError },
    #[error("{source}; mend that first: nothing was written")]
    Broken { source: ConfigError },
    #[error("{path} is {what}, which is not replaced by a file; nothing was written")]
    NotAFile { path: String, what: &'static str },
    #[error("{path} may not be written to (chmod u+w allows it); it stays as it was")]
    ReadOnly { path: String },
    #[error("{path} was changed by another program meanwhile; nothing was written: try again")]
    Meanwhile { path: String },
    #[error("{why}; the file stays as it was")]
    Disk { why: String },
}

/// Changes a configuration file: `change` receives its text, `None` where there is no file yet, and
/// returns the new one. It replaces the old file as a whole, and only if it can be parsed as a
/// configuration; permissions stay, and a link leads to the changed file. A new file is readable by
/// its owner alone.
///
/// # Errors
/// When it cannot be read, changed or written; the old file stays.
pub fn change_file<T>(
    path: &Path,
    change: impl FnOnce(&str) -> Result<(String, T), WriteError>,
) -> Result<(T, ChangeOutcome), ChangeError> {
    let _held = lock_folder(path)?;
    let shown = path.display().to_string();
    let broken = |source| ChangeError::Broken { source };
    let is_new = is_new(path)?;
    let before = match is_new {
        true => String::new(),
        false => text_of(path).map_err(broken)?,
    };
    // A file that was broken before would be blamed on the change.
    FileShape::of_text(path, &before).map_err(broken)?;
    let (after, done) = change(&before).map_err(|source| ChangeError::Change {
        path: shown,
        source,
    })?;
    if after == before {
        return Ok((done, ChangeOutcome::Nothing));
    }
    FileShape::of_text(path, &after).map_err(broken)?;
    let is_same = match is_new {
        true => !path.exists(),
        false => text_of(path).is_ok_and(|now| now == before),
    };
    if !is_same {
        let path = path.display().to_string();
        return Err(ChangeError::Meanwhile { path });
    }
    let written = match is_new {
        true => replace_private(path, after.as_bytes()),
        false => replace_own(path, after.as_bytes()),
    };
    written.map_err(|error| ChangeError::Disk {
        why: error.to_string(),
    })?;
    Ok((done, ChangeOutcome::Written))
}

/// Locks the file's folder while a file in it is changed: jobs that register their servers at the
/// same time would overwrite each other.
fn lock_folder(path: &Path) -> Result<Option<File>, ChangeError> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // A fault of the folder is reported when the file is written.
    let _ = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    let Ok(open) = File::open(folder) else {
        return Ok(None);
    };
    let began = Instant::now();
    loop {
        match open.try_lock() {
            Ok(()) => return Ok(Some(open)),
            Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                std::thread::sleep(PAUSE);
            }
            Err(TryLockError::WouldBlock) => {
                let path = path.display().to_string();
                return Err(ChangeError::Meanwhile { path });
            }
            // A file system without locks: changes made meanwhile are detected later.
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Returns whether there is no file yet.
fn is_new(path: &Path) -> Result<bool, ChangeError> {
    let refused = |what| ChangeError::NotAFile {
        path: path.display().to_string(),
        what,
    };
    match (path.metadata(), path.symlink_metadata()) {
        (Ok(found), _) if found.is_dir() => Err(refused("a folder")),
        (Ok(found), _) if !found.is_file() => Err(refused("a pipe, socket or device")),
        (Ok(found), _) if found.permissions().readonly() => Err(ChangeError::ReadOnly {
            path: path.display().to_string(),
        }),
        (Ok(_), _) => Ok(false),
        (Err(_), Ok(_)) => Err(refused("a link to nothing")),
        (Err(_), Err(_)) => Ok(true),
    }
}
