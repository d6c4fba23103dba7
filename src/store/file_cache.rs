//! Small files by key, bounded in number and bytes: what can be asked for again is kept to be spared.
//!
//! One file holds one key and its value, written whole under a name made of the key. Every file can be
//! deleted at any time, by anybody, one that is broken is as if it were not there, and the oldest go
//! when there are too many. Nothing here is the truth about anything, so nothing is synced to the disk.

use super::StoreError;
use super::files::{create_folders, create_private, read_regular};
use super::hash::Hash;
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

/// What a folder of kept files holds at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptLimits {
    pub files: u64,
    pub bytes: u64,
}

/// After a clearing so many of ten parts of what is allowed are left.
const LEFT_OF_TEN: u64 = 9;

/// A folder of small files by key. Any number of processes use one folder beside each other.
#[derive(Debug)]
pub struct KeptFiles {
    folder: PathBuf,
    limits: KeptLimits,
    /// What this process believes to be there; other processes add theirs.
    held: Mutex<Option<Held>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Held {
    files: u64,
    bytes: u64,
}

impl KeptFiles {
    /// Names the folder; touches nothing.
    pub fn new(folder: PathBuf, limits: KeptLimits) -> Self {
        Self {
            folder,
            limits,
            held: Mutex::new(None),
        }
    }

    /// Returns what is kept under a key; `None` where nothing readable is. Blocks.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let bytes = read_regular(&self.path(key)).ok()?;
        let sum = bytes.get(..SUM_BYTES)?;
        let rest = bytes.get(SUM_BYTES..)?;
        if sum != Hash::of(rest).as_bytes() {
            return None;
        }
        let (named, value) = rest.split_at_checked(key.len())?;
        (named == key.as_bytes()).then(|| value.to_vec())
    }

    /// Keeps a value under a key, in place of what was there, and lets the oldest go where there are
    /// too many. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Io`]; what was there stays.
    pub fn put(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        let rest = [key.as_bytes(), value].concat();
        let size = (SUM_BYTES + rest.len()) as u64;
        if size > self.limits.bytes {
            return Ok(());
        }
        create_folders(&self.folder)?;
        let path = self.path(key);
        // Two threads may keep one key: each writes a file of its own.
        let fresh = path.with_extension(format!("{}.{:?}.new", std::process::id(), thread()));
        let _ = fs::remove_file(&fresh);
        let written = create_private(&fresh).and_then(|mut file| {
            let whole = file
                .write_all(Hash::of(&rest).as_bytes())
                .and_then(|()| file.write_all(&rest))
                .and_then(|()| fs::rename(&fresh, &path));
            whole.map_err(StoreError::io("write", &path))
        });
        if let Err(error) = written {
            let _ = fs::remove_file(&fresh);
            return Err(error);
        }
        self.count(size);
        Ok(())
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(Hash::of(key.as_bytes()).to_string())
    }

    fn count(&self, added: u64) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let now = match *held {
            Some(before) => Held {
                files: before.files.saturating_add(1),
                bytes: before.bytes.saturating_add(added),
            },
            None => sum(&listed(&self.folder)),
        };
        let is_too_much = now.files > self.limits.files || now.bytes > self.limits.bytes;
        *held = Some(match is_too_much {
            true => self.clear(),
            false => now,
        });
    }

    /// Deletes the oldest until there is room again, and returns what is left.
    fn clear(&self) -> Held {
        let mut files = listed(&self.folder);
        files.sort_by(|one, other| (one.at, &one.path).cmp(&(other.at, &other.path)));
        let mut left = sum(&files);
        let part = |limit: u64| limit / 10 * LEFT_OF_TEN;
        for file in files {
            if left.files <= part(self.limits.files) && left.bytes <= part(self.limits.bytes) {
                break;
            }
            // What somebody else deleted is gone as well.
            let _ = fs::remove_file(&file.path);
            left.files = left.files.saturating_sub(1);
            left.bytes = left.bytes.saturating_sub(file.bytes);
        }
        left
    }
}

/// A file begins with the hash of the rest.
const SUM_BYTES: usize = 32;

fn thread() -> std::thread::ThreadId {
    std::thread::current().id()
}

struct Listed {
    path: PathBuf,
    at: SystemTime,
    bytes: u64,
}

fn listed(folder: &Path) -> Vec<Listed> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let files = entries.flatten().filter_map(|entry| {
        let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some(Listed {
            path: entry.path(),
            at: about.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            bytes: about.len(),
        })
    });
    files.collect()
}

fn sum(files: &[Listed]) -> Held {
    Held {
        files: files.len() as u64,
        bytes: files.iter().map(|file| file.bytes).sum(),
    }
}
