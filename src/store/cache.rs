//! Cache of values derived from journals, in sled.
//!
//! Every entry can vanish on its own: sled 0.34 loses records in power cuts and opens damaged files
//! short. So each entry carries the watermark of the journal it was derived from, and one entry
//! should hold everything that was derived from one journal: a missing part is then noticed.

use std::{
    fmt,
    fs::{self, File, OpenOptions, Permissions, TryLockError},
    io,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
    time::Duration,
};

use super::catch_panic::catch;
use super::files::{create_folders, make_private, parent_of, with_suffix};
use super::reader::{is_current, names_with};
use super::{Hash, Head, StoreError};

/// Options for opening a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheOptions {
    /// Memory that sled may use for pages.
    pub capacity_bytes: u64,
}

impl Default for CacheOptions {
    fn default() -> Self {
        Self {
            capacity_bytes: 16 << 20,
        }
    }
}

/// A cached value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheEntry {
    /// Head of the journal that the value was derived from.
    pub watermark: Head,
    pub value: Vec<u8>,
}

impl CacheEntry {
    /// Returns whether the journal at `path` still ends where it did when the value was derived.
    pub fn is_current(&self, path: &Path) -> Result<bool, StoreError> {
        is_current(path, &self.watermark)
    }
}

/// A notice for the user about a cache that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CacheNotice {
    /// Nothing is cached in this process: everything is read from journals.
    Off { why: String },
    /// The folder could not be used and was moved to `aside`; an empty one was begun.
    Damaged { why: String, aside: PathBuf },
}

impl fmt::Display for CacheNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off { why } => write!(f, "working without the cache, from journals alone: {why}"),
            Self::Damaged { why, aside } => write!(
                f,
                "the cache was damaged ({why}) and is built again from journals; the old one is in {}",
                aside.display()
            ),
        }
    }
}

/// Tables of opaque bytes in front of the journals.
///
/// No operation fails: a cache that is off, or was turned off by a fault of sled, has no entries
/// and stores none. Dropping it closes the files.
pub struct Cache {
    state: Mutex<CacheState>,
    folder: PathBuf,
}

enum CacheState {
    On {
        db: sled::Db,
        // After `db`: the next process may open the files only when they are closed.
        _lock: File,
    },
    Off {
        why: String,
    },
}

/// Number of damaged folders that are kept for inspection.
const MAX_DAMAGED_KEPT: u64 = 3;
/// Mark left by a process whose cache failed in use: the next process begins with an empty folder.
const SUSPECT_SUFFIX: &str = ".suspect";
const LOCK_SUFFIX: &str = ".lock";
/// sled's threads can keep its files locked for a moment after closing in the same process.
const OPEN_TRIES: u32 = 50;
const OPEN_PAUSE: Duration = Duration::from_millis(10);

impl Cache {
    /// Opens the cache in `folder`. This succeeds with any content of the folder; the notice says
    /// what a user should know.
    pub fn open(folder: &Path, options: CacheOptions) -> (Self, Option<CacheNotice>) {
        let (state, notice) = match open(folder, options) {
            Ok((db, lock, notice)) => (CacheState::On { db, _lock: lock }, notice),
            Err(why) => {
                let notice = CacheNotice::Off { why: why.clone() };
                (CacheState::Off { why }, Some(notice))
            }
        };
        let cache = Self {
            state: Mutex::new(state),
            folder: folder.to_owned(),
        };
        (cache, notice)
    }

    /// Returns a cache that is off.
    pub fn off(why: impl Into<String>) -> Self {
        Self {
            state: Mutex::new(CacheState::Off { why: why.into() }),
            folder: PathBuf::new(),
        }
    }

    /// Returns the reason that the cache is off, if it is.
    pub fn why_off(&self) -> Option<String> {
        match &*self.lock() {
            CacheState::On { .. } => None,
            CacheState::Off { why } => Some(why.clone()),
        }
    }

    /// Reads an entry. A damaged one counts as missing.
    pub fn get(&self, table: &str, key: &[u8]) -> Option<CacheEntry> {
        let name = EntryName::of(table, key);
        let bytes = self.with(|db| db.get(name.bytes()))??;
        decode(&name, &bytes)
    }

    /// Stores an entry; `watermark` is the head of the journal that `value` was derived from.
    pub fn put(&self, table: &str, key: &[u8], watermark: &Head, value: &[u8]) {
        let name = EntryName::of(table, key);
        let bytes = encode(&name, watermark, value);
        self.with(|db| db.insert(name.bytes(), bytes).map(drop));
    }

    /// Removes an entry.
    pub fn remove(&self, table: &str, key: &[u8]) {
        self.with(|db| db.remove(EntryName::of(table, key).bytes()).map(drop));
    }

