//! Index of a store: values derived from journals, in sled.
//!
//! Processes share it: each opens it, reads or writes in one go, and drops it. It waits a
//! bounded time for another process, then goes on without.
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
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant, SystemTime},
};

use rustix::fs::OFlags;
use rustix::param::page_size;
use rustix::process::{Resource, getrlimit};

use super::catch_panic::catch_panic;
use super::files::{create_folders, make_private, parent_of, with_suffix};
use super::reader::{is_current, names_with};
use super::{Hash, Head, JournalStamp, Result};

/// Options for opening an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexOptions {
    /// Memory that sled may use for pages.
    pub capacity_bytes: u64,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self {
            capacity_bytes: 16 << 20,
        }
    }
}

/// A value of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// Stamp of the journal before it was read: while it holds, the journal and its head are as they
    /// were, and they agreed.
    pub stamp: JournalStamp,
    /// Head of the journal that the value was derived from.
    pub watermark: Head,
    pub value: Vec<u8>,
}

impl IndexEntry {
    /// Returns whether the journal at `path` still ends where it did when the value was derived.
    pub fn is_current(&self, path: &Path) -> Result<bool> {
        is_current(path, &self.watermark)
    }
}

/// A change of one key of a table: its new entry, or `None` to remove it.
pub type IndexChange = ((&'static str, Vec<u8>), Option<IndexEntry>);

/// Entries of a table that are read at once.
#[derive(Debug, Clone, Copy)]
pub enum IndexRows<'a> {
    /// Those whose keys begin so.
    Under(&'a str),
    /// Those of these keys.
    Of(&'a [String]),
}

/// A notice for the user about an index that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexNotice {
    /// Nothing is read from the index: everything is read from journals.
    Off { why: String },
    /// The folder could not be used and was moved to `aside`; an empty one was begun.
    Damaged { why: String, aside: PathBuf },
}

impl fmt::Display for IndexNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off { why } => write!(f, "working without the cache, from journals alone: {why}"),
            Self::Damaged { why, aside } => write!(
                f,
                "the cache was damaged ({why}) and is rebuilt; the old one is in {}",
                aside.display()
            ),
        }
    }
}

/// Tables of opaque bytes in front of the journals, opened.
///
/// No operation fails: an index that is off, or was turned off by a fault of sled, has no entries
/// and stores none. Dropping it makes it free for others.
pub struct Index {
    state: IndexState,
    folder: PathBuf,
    pauses: u32,
}

enum IndexState {
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
/// Mark left by a process whose index failed in use: the next process begins with an empty folder.
const SUSPECT_SUFFIX: &str = ".suspect";
const LOCK_SUFFIX: &str = ".lock";
/// Whether an index failed in this process: a panic on one of sled's own threads breaks sled until the
/// process ends.
static HAS_FAILED: AtomicBool = AtomicBool::new(false);
/// Entries of tables that are dropped at once.
const MAX_DROPPED: usize = 1_000;
/// Least address space to open the index: where sled cannot have a thread, it waits for it for ever.
const MIN_ROOM_BYTES: u64 = 512 << 20;
const PAUSE: Duration = Duration::from_millis(5);

impl Index {
    /// Number of pauses of 5 ms that are made at most for others: with what the last try takes, 200 ms.
    pub const MAX_PAUSES: u32 = 34;

    /// Opens the index in `folder`. This succeeds with any content of the folder; the notice says
    /// what a user should know. Blocks.
    pub fn open(folder: &Path, options: IndexOptions) -> (Self, Option<IndexNotice>) {
        let mut pauses = Pauses::new();
        let (state, notice) = match open_index(folder, options, &mut pauses) {
            Ok((db, lock, notice)) => (IndexState::On { db, _lock: lock }, notice),
            Err(why) => {
                let notice = IndexNotice::Off { why: why.clone() };
                (IndexState::Off { why }, Some(notice))
            }
        };
        let index = Self {
            state,
            folder: folder.to_owned(),
            pauses: pauses.count,
        };
        (index, notice)
    }

