//! Index of a store: what lists and filters ask for, derived from journals, so that they need not read
//! every one of them.
//!
//! Journals are the truth. An entry counts while its journal and its head are the files, of the length
//! and time, that they were when they were read; else while the journal still ends at the entry's
//! watermark and its head agrees. The store's index is open only while it is read or written as a whole,
//! never while journals are read.

pub(super) use super::entry_form::EntryForm;
use super::entry_form::{decode_value, encode_value};
use super::error::Result;
use elenchus_game::debate::{RunId, SessionId};
use elenchus_store::{
    Head, Index, IndexChange, IndexEntry, IndexNotice, IndexOptions, IndexRows, IndexTable,
    JournalStamp, Layout, StoreError, check_head, check_seen, has_head,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// What the keys of sessions begin with.
const SESSIONS: &str = "sessions/";

const WHOLE: IndexRows<'_> = IndexRows::Under("");

/// Names of tables, each with a number that is raised when its entries change their form.
pub(super) mod table {
    /// Overviews of sessions.
    pub const SESSIONS: &str = "sessions/9";
    /// Tags and names, of annotators' journals.
    pub const TAGS: &str = "tags/1";
    /// Prompts that sessions and samples of trials were played with.
    pub const PROMPTS: &str = "prompts/1";
    /// Events of journals of long-term memory.
    pub const MEMORY: &str = "memory/3";
    /// Journals of which no other table that was read holds anything: that each ended at its head.
    pub const ENDS: &str = "ends/1";
    /// What sessions alone say of their rows of debates.
    pub const ROWS: &str = "rows/4";
    /// What evaluators found on the turns of sessions.
    pub const FOUND: &str = "found/2";
    /// What runs say of their debates.
    pub const RUNS: &str = "runs/3";
    /// Reports as they were computed; no journal's.
    pub const REPORTS: &str = "reports/2";
    /// Where the lessons that runs were shown had been learned; no journal's.
    pub const LESSONS: &str = "lessons/1";

    /// Returns the names that tables had when their numbers were smaller: nobody reads these any more.
    pub fn list_earlier_tables() -> impl Iterator<Item = String> {
        let tables = [
            SESSIONS, TAGS, PROMPTS, MEMORY, ENDS, ROWS, FOUND, RUNS, REPORTS, LESSONS,
        ];
        tables.into_iter().flat_map(|table| {
            let (name, number) = table.split_once('/').unwrap_or((table, ""));
            let number: u32 = number.parse().unwrap_or_default();
            (1..number).map(move |earlier| format!("{name}/{earlier}"))
        })
    }
}

/// What a table of the index holds of one journal.
pub trait Derived: Serialize + DeserializeOwned {
    /// One of [`table`].
    const TABLE: &'static str;
    /// The longest journal that an entry is kept of; a longer one is read each time.
    const MAX_JOURNAL_BYTES: u64 = u64::MAX;
    /// Whether a journal that holds less than it was seen to hold is refused. Figures are those of journals as
    /// they are, as without an index: lists and `verify` say what is lost.
    const REFUSES_LESS: bool = true;
    /// How an entry is written.
    const FORM: EntryForm = EntryForm::Json;

    /// Reads the journal at `path`, with the head that it was read to.
    ///
    /// # Errors
    /// When it cannot be read.
    fn derive_entry(path: &Path) -> Result<(Self, Head)>;
}

/// Entries of a store's index as they were read, and those that are to be written.
#[derive(Debug)]
pub struct StoreIndex {
    layout: Layout,
    /// What paths of its journals begin with.
    root: String,
    known: BTreeMap<&'static str, IndexTable>,
    /// Changes since the last write, or the reason that nothing is written.
    changes: Result<Mutex<Changes>, String>,
    /// All sessions, from one listing.
    sessions: OnceLock<BTreeMap<String, ListedSession>>,
}

/// A session as it was listed.
#[derive(Debug)]
struct ListedSession {
    stamp: JournalStamp,
    /// The head that it was read to when it had this stamp, once that is known.
    head: OnceLock<Head>,
}

type Changes = BTreeMap<(&'static str, Vec<u8>), Option<IndexEntry>>;

impl StoreIndex {
    /// An index that knows nothing and keeps nothing: every journal is read.
    pub fn bypass(layout: &Layout) -> Self {
        Self::new(layout, Err("journals alone are read".to_owned()))
    }

    /// An index that knows nothing and keeps what is read.
    pub fn new_empty(layout: &Layout) -> Self {
        Self::new(layout, Ok(Mutex::default()))
    }

    fn new(layout: &Layout, changes: Result<Mutex<Changes>, String>) -> Self {
        Self {
            layout: layout.clone(),
            root: format!("{}/", layout.root().display()),
            known: BTreeMap::new(),
            changes: changes.and_then(|changes| match layout.root().exists() {
                true => Ok(changes),
                false => Err("there is no store yet".to_owned()),
            }),
            sessions: OnceLock::new(),
        }
    }

    /// Reads what a store's index holds for lists of sessions, with what a user should know. Blocks, for
    /// another process 200 ms at most; what cannot be read then counts as empty.
    pub fn read_overviews(layout: &Layout) -> (Self, Option<IndexNotice>) {
        let tables = [table::SESSIONS, table::TAGS, table::ENDS];
        Self::read_tables(layout, &tables.map(|table| (table, WHOLE)))
    }

    /// Reads what a store's index holds for a list of these sessions alone, as [`read_overviews`](Self::read_overviews) does.
    pub fn read_sessions(layout: &Layout, ids: &[SessionId]) -> Self {
        let keys: Vec<String> = ids.iter().map(|id| format!("{SESSIONS}{id}")).collect();
        let sessions = (table::SESSIONS, IndexRows::Of(&keys));
        Self::read_tables(layout, &[sessions, (table::TAGS, WHOLE)]).0
    }

    /// Reads what a store's index holds for rows of debates, as [`read_overviews`](Self::read_overviews) does.
    pub fn read_rows(layout: &Layout) -> (Self, Option<IndexNotice>) {
        let tables = [
            table::ROWS,
            table::RUNS,
            table::LESSONS,
            table::REPORTS,
            table::ENDS,
        ];
        Self::read_tables(layout, &tables.map(|table| (table, WHOLE)))
    }

    /// Reads what a store's index holds for rows of debates and the texts of their topics, as
    /// [`read_overviews`](Self::read_overviews) does.
    pub fn read_rows_and_topics(layout: &Layout) -> (Self, Option<IndexNotice>) {
        let tables = [
            table::ROWS,
            table::RUNS,
            table::LESSONS,
            table::SESSIONS,
            table::ENDS,
        ];
        Self::read_tables(layout, &tables.map(|table| (table, WHOLE)))
    }

    /// Reads what a store's index holds for the rows of a run of these sessions alone, as
    /// [`read_rows`](Self::read_rows) does.
    pub fn read_rows_of(layout: &Layout, run: &RunId, sessions: &[SessionId]) -> Self {
        let runs = [format!("runs/{run}")];
        let keys: Vec<String> = sessions
            .iter()
            .map(|id| format!("{SESSIONS}{id}"))
            .collect();
        let tables = [
            (table::ROWS, IndexRows::Of(&keys)),
            (table::RUNS, IndexRows::Of(&runs)),
            (table::LESSONS, WHOLE),
        ];
        Self::read_tables(layout, &tables).0
    }

    /// Does work with what a store's index holds for rows of debates; what the work reads of journals is kept
    /// there. Blocks as [`read_overviews`](Self::read_overviews) before the work and after it, never meanwhile.
    pub fn with_rows<T>(layout: &Layout, work: impl FnOnce(&Self) -> T) -> T {
        let (index, _) = Self::read_rows(layout);
        let result = work(&index);
        index.write_changes();
        result
    }

    /// Reads what a store's index holds for the validation of evaluators, as [`read_overviews`](Self::read_overviews) does.
    pub fn read_findings(layout: &Layout) -> (Self, Option<IndexNotice>) {
        let tables = [table::FOUND, table::RUNS, table::REPORTS, table::ENDS];
        Self::read_tables(layout, &tables.map(|table| (table, WHOLE)))
    }

    /// Reads what a store's index holds for lists of versions of prompts, as [`read_overviews`](Self::read_overviews) does.
    pub fn read_prompts(layout: &Layout) -> (Self, Option<IndexNotice>) {
        Self::read_tables(layout, &[(table::PROMPTS, WHOLE)])
    }

    /// Reads what a store's index holds of the journals below a folder, as [`read_overviews`](Self::read_overviews) does.
    pub(super) fn read_memory(layout: &Layout, folder: &str) -> Self {
        Self::read_tables(layout, &[(table::MEMORY, IndexRows::Under(folder))]).0
    }

    fn read_tables(
        layout: &Layout,
        tables: &[(&'static str, IndexRows<'_>)],
    ) -> (Self, Option<IndexNotice>) {
        let mut read = Self::new_empty(layout);
        if read.why_off().is_some() {
            return (read, None);
        }
        let (mut index, notice) = Index::open(&layout.cache_folder(), IndexOptions::default());
        for (name, rows) in tables {
            read.known.insert(name, index.read_rows(name, rows));
        }
        if let Some(why) = index.why_off() {
            read.changes = Err(why.to_owned());
        }
        (read, notice)
    }

    /// Returns how many entries were read.
    pub fn entry_count(&self) -> usize {
        self.known.values().map(|table| table.keys().len()).sum()
    }

    /// Returns the reason that nothing is kept, if so.
    pub fn why_off(&self) -> Option<&str> {
        self.changes.as_ref().err().map(String::as_str)
    }

    /// Returns the store's layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the ids of all sessions, sorted. They and their stamps are listed once.
    ///
    /// # Errors
    /// When a folder cannot be listed.
    pub fn session_ids(&self) -> Result<Vec<SessionId>> {
        let sessions = match self.sessions.get() {
            Some(listed) => listed,
            None => {
                let stamps = self.layout.session_stamps()?.into_iter();
                let head = OnceLock::new;
                let entries = stamps.map(|(id, stamp)| {
                    (
                        id,
                        ListedSession {
                            stamp,
                            head: head(),
                        },
                    )
                });
                self.sessions.get_or_init(|| entries.collect())
            }
        };
        Ok(sessions.keys().cloned().map(SessionId::new).collect())
    }

    /// Returns what the index has of a journal; that is read only if it has changed.
    ///
    /// # Errors
    /// When the journal cannot be read, or holds less than it was seen to hold.
    pub(super) fn get_or_derive<V: Derived>(&self, path: &Path) -> Result<V> {
        // Before the journal is read: if it grows meanwhile, the entry is merely out of date.
        let stamp = self.stamp_of(path);
        if let Some(entry) = self.find_entry(V::TABLE, path) {
            if let Some(value) = decode_value(V::FORM, &entry.value) {
                if Some(entry.stamp) == stamp {
                    self.note_end(path, entry.watermark);
                    return Ok(value);
                }
                let is_whole = stamp.is_some_and(|now| now.bytes() == entry.watermark.bytes);
                let is_current = is_whole && matches!(entry.is_current(path), Ok(true));
                if is_current && check_head(path).is_ok() {
                    self.keep_entry(path, stamp, entry.watermark, &value);
                    return Ok(value);
                }
            }
            // What is seen now must not take the place of what was seen: it may be less.
            if V::REFUSES_LESS {
                check_seen(path, &entry.watermark)?;
            }
        }
        let (value, head) = V::derive_entry(path)?;
        if stamp.is_some_and(|stamp| stamp.bytes() == head.bytes) {
            self.note_end(path, head);
        }
        self.keep_entry(path, stamp, head, &value);
        Ok(value)
    }

    /// Keeps the head that a listed session was read to when it had its stamp.
    fn note_end(&self, path: &Path, head: Head) {
        if let Some(session) = self.find_listed_session(path) {
            let _ = session.head.set(head);
        }
    }

    /// Returns what the index has of a journal that has not changed; no journal is opened.
    pub fn get_current<V: Derived>(&self, path: &Path) -> Option<V> {
        let entry = self.find_entry(V::TABLE, path)?;
        (Some(entry.stamp) == self.stamp_of(path)).then(|| decode_value(V::FORM, &entry.value))?
    }

    /// Checks that a journal still holds the line at its recorded head. It is opened only if it or its
    /// head has changed.
    ///
    /// # Errors
    /// As [`check_head`].
    pub(super) fn check_end(&self, path: &Path) -> Result<(), StoreError> {
        let stamp = self.stamp_of(path);
        if stamp.is_some() && self.known_head(path, stamp).is_some() {
            return Ok(());
        }
        let end = check_head(path)?;
        if let (Some(end), Some(key)) = (end, self.journal_key(path)) {
            self.insert(table::ENDS, key, stamp, end, Vec::new());
        }
        Ok(())
    }

    /// Returns the head that is the end of a journal's file, if it is known without opening that.
    pub(super) fn known_end(&self, path: &Path) -> Option<Head> {
        let stamp = self.stamp_of(path)?;
        let head = self.known_head(path, Some(stamp))?;
        (head.bytes == stamp.bytes()).then_some(head)
    }

    /// Returns the head that a journal was read to when it had this stamp.
    fn known_head(&self, path: &Path, stamp: Option<JournalStamp>) -> Option<Head> {
        if let Some(head) = self
            .find_listed_session(path)
            .and_then(|listed| listed.head.get())
        {
            return Some(*head);
        }
        // Of these some are read, by what is asked for.
        let tables = [
            table::SESSIONS,
            table::ROWS,
            table::FOUND,
            table::RUNS,
            table::ENDS,
        ];
        let entries = tables
            .iter()
            .filter_map(|table| self.find_entry(table, path));
        let mut current = entries.filter(|entry| Some(entry.stamp) == stamp);
        current.next().map(|entry| entry.watermark)
    }

    /// Returns an entry as it was read or is to be written.
    fn find_entry(&self, table: &'static str, path: &Path) -> Option<IndexEntry> {
        self.entry_of(table, self.journal_key(path)?.as_bytes())
    }

    /// As [`find_entry`](Self::find_entry), of a key.
    pub(super) fn entry_of(&self, table: &'static str, key: &[u8]) -> Option<IndexEntry> {
        let changes = self.lock_changes().filter(|all| !all.is_empty());
        let change = changes.and_then(|all| all.get(&(table, key.into())).cloned());
        change.unwrap_or_else(|| self.known.get(table)?.get(key))
    }

    /// Returns the keys of a table as they were read or are to be written, sorted.
    pub(super) fn keys_of(&self, table: &'static str) -> Vec<Vec<u8>> {
        let table_keys = self.known.get(table).into_iter().flat_map(IndexTable::keys);
        let mut keys: BTreeSet<Vec<u8>> = table_keys.map(<[u8]>::to_vec).collect();
        if let Some(changes) = self.lock_changes() {
            let of_table = changes.iter().filter(|((of, _), _)| *of == table);
            for ((_, key), entry) in of_table {
                match entry {
                    Some(_) => keys.insert(key.clone()),
                    None => keys.remove(key),
                };
            }
        }
        keys.into_iter().collect()
    }

    /// Writes an entry, or removes one, with the next write.
    pub(super) fn set_entry(&self, table: &'static str, key: Vec<u8>, entry: Option<IndexEntry>) {
        if let Some(mut changes) = self.lock_changes() {
            changes.insert((table, key), entry);
        }
    }

    /// Keeps what was derived from a journal for the next write.
    fn keep_entry<V: Derived>(
        &self,
        path: &Path,
        stamp: Option<JournalStamp>,
        head: Head,
        value: &V,
    ) {
        // What follows the last whole line is told each time.
        let is_whole = stamp.is_some_and(|stamp| stamp.bytes() == head.bytes);
        if self.why_off().is_some() || !is_whole || head.bytes > V::MAX_JOURNAL_BYTES {
            return;
        }
        if let (Some(key), Some(value)) = (self.journal_key(path), encode_value(V::FORM, value)) {
            self.insert(V::TABLE, key, stamp, head, value);
        }
    }

    fn insert(
        &self,
        table: &'static str,
        key: &str,
        stamp: Option<JournalStamp>,
        watermark: Head,
        value: Vec<u8>,
    ) {
        if let Some(stamp) = stamp {
            let entry = IndexEntry {
                stamp,
                watermark,
                value,
            };
            self.set_entry(table, key.into(), Some(entry));
        }
    }

    fn stamp_of(&self, path: &Path) -> Option<JournalStamp> {
        let listed_stamp = self.find_listed_session(path).map(|listed| listed.stamp);
        listed_stamp.or_else(|| JournalStamp::from_path(path))
    }

    fn find_listed_session(&self, path: &Path) -> Option<&ListedSession> {
        let sessions = self.sessions.get()?;
        sessions.get(self.journal_key(path)?.strip_prefix(SESSIONS)?)
    }

    /// Returns the key of a journal: its path in the store, without the suffix.
    fn journal_key<'a>(&self, path: &'a Path) -> Option<&'a str> {
        let path = path.to_str()?.strip_prefix(&self.root)?;
        path.strip_suffix(".jsonl")
    }

    /// Removes what is gone from the tables that were read, with the next write. Sessions that are `there`
    /// are known not to be.
    pub fn forget_gone(&self, there: &[SessionId]) {
        self.forget_gone_but(there.iter().map(|id| format!("{SESSIONS}{id}")).collect());
    }

    /// As [`forget_gone`](Self::forget_gone), for journals at these paths.
    pub(super) fn forget_gone_paths<'a>(&self, there: impl Iterator<Item = &'a PathBuf>) {
        let there = there.filter_map(|path| self.journal_key(path).map(str::to_owned));
        self.forget_gone_but(there.collect());
    }

    fn forget_gone_but(&self, there: BTreeSet<String>) {
        let is_gone = |key: &[u8]| {
            let Ok(key) = std::str::from_utf8(key) else {
                return true;
            };
            // One that began since they were listed is not gone.
            !there.contains(key) && !self.journal_path(key).exists()
        };
        let mut removals = Vec::new();
        // What is no journal's leaves when there is too much of it.
        let of_journals = self.known.iter();
        let of_journals =
            of_journals.filter(|(table, _)| ![table::REPORTS, table::LESSONS].contains(*table));
        for (table, known) in of_journals {
            let keys = known.keys().filter(|key| is_gone(key));
            removals.extend(keys.map(|key| ((*table, key.to_vec()), None)));
        }
        if let Some(mut changes) = self.lock_changes() {
            changes.extend(removals);
        }
    }

    fn journal_path(&self, key: &str) -> PathBuf {
        self.layout.root().join(format!("{key}.jsonl"))
    }

    /// Writes what has changed, in one batch. Blocks, for another process 200 ms at most; what could not
    /// be written is kept for the next time.
    pub fn write_changes(&self) {
        if self
            .lock_changes()
            .is_some_and(|changes| !changes.is_empty())
        {
            // No notice is needed: what is not in the index is read from journals.
            let _ = self.write_after(|_| {});
        }
    }

    /// Writes what was read in place of all that the store's index holds. Blocks as [`write_changes`](Self::write_changes).
    ///
    /// # Errors
    /// With the reason that the index cannot be written.
    pub fn replace_all(&self) -> Result<(), String> {
        self.write_after(Index::clear)
    }

    fn write_after(&self, prepare: impl FnOnce(&mut Index)) -> Result<(), String> {
        // Not held any longer: journals are read meanwhile, on other threads.
        let changes = self
            .lock_changes()
            .map(|mut changes| std::mem::take(&mut *changes));
        let batch: Vec<IndexChange> = changes.unwrap_or_default().into_iter().collect();
        let (mut index, _) = match self.why_off() {
            None => Index::open(&self.layout.cache_folder(), IndexOptions::default()),
            Some(why) => return Err(why.to_owned()),
        };
        prepare(&mut index);
        index.drop_tables(table::list_earlier_tables());
        index.write_changes(&batch);
        let Some(why) = index.why_off() else {
            return Ok(());
        };
        if let Some(mut changes) = self.lock_changes() {
            for (key, entry) in batch {
                changes.entry(key).or_insert(entry);
            }
        }
        Err(why.to_owned())
    }

    /// Returns the heads at which sessions without one of their own were last seen: a journal that does
    /// not reach its head any more has lost its end.
    pub fn collect_watermarks(&self) -> BTreeMap<SessionId, Head> {
        let sessions = self.known.get(table::SESSIONS);
        let watermark_of = |key: &[u8]| {
            let key = std::str::from_utf8(key).ok()?;
            let id = key.strip_prefix(SESSIONS)?;
            // Where there is one it alone counts: what was seen may never have been durable.
            let entry = sessions?.get(key.as_bytes());
            let entry = entry.filter(|_| !has_head(&self.journal_path(key)))?;
            Some((SessionId::new(id), entry.watermark))
        };
        let keys = sessions.into_iter().flat_map(IndexTable::keys);
        keys.filter_map(watermark_of).collect()
    }

    fn lock_changes(&self) -> Option<MutexGuard<'_, Changes>> {
        let changes = self.changes.as_ref().ok()?.lock();
        Some(changes.unwrap_or_else(PoisonError::into_inner))
    }
}
