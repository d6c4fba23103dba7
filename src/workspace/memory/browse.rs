//! Namespaces and their entries.

use super::journals::read_namespace;
use crate::memory::{EntryId, EntryStatus, MemoryEntry, MemoryFold};
use crate::store::Layout;
use crate::workspace::error::WorkspaceError;
use std::path::PathBuf;

/// Lines that do not fit are named up to this many; the rest is counted.
const MAX_MISFITS_NAMED: usize = 20;

/// Number of entries by their state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NamespaceCounts {
    pub live: usize,
    pub disabled: usize,
    pub deleted: usize,
}

impl NamespaceCounts {
    fn from_entries(entries: &[MemoryEntry]) -> Self {
        let mut counts = Self::default();
        for entry in entries {
            match entry.standing() {
                EntryStatus::Live => counts.live += 1,
                EntryStatus::Disabled => counts.disabled += 1,
                EntryStatus::Deleted => counts.deleted += 1,
            }
        }
        counts
    }
}

/// Overview of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceOverview {
    pub name: String,
    /// Or why its journals cannot be read.
    pub counts: Result<NamespaceCounts, String>,
}

/// Lists the namespaces, sorted by name. Reads all of them: blocks.
///
/// # Errors
/// When the folder of namespaces cannot be listed.
pub fn namespaces(layout: &Layout) -> Result<Vec<NamespaceOverview>, WorkspaceError> {
    let glance = |name: String| {
        let read = read_namespace(layout, &name).map_err(|error| error.to_string());
        NamespaceOverview {
            counts: read.map(|read| NamespaceCounts::from_entries(&read.fold().entries)),
            name,
        }
    };
    Ok(layout.namespaces()?.into_iter().map(glance).collect())
}

/// Entries and journals of a namespace.
#[derive(Debug, Clone)]
pub struct NamespaceEntries {
    pub namespace: String,
    pub folded: MemoryFold,
    /// Its journals with how many lines each has.
    pub journals: Vec<(PathBuf, u64)>,
    /// Notices for the person: lines that do not fit, or were not finished.
    pub notices: Vec<String>,
}

impl NamespaceEntries {
    /// Reads a namespace. Blocks.
    ///
    /// # Errors
    /// When a journal cannot be read, naming file and line.
    pub fn read(layout: &Layout, namespace: &str) -> Result<Self, WorkspaceError> {
        let read = read_namespace(layout, namespace)?;
        let folded = read.fold();
        let mut notices: Vec<String> = read.notices.iter().map(ToString::to_string).collect();
        let misfits = folded.misfits.iter().take(MAX_MISFITS_NAMED);
        notices.extend(
            misfits
                .map(|misfit| format!("memory '{namespace}': a change was passed over: {misfit}")),
        );
        let more = folded.misfits.len().saturating_sub(MAX_MISFITS_NAMED);
        if more > 0 {
            notices.push(format!(
                "memory '{namespace}': {more} more changes were passed over"
            ));
        }
        let journals = read.journals.into_iter();
        Ok(Self {
            namespace: namespace.to_owned(),
            journals: journals
                .map(|journal| (journal.path, journal.head.lines))
                .collect(),
            folded,
            notices,
        })
    }

    /// Reads a namespace that must be there.
    ///
    /// # Errors
    /// When there is none of that name, naming those that there are; as [`read`](Self::read).
    pub fn read_existing(layout: &Layout, namespace: &str) -> Result<Self, WorkspaceError> {
        let shelf = Self::read(layout, namespace)?;
        if !shelf.journals.is_empty() {
            return Ok(shelf);
        }
        let there = layout.namespaces()?;
        Err(WorkspaceError::Invalid(match there.as_slice() {
            [] => format!(
                "memory '{namespace}' is empty, and so is every other: debates of games that write \
                 lessons fill it, and 'elenchus memory add' does"
            ),
            _ => format!(
                "memory '{namespace}' is empty; there is: {} (choose with --namespace)",
                there.join(", ")
            ),
        }))
    }

    /// Returns the number of entries by their state.
    pub fn counts(&self) -> NamespaceCounts {
        NamespaceCounts::from_entries(&self.folded.entries)
    }

    /// Finds the entry that an id, its beginning or its end names; also that of a lesson that
    /// became part of it.
    ///
    /// # Errors
    /// When none or several do.
    pub fn find(&self, text: &str) -> Result<&MemoryEntry, WorkspaceError> {
        let text = text.trim();
        if let Some(entry) = self.folded.find(&EntryId(text.to_owned())) {
            return Ok(entry);
        }
        let fits = |id: &EntryId| {
            !text.is_empty() && (id.0.starts_with(text) || ends_with_ignoring_case(&id.0, text))
        };
        let mut fitting =
            self.folded.entries.iter().filter(|entry| {
                fits(&entry.id) || entry.merged.iter().any(|merged| fits(&merged.id))
            });
        let Some(found) = fitting.next() else {
            return Err(WorkspaceError::NoSuch {
                what: "memory entry",
                id: text.to_owned(),
                list: "elenchus memory list --all",
            });
        };
        match fitting.count() {
            0 => Ok(found),
            more => Err(WorkspaceError::Ambiguous {
                what: "memory entrie",
                id: text.to_owned(),
                count: more + 1,
            }),
        }
    }
}

fn ends_with_ignoring_case(id: &str, end: &str) -> bool {
    id.len()
        .checked_sub(end.len())
        .and_then(|at| id.get(at..))
        .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}