    /// Returns the reason that the index is off, if it is.
    pub fn why_off(&self) -> Option<&str> {
        match &self.state {
            IndexState::On { .. } => None,
            IndexState::Off { why } => Some(why),
        }
    }

    /// Returns how many pauses were made for others while it was opened.
    pub fn pause_count(&self) -> u32 {
        self.pauses
    }

    /// Reads a whole table.
    pub fn read_table(&mut self, name: &'static str) -> IndexTable {
        self.read_rows(name, &IndexRows::Under(""))
    }

    /// Reads some entries of a table.
    pub fn read_rows(&mut self, name: &'static str, selection: &IndexRows<'_>) -> IndexTable {
        let begin = EntryName::from_key(name, b"").as_bytes().len();
        let rows = self.run_operation(|db| match selection {
            IndexRows::Under(beginning) => {
                let prefix = EntryName::from_key(name, beginning.as_bytes());
                let rows = db.scan_prefix(prefix.as_bytes());
                rows.map(|row| row.map(|(name, bytes)| (name[begin..].to_vec(), bytes.to_vec())))
                    .collect()
            }
            IndexRows::Of(keys) => {
                let keys = keys.iter().map(String::as_bytes);
                let get = |key: &[u8]| {
                    let row = db
                        .get(EntryName::from_key(name, key).as_bytes())
                        .transpose()?;
                    Some(row.map(|bytes| (key.to_vec(), bytes.to_vec())))
                };
                keys.filter_map(get).collect()
            }
        });
        let mut rows: Vec<(Vec<u8>, Vec<u8>)> = rows.unwrap_or_default();
        rows.sort_unstable();
        IndexTable { name, rows }
    }

    /// Makes all changes in one batch.
    pub fn write_changes(&mut self, changes: &[IndexChange]) {
        let mut batch = sled::Batch::default();
        for ((table, key), entry) in changes {
            let name = EntryName::from_key(table, key);
            match entry {
                Some(entry) => batch.insert(name.as_bytes(), encode_entry(&name, entry)),
                None => batch.remove(name.as_bytes()),
            }
        }
        self.run_operation(|db| db.apply_batch(batch));
    }

    /// Removes 1,000 entries of these tables at most, in one batch; the rest with the next calls.
    pub fn drop_tables(&mut self, tables: impl Iterator<Item = String>) {
        self.run_operation(|db| {
            let names = tables.flat_map(|table| {
                let prefix = EntryName::from_key(&table, b"");
                db.scan_prefix(prefix.as_bytes()).keys()
            });
            let mut batch = sled::Batch::default();
            for name in names.take(MAX_DROPPED) {
                batch.remove(name?);
            }
            db.apply_batch(batch)
        });
    }

    /// Removes all entries of all tables.
    pub fn clear(&mut self) {
        self.run_operation(|db| db.clear());
    }

    /// Runs one operation of sled. A panic or an error turns the index off.
    fn run_operation<T>(&mut self, work: impl FnOnce(&sled::Db) -> sled::Result<T>) -> Option<T> {
        let IndexState::On { db, .. } = &self.state else {
            return None;
        };
        let why = match catch_panic(|| work(db)) {
            Ok(Ok(value)) => return Some(value),
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panic,
        };
        HAS_FAILED.store(true, Ordering::Relaxed);
        let _ = private_file(&with_suffix(&self.folder, SUSPECT_SUFFIX));
        self.turn_off(why);
        None
    }

    fn turn_off(&mut self, why: String) {
        let state = std::mem::replace(&mut self.state, IndexState::Off { why });
        if let IndexState::On { db, _lock } = state {
            // This writes to the disk what was not yet.
            let _ = catch_panic(|| drop(db));
            make_private(&self.folder);
        }
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.turn_off("closed".to_owned());
    }
}

/// A table as it was read. Entries are decoded when they are asked for.
#[derive(Debug, Default)]
pub struct IndexTable {
    name: &'static str,
    /// Sorted by key.
    rows: Vec<(Vec<u8>, Vec<u8>)>,
}

impl IndexTable {
    /// Returns an entry. A damaged one counts as missing.
    pub fn get(&self, key: &[u8]) -> Option<IndexEntry> {
        let at = self
            .rows
            .binary_search_by(|(one, _)| one.as_slice().cmp(key));
        let (key, bytes) = self.rows.get(at.ok()?)?;
        decode_entry(&EntryName::from_key(self.name, key), bytes)
    }

