//! Reports as they were computed, kept in the store's index: figures over equal rows, asked for alike and
//! computed by the same program, are equal.

use super::entry_form::{EntryForm, decode_value, encode_value};
use super::session_list::read_in_parallel;
use super::store_index::{StoreIndex, table};
use elenchus_store::{Hash, Head, IndexEntry, JournalStamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;

/// Reports that are kept; the oldest leaves.
const MAX_REPORTS: usize = 32;
/// The longest report that is kept.
const MAX_REPORT_BYTES: usize = 1 << 20;
/// Rows of which one hash is made.
const AT_ONCE: usize = 64;

/// What a report is of: all that it follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportKey(Hash);

impl ReportKey {
    /// Names the report that a computation makes of rows, asked for by these settings. `None` where that cannot
    /// be said: then it is computed each time.
    ///
    /// The rows themselves count, whatever they were read from, and the program's own file: the same settings
    /// mean other figures to another build.
    pub fn from_rows<R: Serialize + Sync>(
        computation: &str,
        settings: &impl Debug,
        rows: &[R],
    ) -> Option<Self> {
        let parts: Vec<&[R]> = rows.chunks(AT_ONCE).collect();
        let hashes = read_in_parallel(&parts, |part| {
            Some(Hash::digest(&postcard::to_allocvec(*part).ok()?))
        });
        let hashes = hashes.into_iter().collect::<Option<Vec<Hash>>>()?;
        let head = format!("{}\n{computation}\n{settings:?}\n", program_stamp()?);
        let mut text = head.into_bytes();
        text.extend(hashes.iter().flat_map(|hash| hash.as_bytes()));
        Some(Self(Hash::digest(&text)))
    }
}

/// Names the build of this program: the stamp of its file. `None` where it has none any more.
fn program_stamp() -> Option<&'static str> {
    static PROGRAM: OnceLock<Option<String>> = OnceLock::new();
    let stamp = || {
        let file = std::env::current_exe().ok()?.metadata().ok()?;
        let (size, inode) = (file.len(), file.ino());
        let (s, ns) = (file.mtime(), file.mtime_nsec());
        Some(format!("{size} {inode} {s}.{ns:09}"))
    };
    PROGRAM.get_or_init(stamp).as_deref()
}

impl StoreIndex {
    /// Returns a report: from the index where that holds it, else computed, and kept for the next time.
    ///
    /// # Errors
    /// As `compute`.
    pub fn cached_report<T: Serialize + DeserializeOwned, E>(
        &self,
        key: Option<ReportKey>,
        compute: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        self.cached_value((table::REPORTS, MAX_REPORTS), key, compute)
    }

    /// As [`cached_report`](Self::cached_report), of another table of so many entries at most.
    pub(super) fn cached_value<T: Serialize + DeserializeOwned, E>(
        &self,
        (table, at_most): (&'static str, usize),
        key: Option<ReportKey>,
        compute: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let Some(ReportKey(hash)) = key.filter(|_| self.why_off().is_none()) else {
            return compute();
        };
        let keys = self.keys_of(table);
        let known_key = keys.iter().rfind(|key| key.ends_with(hash.as_bytes()));
        let entry = known_key.and_then(|key| self.entry_of(table, key));
        if let Some(value) = entry.and_then(|known| decode_value(EntryForm::Json, &known.value)) {
            return Ok(value);
        }
        let result = compute()?;
        let value = encode_value(EntryForm::Json, &result);
        if let Some(value) = value.filter(|value| value.len() <= MAX_REPORT_BYTES) {
            self.keep_value(table, keys, at_most, hash, value);
        }
        Ok(result)
    }

    /// Keeps a value under the number after the last one's, in place of the oldest where there are too many.
    fn keep_value(
        &self,
        table: &'static str,
        keys: Vec<Vec<u8>>,
        at_most: usize,
        hash: Hash,
        value: Vec<u8>,
    ) {
        let numbers = keys.iter().filter_map(|key| key.first_chunk::<8>());
        let last = numbers.map(|number| u64::from_be_bytes(*number)).max();
        let number = last.map_or(0, |last| last.wrapping_add(1));
        let mut key = number.to_be_bytes().to_vec();
        key.extend_from_slice(hash.as_bytes());
        let too_many = (keys.len() + 1).saturating_sub(at_most);
        for old in keys.into_iter().take(too_many) {
            self.set_entry(table, old, None);
        }
        let entry = IndexEntry {
            stamp: JournalStamp::default(),
            watermark: Head::EMPTY,
            value,
        };
        self.set_entry(table, key, Some(entry));
    }
}
