//! Bounded on-disk cache (key to bytes), one small file for each key; entries can be recomputed and
//! may be deleted at any time.
//!
//! A file holds one key and its value and is written whole, under a name derived from the key. A
//! broken file counts as missing, and the oldest files are deleted when a limit is exceeded.
//! Nothing is synced to the disk.

use super::files::{create_folders, create_private, read_regular};
use super::hash::Hash;
use super::{Result, StoreError};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

/// Limits of a file cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileCacheLimits {
    pub files: u64,
    pub bytes: u64,
}

/// Tenths of the limits that are left after a deletion of the oldest files.
const LEFT_OF_TEN: u64 = 9;

/// A folder of small files by key. Any number of processes can use one folder at the same time.
#[derive(Debug)]
pub struct FileCache {
    folder: PathBuf,
    limits: FileCacheLimits,
    /// Totals as far as this process knows; other processes add files too.
    totals: Mutex<Option<Totals>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    files: u64,
    bytes: u64,
}

impl FileCache {
    /// Names the folder; touches nothing.
    pub fn new(folder: PathBuf, limits: FileCacheLimits) -> Self {
        Self {
            folder,
            limits,
            totals: Mutex::new(None),
        }
    }

    /// Returns the value of a key; `None` where there is no readable one. Blocks.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let bytes = read_regular(&self.file_path(key)).ok()?;
        let sum = bytes.get(..SUM_BYTES)?;
        let rest = bytes.get(SUM_BYTES..)?;
        if sum != Hash::digest(rest).as_bytes() {
            return None;
        }
        let (named, value) = rest.split_at_checked(key.len())?;
        (named == key.as_bytes()).then(|| value.to_vec())
    }

    /// Stores a value under a key in place of the old one, and deletes the oldest files where a
    /// limit is exceeded. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Io`]; the old value stays.
    pub fn insert(&self, key: &str, value: &[u8]) -> Result<()> {
        let rest = [key.as_bytes(), value].concat();
        let size = (SUM_BYTES + rest.len()) as u64;
        if size > self.limits.bytes {
            return Ok(());
        }
        create_folders(&self.folder)?;
        let path = self.file_path(key);
        // Two threads may store one key at once: each writes a file of its own.
        let fresh = path.with_extension(format!("{}.{:?}.new", std::process::id(), thread_id()));
        let _ = fs::remove_file(&fresh);
        let write_result = create_private(&fresh).and_then(|mut file| {
            let whole = file
                .write_all(Hash::digest(&rest).as_bytes())
                .and_then(|()| file.write_all(&rest))
                .and_then(|()| fs::rename(&fresh, &path));
            whole.map_err(StoreError::from_io("write", &path))
        });
        if let Err(error) = write_result {
            let _ = fs::remove_file(&fresh);
            return Err(error);
        }
        self.count_file(size);
        Ok(())
    }

    fn file_path(&self, key: &str) -> PathBuf {
        self.folder.join(Hash::digest(key.as_bytes()).to_string())
    }

    fn count_file(&self, added: u64) {
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        let now = match *totals {
            Some(before) => Totals {
                files: before.files.saturating_add(1),
                bytes: before.bytes.saturating_add(added),
            },
            None => sum_totals(&list_files(&self.folder)),
        };
        let is_too_much = now.files > self.limits.files || now.bytes > self.limits.bytes;
        *totals = Some(match is_too_much {
            true => self.delete_oldest(),
            false => now,
        });
    }

    /// Deletes the oldest files until there is room again, and returns the new totals.
    fn delete_oldest(&self) -> Totals {
        let mut files = list_files(&self.folder);
        files.sort_by(|one, other| (one.at, &one.path).cmp(&(other.at, &other.path)));
        let mut left = sum_totals(&files);
        let part = |limit: u64| limit / 10 * LEFT_OF_TEN;
        for file in files {
            if left.files <= part(self.limits.files) && left.bytes <= part(self.limits.bytes) {
                break;
            }
            // It may have been deleted by another process.
            let _ = fs::remove_file(&file.path);
            left.files = left.files.saturating_sub(1);
            left.bytes = left.bytes.saturating_sub(file.bytes);
        }
        left
    }
}

/// A file begins with the hash of the rest.
const SUM_BYTES: usize = 32;

fn thread_id() -> std::thread::ThreadId {
    std::thread::current().id()
}

struct CachedFile {
    path: PathBuf,
    at: SystemTime,
    bytes: u64,
}

fn list_files(folder: &Path) -> Vec<CachedFile> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let files = entries.flatten().filter_map(|entry| {
        let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(CachedFile {
            path: entry.path(),
            at: about.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            bytes: about.len(),
        })
    });
    files.collect()
}

fn sum_totals(files: &[CachedFile]) -> Totals {
    Totals {
        files: files.len() as u64,
        bytes: files.iter().map(|file| file.bytes).sum(),
    }
}