    /// Returns the keys in their order, those of damaged entries included.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.rows.iter().map(|(key, _)| key.as_slice())
    }
}

/// Pauses that were made for others.
struct Pauses {
    count: u32,
    began: Instant,
}

impl Pauses {
    fn new() -> Self {
        Self {
            count: 0,
            began: Instant::now(),
        }
    }

    /// Waits a little; `false` where it was waited long enough. On a busy machine a pause takes longer
    /// than it should, so there are fewer of them.
    fn wait_once(&mut self) -> bool {
        let longest = PAUSE * Index::MAX_PAUSES;
        let goes_on = self.count < Index::MAX_PAUSES && self.began.elapsed() < longest;
        if goes_on {
            self.count += 1;
            thread::sleep(PAUSE);
        }
        goes_on
    }
}

/// Key of an entry in sled: the length of the table's name, the name, then the key.
struct EntryName(Vec<u8>);

impl EntryName {
    fn from_key(table: &str, key: &[u8]) -> Self {
        let mut bytes = (table.len() as u64).to_be_bytes().to_vec();
        bytes.extend_from_slice(table.as_bytes());
        bytes.extend_from_slice(key);
        Self(bytes)
    }

    fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

const CHECKSUM_BYTES: usize = 16;
const WATERMARK_BYTES: usize = 8 + 8 + 32;

/// Checksum of all that follows and of the entry's name, then the watermark, the stamp, and the value.
fn encode_entry(name: &EntryName, entry: &IndexEntry) -> Vec<u8> {
    let IndexEntry {
        stamp,
        watermark,
        value,
    } = entry;
    let mut bytes = vec![0; CHECKSUM_BYTES];
    bytes.extend_from_slice(&watermark.bytes.to_be_bytes());
    bytes.extend_from_slice(&watermark.lines.to_be_bytes());
    bytes.extend_from_slice(watermark.hash.as_bytes());
    stamp.write_to(&mut bytes);
    bytes.extend_from_slice(value);
    let checksum = compute_checksum(name, &bytes[CHECKSUM_BYTES..]);
    bytes[..CHECKSUM_BYTES].copy_from_slice(&checksum);
    bytes
}

fn decode_entry(name: &EntryName, bytes: &[u8]) -> Option<IndexEntry> {
    let (kept, rest) = bytes.split_first_chunk::<CHECKSUM_BYTES>()?;
    if *kept != compute_checksum(name, rest) {
        return None;
    }
    let (watermark, rest) = rest.split_first_chunk::<WATERMARK_BYTES>()?;
    let (stamp, value) = rest.split_first_chunk::<{ JournalStamp::BYTES }>()?;
    let (bytes, watermark) = watermark.split_first_chunk::<8>()?;
    let (lines, hash) = watermark.split_first_chunk::<8>()?;
    Some(IndexEntry {
        stamp: JournalStamp::from_bytes(stamp)?,
        watermark: Head {
            bytes: u64::from_be_bytes(*bytes),
            lines: u64::from_be_bytes(*lines),
            hash: Hash::from_bytes(hash.try_into().ok()?),
        },
        value: value.to_vec(),
    })
}

fn compute_checksum(name: &EntryName, bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut sum = [0; CHECKSUM_BYTES];
    let mut text = (name.as_bytes().len() as u64).to_be_bytes().to_vec();
    text.extend_from_slice(name.as_bytes());
    text.extend_from_slice(bytes);
    sum.copy_from_slice(&Hash::digest(&text).as_bytes()[..CHECKSUM_BYTES]);
    sum
}

fn open_index(
    folder: &Path,
    options: IndexOptions,
    pauses: &mut Pauses,
) -> Result<(sled::Db, File, Option<IndexNotice>), String> {
    if HAS_FAILED.load(Ordering::Relaxed) {
        return Err("it failed while it was used".to_owned());
    }
    if SystemTime::now() < SystemTime::UNIX_EPOCH {
        // sled names its files by the time since then, and panics where there is none.
        return Err("the system's clock says that it is before 1970".to_owned());
    }
    if let Some(room) = address_space_left().filter(|room| *room < MIN_ROOM_BYTES) {
        return Err(format!(
            "this process may take only {} MiB more address space (ulimit -v), and the index wants {}",
            room >> 20,
            MIN_ROOM_BYTES >> 20
        ));
    }
    create_folders(&parent_of(folder)).map_err(|e| e.to_string())?;
    let lock = lock_index(&with_suffix(folder, LOCK_SUFFIX), pauses)?;
    let suspect = with_suffix(folder, SUSPECT_SUFFIX);
    let first = if suspect.exists() {
        Err(OpenFailure::Damaged(
            "it failed while it was used".to_owned(),
        ))
    } else {
        open_database(folder, options, pauses)
    };
    let why = match first {
        Ok(db) => return Ok((db, lock, None)),
        Err(OpenFailure::Unusable(why)) => return Err(why),
        Err(OpenFailure::Damaged(why)) => why,
    };
    let aside = move_aside(folder).map_err(|e| format!("{why}; moving it aside failed: {e}"))?;
    let _ = fs::remove_file(suspect);
    match open_database(folder, options, pauses) {
        Ok(db) => Ok((db, lock, Some(IndexNotice::Damaged { why, aside }))),
        Err(OpenFailure::Unusable(again) | OpenFailure::Damaged(again)) => {
            Err(format!("{why}; an empty one did not open either: {again}"))
        }
    }
}

/// Returns how many bytes of address space this process may still take; `None` where that is not
/// limited or not known.
fn address_space_left() -> Option<u64> {
    let limit = getrlimit(Resource::As).current?;
    let pages = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = pages.split(' ').next()?.parse().ok()?;
    Some(limit.saturating_sub(pages.saturating_mul(page_size() as u64)))
}

/// A lock of our own, so that a folder in use is never taken for a damaged one and moved away.
fn lock_index(path: &Path, pauses: &mut Pauses) -> Result<File, String> {
    let file = private_file(path).map_err(|e| format!("cannot open {}: {e}", path.display()))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if pauses.wait_once() => {}
            Err(TryLockError::WouldBlock) => return Err("another process uses it".to_owned()),
            Err(TryLockError::Error(error)) => {
                return Err(format!("cannot lock {}: {error}", path.display()));
            }
        }
    }
}

