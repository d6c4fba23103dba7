//! Files that a person asked for by name; an existing file is never overwritten unless that is asked for.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// A file that was not written.
#[derive(Debug, Clone, Error)]
pub enum FileError {
    #[error("choose another name: {0} is there already")]
    Exists(String),
    #[error("choose another name: {0} is no file that can be replaced")]
    NoFile(String),
    #[error("{path} cannot be written: {source}")]
    Refused {
        path: String,
        source: Arc<std::io::Error>,
    },
}

/// What becomes of a file that has the name already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFile {
    /// It stays, and nothing is written.
    Refused,
    /// It stays until the new one is whole, and is replaced then.
    Replaced,
}

/// Refuses a name that a file has already, before the work for another one is done.
///
/// # Errors
/// When there is a file of that name.
pub fn refuse_existing(path: &Path) -> Result<(), FileError> {
    match path.try_exists() {
        Ok(true) => Err(FileError::Exists(path.display().to_string())),
        // What cannot be looked at is refused when it is written.
        Ok(false) | Err(_) => Ok(()),
    }
}

/// Writes a new file, durable when this returns. Blocks.
///
/// # Errors
/// When there is a file of that name, or the disk refuses.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write_file(path, 0o666, |file| file.write_all(bytes))
}

/// Writes a new file as [`write_new`] does, for its owner alone.
///
/// # Errors
/// As [`write_new`].
pub fn write_new_private(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write_file(path, 0o600, |file| file.write_all(bytes))
}

/// Writes a new file for its owner alone, piece by piece.
///
/// # Errors
/// As [`write_new`].
pub fn stream_new_private(
    path: &Path,
    pieces: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), FileError> {
    write_file(path, 0o600, |file| {
        let mut writer = std::io::BufWriter::new(file);
        pieces(&mut writer)?;
        writer.flush()
    })
}

/// Writes a file as [`write_new`] does, or in the place of one that is there.
///
/// # Errors
/// As [`write_new`]; of a file that is replaced when it is a link, a folder or a device. What was there stays then.
pub fn write_export(path: &Path, existing: ExistingFile, bytes: &[u8]) -> Result<(), FileError> {
    match existing {
        ExistingFile::Refused => write_new(path, bytes),
        ExistingFile::Replaced => replace_file(path, |beside| write_new(beside, bytes)),
    }
}

/// Writes a file as [`stream_new_private`] does, or in the place of one that is there.
///
/// # Errors
/// As [`write_export`].
pub fn stream_private_export(
    path: &Path,
    existing: ExistingFile,
    pieces: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), FileError> {
    match existing {
        ExistingFile::Refused => stream_new_private(path, pieces),
        ExistingFile::Replaced => replace_file(path, |beside| stream_new_private(beside, pieces)),
    }
}

/// Has a file written beside the one that it replaces, so that a reader finds the old one or the new one.
fn replace_file(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), FileError>,
) -> Result<(), FileError> {
    match std::fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() => return Err(FileError::NoFile(path.display().to_string())),
        // What cannot be looked at is refused when it is written.
        Ok(_) | Err(_) => {}
    }
    let beside = name_beside(path);
    // A process of the same number may have been killed here before.
    let _ = std::fs::remove_file(&beside);
    write(&beside)?;
    std::fs::rename(&beside, path).map_err(|source| {
        let _ = std::fs::remove_file(&beside);
        FileError::Refused {
            path: path.display().to_string(),
            source: source.into(),
        }
    })
}

fn name_beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.new", std::process::id()));
    path.with_file_name(name)
}

fn write_file(
    path: &Path,
    mode: u32,
    pieces: impl FnOnce(&mut File) -> std::io::Result<()>,
) -> Result<(), FileError> {
    let file_error = |source: std::io::Error| match source.kind() {
        ErrorKind::AlreadyExists => FileError::Exists(path.display().to_string()),
        _ => FileError::Refused {
            path: path.display().to_string(),
            source: source.into(),
        },
    };
    let mut options = OpenOptions::new();
    let creation = options.write(true).create_new(true).mode(mode).open(path);
    let mut file = creation.map_err(file_error)?;
    let result = pieces(&mut file).and_then(|()| file.sync_all());
    result.map_err(|source| {
        // Half a file would be taken for a whole one.
        let _ = std::fs::remove_file(path);
        file_error(source)
    })
}
