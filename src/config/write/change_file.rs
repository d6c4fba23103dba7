//! A configuration file that is changed: read, changed as a text, checked, and put in place whole.

use super::super::ConfigError;
use super::super::file::{FileShape, text_of};
use super::WriteError;
use crate::driver::{replace_own, replace_private};
use std::fs::{DirBuilder, File, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long is waited for others who change a file, and how often is looked.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(10);

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    Written,
    /// It said so already.
    Nothing,
}

/// A file that stays as it is.
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
    #[error(
        "{path} was changed by somebody else meanwhile; nothing was written, so do it once more"
    )]
    Meanwhile { path: String },
    #[error("{why}; the file stays as it was")]
    Disk { why: String },
}

/// Changes a configuration file: `change` gets its text, none where there is no file yet, and returns
/// the new one. It takes the place of the old one whole and only if it can be read as a configuration;
/// permissions stay, and a link leads to the changed file. A new file is its owner's alone.
///
/// # Errors
/// When it cannot be read, changed or written; it stays as it was.
pub fn change_file<T>(
    path: &Path,
    change: impl FnOnce(&str) -> Result<(String, T), WriteError>,
) -> Result<(T, Changed), ChangeError> {
    let _held = held(path)?;
    let shown = path.display().to_string();
    let broken = |source| ChangeError::Broken { source };
    let is_new = is_new(path)?;
    let before = match is_new {
        true => String::new(),
        false => text_of(path).map_err(broken)?,
    };
    // What cannot be read as it is would be blamed on the change.
    FileShape::of_text(path, &before).map_err(broken)?;
    let (after, done) = change(&before).map_err(|source| ChangeError::Change {
        path: shown,
        source,
    })?;
    if after == before {
        return Ok((done, Changed::Nothing));
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
    Ok((done, Changed::Written))
}

/// Holds the file's folder while a file in it is changed: jobs that register their servers at once
/// would write over each other.
fn held(path: &Path) -> Result<Option<File>, ChangeError> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // Whatever is wrong with the folder is told when the file is written.
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
            // A file system without locks: what changed meanwhile is still found out.
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Whether there is no file yet.
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