/// Opens a regular file by its own name, without waiting: opening a pipe would never return.
fn private_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    // A umask can take away what `mode` gave.
    file.set_permissions(Permissions::from_mode(0o600))?;
    Ok(file)
}

enum OpenFailure {
    /// Moving it aside would not help, or would take it from another process.
    Unusable(String),
    Damaged(String),
}

fn open_database(
    folder: &Path,
    options: IndexOptions,
    pauses: &mut Pauses,
) -> Result<sled::Db, OpenFailure> {
    if folder.exists() && !folder.is_dir() {
        return Err(OpenFailure::Damaged("it is not a folder".to_owned()));
    }
    create_folders(folder).map_err(|e| OpenFailure::Unusable(e.to_string()))?;
    let config = sled::Config::new()
        .path(folder)
        .cache_capacity(options.capacity_bytes)
        // Dropping it flushes, instead of a thread that wakes up twice a second.
        .flush_every_ms(None);
    loop {
        match catch_panic(|| config.open()) {
            Ok(Ok(db)) => {
                make_private(folder);
                return Ok(db);
            }
            // sled has no kind of error for this. Its threads can keep the files locked for a moment
            // after they were closed.
            Ok(Err(sled::Error::Io(error))) if error.to_string().contains("acquire lock") => {
                if !pauses.wait_once() {
                    return Err(OpenFailure::Unusable("its files are locked".to_owned()));
                }
            }
            Ok(Err(error)) => return Err(OpenFailure::Damaged(error.to_string())),
            Err(panic) => return Err(OpenFailure::Damaged(panic)),
        }
    }
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
