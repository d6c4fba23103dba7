//! Private files and folders, and durable replacement of files.

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;

use super::{Result, StoreError};

const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

/// Creates a file that only its owner can read, under any umask; refuses when one exists.
pub fn create_private(path: &Path) -> Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(path)
        .map_err(StoreError::from_io("create", path))?;
    // A umask can take away what `mode` gave.
    file.set_permissions(Permissions::from_mode(FILE_MODE))
        .map_err(StoreError::from_io("make private", path))?;
    Ok(file)
}

/// Mode of opening a file of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    /// Writes go to the end only.
    Append,
}

/// Opens a file of a store: a regular one, by its own name.
///
/// A link is not followed, since it can lead out of the store. Files that are not regular are
/// refused without waiting: opening a FIFO would never return, reading a device never end.
///
/// # Errors
/// [`StoreError::Missing`]; [`StoreError::NotAFile`]; [`StoreError::Io`].
pub fn open_regular(path: &Path, access: Access) -> Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let open_result = OpenOptions::new()
        .read(true)
        .append(access == Access::Append)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    let not_a_file = |what| StoreError::NotAFile {
        path: path.to_owned(),
        what,
    };
    let file = open_result.map_err(|error| match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => not_a_file("a link"),
        Ok(_) | Err(_) => StoreError::from_io("open", path)(error),
    })?;
    let metadata = file.metadata().map_err(StoreError::from_io("read", path))?;
    if metadata.is_file() {
        Ok(file)
    } else if metadata.is_dir() {
        Err(not_a_file("a folder"))
    } else {
        Err(not_a_file("a pipe, socket or device"))
    }
}

/// Reads a file of a store whole, as [`open_regular`] opens it.
///
/// # Errors
/// As [`open_regular`].
pub fn read_regular(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path, Access::Read)?
        .read_to_end(&mut bytes)
        .map_err(StoreError::from_io("read", path))?;
    Ok(bytes)
}

/// Reads the first bytes of a file: the complete lines of a journal, as its head says.
///
/// # Errors
/// [`StoreError::Io`], also where the file has become shorter.
pub fn read_exactly(path: &Path, bytes: u64) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    let read = File::open(path).and_then(|file| file.take(bytes).read_to_end(&mut content));
    match read.map_err(StoreError::from_io("read", path))? as u64 == bytes {
        true => Ok(content),
        false => Err(StoreError::from_io("read", path)(io::Error::other(
            "it became shorter while it was read; try again",
        ))),
    }
}

/// Replaces or creates a private file as a whole, without waiting for the disk. A link at its path
/// is replaced and never followed.
pub(super) fn place_private(path: &Path, bytes: &[u8]) -> Result<()> {
    write_and_rename(path, bytes, |_| Ok(()))
}

/// As [`place_private`], and the bytes are durable; the name is durable once its folder was synced.
pub(super) fn place_durable(path: &Path, bytes: &[u8]) -> Result<()> {
    write_and_rename(path, bytes, File::sync_all)
}

fn write_and_rename(
    path: &Path,
    bytes: &[u8],
    settle: impl FnOnce(&File) -> io::Result<()>,
) -> Result<()> {
    let fresh = fresh_name(path);
    // A process of the same number may have been killed here before.
    let _ = fs::remove_file(&fresh);
    let write_result = create_private(&fresh).and_then(|mut file| {
        file.write_all(bytes)
            .and_then(|()| settle(&file))
            .and_then(|()| fs::rename(&fresh, path))
            .map_err(StoreError::from_io("write", path))
    });
    if write_result.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    write_result
}

/// Path at which a file is written before it replaces `path`: a name that no journal or head has.
fn fresh_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.new", std::process::id()));
    path.with_file_name(name)
}

/// Replaces or creates a private file as a whole, durably: a reader finds the old bytes or the new
/// ones.
///
/// # Errors
/// When a folder or the file cannot be written; the old file stays.
pub fn replace_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = parent_of(path);
    create_folders(&folder)?;
    place_durable(path, bytes)?;
    sync_folder(&folder)
}

/// Replaces or creates a user's file as a whole, durably: a reader finds the old bytes or the new
/// ones. Its permissions stay, and a link stays a link.
///
/// # Errors
/// When a folder or the file cannot be written; the old file stays.
pub fn replace_own(path: &Path, bytes: &[u8]) -> Result<()> {
    // A link means that the user keeps the file elsewhere: it is changed there.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = parent_of(path);
    fs::create_dir_all(&folder).map_err(StoreError::from_io("create the folder", &folder))?;
    let before = fs::metadata(path).map(|file| file.permissions()).ok();
    let fresh = fresh_name(path);
    // A process of the same number may have been killed here before.
    let _ = fs::remove_file(&fresh);
    let write_result = File::create_new(&fresh).and_then(|mut file| {
        file.write_all(bytes)?;
        if let Some(before) = before {
            file.set_permissions(before)?;
        }
        file.sync_all()?;
        fs::rename(&fresh, path)
    });
    if let Err(error) = write_result {
        let _ = fs::remove_file(&fresh);
        return Err(StoreError::from_io("write", path)(error));
    }
    sync_folder(&folder)
}

/// Creates `folder` and its missing parents, each private and durable.
pub fn create_folders(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let parent = parent_of(folder);
    create_folders(&parent)?;
    match DirBuilder::new().mode(FOLDER_MODE).create(folder) {
        Ok(()) => {}
        // Another process created it first, and makes it private too.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {
            return Ok(());
        }
        Err(error) => return Err(StoreError::from_io("create the folder", folder)(error)),
    }
    fs::set_permissions(folder, Permissions::from_mode(FOLDER_MODE))
        .map_err(StoreError::from_io("make private", folder))?;
    sync_folder(&parent)
}

/// Makes the names in `folder` durable: a file that is synced can still lose its name.
pub fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(StoreError::from_io("sync the folder", folder))
}

/// Returns the folder that holds `path`; the current one for a bare name.
pub fn parent_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    }
}

/// Appends a suffix to the whole file name: `a.jsonl` and `.lock` make `a.jsonl.lock`.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut text = path.as_os_str().to_owned();
    text.push(suffix);
    PathBuf::from(text)
}

/// Returns whether `path` still names the open `file`: it may have been moved since it was opened.
pub(super) fn still_names(path: &Path, file: &File) -> bool {
    match (fs::metadata(path), file.metadata()) {
        (Ok(named), Ok(open)) => named.dev() == open.dev() && named.ino() == open.ino(),
        (Err(_), _) | (_, Err(_)) => false,
    }
}

/// Removes all permissions of group and others in `folder` and one level of folders below it, as
/// far as that works.
pub(super) fn make_private(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(FOLDER_MODE));
    let mut folders = vec![folder.to_owned()];
    for level in 0..2 {
        for folder in std::mem::take(&mut folders) {
            let Ok(entries) = fs::read_dir(folder) else {
                continue;
            };
            for entry in entries.flatten() {
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if kind.is_file() {
                    let _ = fs::set_permissions(entry.path(), Permissions::from_mode(FILE_MODE));
                } else if kind.is_dir() && level == 0 {
                    let _ = fs::set_permissions(entry.path(), Permissions::from_mode(FOLDER_MODE));
                    folders.push(entry.path());
                }
            }
        }
    }
}