    /// Reads a whole table, sorted by key, without damaged entries.
    pub fn entries(&self, table: &str) -> Vec<(Vec<u8>, CacheEntry)> {
        let prefix = EntryName::of(table, b"");
        let read = self.with(|db| {
            db.scan_prefix(prefix.bytes())
                .collect::<sled::Result<Vec<_>>>()
        });
        let key_of = |name: &[u8]| name.get(prefix.bytes().len()..).map(<[u8]>::to_vec);
        read.unwrap_or_default()
            .into_iter()
            .filter_map(|(name, bytes)| {
                let key = key_of(&name)?;
                let entry = decode(&EntryName::of(table, &key), &bytes)?;
                Some((key, entry))
            })
            .collect()
    }

    /// Counts a table's entries, damaged ones included.
    pub fn len(&self, table: &str) -> usize {
        let prefix = EntryName::of(table, b"");
        self.with(|db| {
            db.scan_prefix(prefix.bytes())
                .keys()
                .try_fold(0, |count, key| key.map(|_| count + 1))
        })
        .unwrap_or_default()
    }

    /// Removes all entries.
    pub fn clear(&self) {
        self.with(|db| db.clear());
    }

    /// Writes the entries to disk, without a guarantee of durability.
    pub fn flush(&self) {
        self.with(|db| db.flush().map(drop));
        if self.why_off().is_none() {
            make_private(&self.folder);
        }
    }

    /// Runs one operation of sled. A panic or an error turns the cache off.
    fn with<T>(&self, work: impl FnOnce(&sled::Db) -> sled::Result<T>) -> Option<T> {
        let mut state = self.lock();
        let CacheState::On { db, .. } = &*state else {
            return None;
        };
        let why = match catch(|| work(db)) {
            Ok(Ok(value)) => return Some(value),
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panic,
        };
        let _ = private_file(&with_suffix(&self.folder, SUSPECT_SUFFIX));
        let failed = std::mem::replace(&mut *state, CacheState::Off { why });
        let _ = catch(|| drop(failed));
        None
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CacheState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("folder", &self.folder)
            .field("why_off", &self.why_off())
            .finish_non_exhaustive()
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let why = "closed".to_owned();
        let state = std::mem::replace(&mut *self.lock(), CacheState::Off { why });
        if let CacheState::On { db, _lock } = state {
            let _ = catch(|| drop(db));
            make_private(&self.folder);
        }
    }
}

/// Key of an entry in sled: the length of the table's name, the name, then the key.
struct EntryName(Vec<u8>);

impl EntryName {
    fn of(table: &str, key: &[u8]) -> Self {
        let mut bytes = (table.len() as u64).to_be_bytes().to_vec();
        bytes.extend_from_slice(table.as_bytes());
        bytes.extend_from_slice(key);
        Self(bytes)
    }

    fn bytes(&self) -> &[u8] {
        &self.0
    }
}

const CHECKSUM_BYTES: usize = 16;
const WATERMARK_BYTES: usize = 8 + 8 + 32;

/// Checksum of all that follows and of the entry's name, then the watermark, then the value.
fn encode(name: &EntryName, watermark: &Head, value: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; CHECKSUM_BYTES];
    bytes.extend_from_slice(&watermark.bytes.to_be_bytes());
    bytes.extend_from_slice(&watermark.lines.to_be_bytes());
    bytes.extend_from_slice(watermark.hash.as_bytes());
    bytes.extend_from_slice(value);
    let checksum = checksum(name, &bytes[CHECKSUM_BYTES..]);
    bytes[..CHECKSUM_BYTES].copy_from_slice(&checksum);
    bytes
}

fn decode(name: &EntryName, bytes: &[u8]) -> Option<CacheEntry> {
    let (kept, rest) = bytes.split_first_chunk::<CHECKSUM_BYTES>()?;
    if *kept != checksum(name, rest) {
        return None;
    }
    let (watermark, value) = rest.split_first_chunk::<WATERMARK_BYTES>()?;
    let (bytes, watermark) = watermark.split_first_chunk::<8>()?;
    let (lines, hash) = watermark.split_first_chunk::<8>()?;
    Some(CacheEntry {
        watermark: Head {
            bytes: u64::from_be_bytes(*bytes),
            lines: u64::from_be_bytes(*lines),
            hash: Hash::from_bytes(hash.try_into().ok()?),
        },
        value: value.to_vec(),
    })
}

