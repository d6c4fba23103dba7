//! Events of journals of long-term memory, kept in the store's index.
//!
//! A namespace of many journals is read from one place then: opening each of them is what costs. A long
//! journal is read as fast as what would be kept of it, so it is not kept.

use super::journals::journals_of;
use crate::workspace::error::Result;
use crate::workspace::journal_lines::known_lines;
use crate::workspace::store_index::{Derived, StoreIndex, table};
use elenchus_memory::{EntryKind, MemoryEvent};
use elenchus_store::{Head, Import, Layout, TailNotice, import_of, read_journal};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Journals of a namespace from which it is read with the index: 1,000 that nobody has read since the
/// machine started take 160 ms and 40 with it, 64 that somebody has take 3 ms and 60.
const MANY_JOURNALS: usize = 500;

impl StoreIndex {
    /// Reads what the index holds of these namespaces, if one has many journals. Blocks as
    /// [`read_overviews`](Self::read_overviews).
    pub fn open_memory(layout: &Layout, namespaces: &[String]) -> Self {
        let count = |namespace: &String| {
            let of_kind = |kind| journals_of(layout, kind, namespace).map_or(0, |all| all.len());
            EntryKind::ALL.into_iter().map(of_kind).sum::<usize>()
        };
        match namespaces {
            all if !all.iter().any(|one| count(one) >= MANY_JOURNALS) => Self::bypass(layout),
            [namespace] => Self::read_memory(layout, &format!("memory/{namespace}/")),
            _ => Self::read_memory(layout, "memory/"),
        }
    }
}

/// Events of a journal.
#[derive(Serialize, Deserialize)]
pub(super) struct JournalEvents {
    pub events: Vec<MemoryEvent>,
    /// When and from where it came, if it was not begun here.
    pub import: Option<Import>,
    /// Incomplete last lines, which are left out. A journal that has any is not kept.
    #[serde(skip)]
    pub notices: Vec<TailNotice>,
}

impl Derived for JournalEvents {
    const TABLE: &'static str = table::MEMORY;
    const MAX_JOURNAL_BYTES: u64 = 64 << 10;

    fn derive_entry(path: &Path) -> Result<(Self, Head)> {
        let import = import_of(path);
        let journal = read_journal(path)?;
        let lines = known_lines(path, journal.lines)?.into_iter();
        let events = Self {
            events: lines.map(|line| line.event).collect(),
            import,
            notices: journal.notices,
        };
        Ok((events, journal.head))
    }
}
