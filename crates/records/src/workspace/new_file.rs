//! Files that a person asked for by name; an existing file is never overwritten.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// A file that was not written.
#[derive(Debug, Clone, Error)]
pub enum FileError {
    #[error("choose another name: {0} is there already")]
    Exists(String),
    #[error("{path} cannot be written: {source}")]
    Refused {
        path: String,
        source: Arc<std::io::Error>,
    },
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
