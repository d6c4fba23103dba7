//! Change of a configuration file: read, edited as text, checked, and replaced as a whole.

use super::WriteError;
use crate::config::ConfigError;
use crate::config::config_file::{FileShape, read_text};
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
    let path_text = path.display().to_string();
    let broken_error = |source| ChangeError::Broken { source };
    let is_new = is_new(path)?;
    let old_text = match is_new {
        true => String::new(),
        false => read_text(path).map_err(broken_error)?,
    };
    // A file that was broken before would be blamed on the change.
    FileShape::parse_text(path, &old_text).map_err(broken_error)?;
    let (new_text, value) = change(&old_text).map_err(|source| ChangeError::Change {
        path: path_text,
        source,
    })?;
    if new_text == old_text {
        return Ok((value, ChangeOutcome::Nothing));
    }
    FileShape::parse_text(path, &new_text).map_err(broken_error)?;
    let is_same = match is_new {
        true => !path.exists(),
        false => read_text(path).is_ok_and(|now| now == old_text),
    };
    if !is_same {
        let path = path.display().to_string();
        return Err(ChangeError::Meanwhile { path });
    }
    let write_result = match is_new {
        true => replace_private(path, new_text.as_bytes()),
        false => replace_own(path, new_text.as_bytes()),
    };
    write_result.map_err(|error| ChangeError::Disk {
        why: error.to_string(),
    })?;
    Ok((value, ChangeOutcome::Written))
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
    let start = Instant::now();
    loop {
        match open.try_lock() {
            Ok(()) => return Ok(Some(open)),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
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
    let refusal = |what| ChangeError::NotAFile {
        path: path.display().to_string(),
        what,
    };
    match (path.metadata(), path.symlink_metadata()) {
        (Ok(found), _) if found.is_dir() => Err(refusal("a folder")),
        (Ok(found), _) if !found.is_file() => Err(refusal("a pipe, socket or device")),
        (Ok(found), _) if found.permissions().readonly() => Err(ChangeError::ReadOnly {
            path: path.display().to_string(),
        }),
        (Ok(_), _) => Ok(false),
        (Err(_), Ok(_)) => Err(refusal("a link to nothing")),
        (Err(_), Err(_)) => Ok(true),
    }
}