fn checksum(name: &EntryName, bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut sum = [0; CHECKSUM_BYTES];
    let mut text = (name.bytes().len() as u64).to_be_bytes().to_vec();
    text.extend_from_slice(name.bytes());
    text.extend_from_slice(bytes);
    sum.copy_from_slice(&Hash::of(&text).as_bytes()[..CHECKSUM_BYTES]);
    sum
}

fn open(
    folder: &Path,
    options: CacheOptions,
) -> Result<(sled::Db, File, Option<CacheNotice>), String> {
    create_folders(&parent_of(folder)).map_err(|e| e.to_string())?;
    let lock = lock(&with_suffix(folder, LOCK_SUFFIX))?;
    let suspect = with_suffix(folder, SUSPECT_SUFFIX);
    let first = if suspect.exists() {
        Err(OpenFailure::Damaged(
            "it failed while it was used".to_owned(),
        ))
    } else {
        open_sled(folder, options)
    };
    let why = match first {
        Ok(db) => return Ok((db, lock, None)),
        Err(OpenFailure::Unusable(why)) => return Err(why),
        Err(OpenFailure::Damaged(why)) => why,
    };
    let aside = move_aside(folder).map_err(|e| format!("{why}; moving it aside failed: {e}"))?;
    let _ = fs::remove_file(suspect);
    match open_sled(folder, options) {
        Ok(db) => Ok((db, lock, Some(CacheNotice::Damaged { why, aside }))),
        Err(OpenFailure::Unusable(again) | OpenFailure::Damaged(again)) => {
            Err(format!("{why}; an empty one did not open either: {again}"))
        }
    }
}

/// A lock of our own, so that a folder in use is never taken for a damaged one and moved away.
fn lock(path: &Path) -> Result<File, String> {
    let file = private_file(path).map_err(|e| format!("cannot open {}: {e}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err("another process uses it".to_owned()),
        Err(TryLockError::Error(error)) => Err(format!("cannot lock {}: {error}", path.display())),
    }
}

fn private_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(path)?;
    // A umask can take away what `mode` gave.
    file.set_permissions(Permissions::from_mode(0o600))?;
    Ok(file)
}

enum OpenFailure {
    /// Moving it aside would not help, or would take it from another process.
    Unusable(String),
    Damaged(String),
}

fn open_sled(folder: &Path, options: CacheOptions) -> Result<sled::Db, OpenFailure> {
    if folder.exists() && !folder.is_dir() {
        return Err(OpenFailure::Damaged("it is not a folder".to_owned()));
    }
    create_folders(folder).map_err(|e| OpenFailure::Unusable(e.to_string()))?;
    let config = sled::Config::new()
        .path(folder)
        .cache_capacity(options.capacity_bytes)
        // Flushes are explicit, instead of a thread that wakes up twice a second.
        .flush_every_ms(None);
    for _ in 0..OPEN_TRIES {
        match catch(|| config.open()) {
            Ok(Ok(db)) => {
                make_private(folder);
                return Ok(db);
            }
            // sled has no kind of error for this.
            Ok(Err(sled::Error::Io(error))) if error.to_string().contains("acquire lock") => {
                thread::sleep(OPEN_PAUSE);
            }
            Ok(Err(error)) => return Err(OpenFailure::Damaged(error.to_string())),
            Err(panic) => return Err(OpenFailure::Damaged(panic)),
        }
    }
    Err(OpenFailure::Unusable("its files are locked".to_owned()))
}

/// Renames the folder to `<folder>.damaged-<n>` and removes the oldest of these when there are more
/// than [`MAX_DAMAGED_KEPT`].
fn move_aside(folder: &Path) -> io::Result<PathBuf> {
    let parent = parent_of(folder);
    let prefix = match folder.file_name() {
        Some(name) => format!("{}.damaged-", name.to_string_lossy()),
        None => return Err(io::Error::other("the folder has no name")),
    };
    let names = names_with(&parent, "").map_err(io::Error::other)?;
    let mut numbers: Vec<u64> = names
        .iter()
        .filter_map(|name| name.strip_prefix(&prefix)?.parse().ok())
        .collect();
    numbers.sort_unstable();
    let next = numbers.last().map_or(Some(1), |last| last.checked_add(1));
    let next = next.ok_or_else(|| io::Error::other("there is no number left"))?;
    let aside = parent.join(format!("{prefix}{next}"));
    fs::rename(folder, &aside)?;
    let keep_from = next.saturating_sub(MAX_DAMAGED_KEPT - 1);
    for old in numbers.into_iter().filter(|number| *number < keep_from) {
        let old = parent.join(format!("{prefix}{old}"));
        // It may have been a file instead of a folder.
        let _ = fs::remove_dir_all(&old).or_else(|_| fs::remove_file(&old));
    }
    Ok(aside)
}
