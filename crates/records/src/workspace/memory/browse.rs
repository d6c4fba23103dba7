//! Namespaces and their entries.

use super::hold_back::is_of_import;
use super::journals::{NamespaceJournals, read_namespace};
use super::lesson_set::LessonSet;
use crate::workspace::error::{Result, WorkspaceError, reject};
use crate::workspace::store_index::StoreIndex;
use elenchus_memory::{EntryId, EntryKind, EntryStatus, MemoryEntry, MemoryEvent, MemoryFold};
use elenchus_store::{Import, Layout};
use std::collections::{BTreeMap, BTreeSet};

/// Lines that do not fit are named up to this many; the rest is counted.
const MAX_MISFITS_NAMED: usize = 20;

/// Number of lessons by their state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamespaceCounts {
    pub live: usize,
    pub disabled: usize,
    pub deleted: usize,
    /// SHA-256 of the live ones, as a model is trained on them.
    pub lessons_sha256: String,
}

impl NamespaceCounts {
    fn count_lessons(folded: &MemoryFold) -> Self {
        let live = LessonSet::from_entries(folded.entries_of_kind(EntryKind::Lesson));
        let mut counts = Self {
            lessons_sha256: live.sha256(),
            ..Self::default()
        };
        for entry in folded.entries_of_kind(EntryKind::Lesson) {
            match entry.availability() {
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
pub fn summarize_namespaces(index: &StoreIndex) -> Result<Vec<NamespaceOverview>> {
    let glance = |name: String| {
        let read = read_namespace(index, EntryKind::Lesson, &name);
        let read = read.map_err(|error| error.to_string());
        NamespaceOverview {
            counts: read.map(|read| NamespaceCounts::count_lessons(&read.fold_entries())),
            name,
        }
    };
    Ok(index
        .layout()
        .list_namespaces()?
        .into_iter()
        .map(glance)
        .collect())
}

/// Entries and journals of a namespace.
#[derive(Debug, Clone)]
pub struct NamespaceEntries {
    pub namespace: String,
    pub folded: MemoryFold,
    /// Why its guardrails cannot be read, if they cannot.
    pub unread: Option<String>,
    /// Number of its journals.
    pub journals: usize,
    /// Notices for the person: lines that do not fit, or were not finished.
    pub notices: Vec<String>,
    /// Disabled entries that came with an import and that no person here has accepted or disabled since.
    pub waiting: BTreeSet<EntryId>,
    /// Imports of journals, by kind of entries and name.
    imports: BTreeMap<(EntryKind, String), Import>,
}

impl NamespaceEntries {
    /// Reads a namespace with the store's index, and keeps there what has changed. Blocks.
    ///
    /// # Errors
    /// As [`read_with`](Self::read_with).
    pub fn read_entries(layout: &Layout, namespace: &str) -> Result<Self> {
        let index = StoreIndex::open_memory(layout, &[namespace.to_owned()]);
        let read = Self::read_with(&index, namespace);
        index.write_changes();
        read
    }

    /// Reads a namespace. Blocks.
    ///
    /// # Errors
    /// When a journal cannot be read, naming file and line.
    pub fn read_with(index: &StoreIndex, namespace: &str) -> Result<Self> {
        let mut read = read_namespace(index, EntryKind::Lesson, namespace)?;
        let mut imports = imports_of(EntryKind::Lesson, &read);
        // Lessons can still be looked into where guardrails cannot.
        let unread = match read_namespace(index, EntryKind::Guardrail, namespace) {
            Ok(guardrails) => {
                imports.extend(imports_of(EntryKind::Guardrail, &guardrails));
                read.journals.extend(guardrails.journals);
                read.notices.extend(guardrails.notices);
                None
            }
            Err(error) => Some(error.to_string()),
        };
        let memory_fold = read.fold_entries();
        let mut notices: Vec<String> = read.notices.iter().map(ToString::to_string).collect();
        let misfits = memory_fold.misfits.iter().take(MAX_MISFITS_NAMED);
        notices.extend(
            misfits
                .map(|misfit| format!("memory '{namespace}': a change was passed over: {misfit}")),
        );
        let more = memory_fold.misfits.len().saturating_sub(MAX_MISFITS_NAMED);
        if more > 0 {
            notices.push(format!(
                "memory '{namespace}': {more} more changes were passed over"
            ));
        }
        Ok(Self {
            namespace: namespace.to_owned(),
            journals: read.journals.len(),
            unread,
            waiting: find_waiting(&read, &memory_fold),
            imports,
            folded: memory_fold,
            notices,
        })
    }

    /// Reads a namespace that must be there.
    ///
    /// # Errors
    /// When there is none of that name, naming those that there are; as [`read_entries`](Self::read_entries).
    pub fn read_existing(layout: &Layout, namespace: &str) -> Result<Self> {
        let shelf = Self::read_entries(layout, namespace)?;
        if shelf.journals > 0 || shelf.unread.is_some() {
            return Ok(shelf);
        }
        let there = layout.list_namespaces()?;
        reject(match there.as_slice() {
            [] => format!(
                "memory '{namespace}' is empty, and so is every other: debates of games that write \
                 lessons fill it, and 'elenchus memory add' does"
            ),
            _ => format!(
                "memory '{namespace}' is empty; there is: {} (choose with --namespace)",
                there.join(", ")
            ),
        })
    }

    /// Refuses to go on without the guardrails.
    ///
    /// # Errors
    /// When a journal of guardrails cannot be read; file and line are named.
    pub fn check_guardrails(&self) -> Result<()> {
        match &self.unread {
            Some(why) => reject(why.clone()),
            None => Ok(()),
        }
    }

    /// Returns when and from where the text of an entry came, or the entry itself; `None` where both were
    /// written here.
    pub fn import_of(&self, entry: &MemoryEntry) -> Option<&Import> {
        let journals = std::iter::once(&entry.journal);
        let mut journals = journals.chain(entry.earlier.first().map(|first| &first.journal));
        journals.find_map(|journal| self.imports.get(&(entry.kind(), journal.clone())))
    }

    /// Returns the number of lessons by their state.
    pub fn lesson_counts(&self) -> NamespaceCounts {
        NamespaceCounts::count_lessons(&self.folded)
    }

    /// Finds the entry that an id, its beginning or its end names, or its end behind its kind (`guard-x0k3f2`); also
    /// that of one that became part of it. Where an end fits a lesson and a guardrail of one debate, it names the
    /// lesson.
    ///
    /// # Errors
    /// When none or several do.
    pub fn find_entry(&self, text: &str) -> Result<&MemoryEntry> {
        match self.find_kind(EntryKind::Lesson, text) {
            Err(WorkspaceError::NoSuch { .. }) => {}
            found => return found,
        }
        match self.find_kind(EntryKind::Guardrail, text) {
            Err(WorkspaceError::NoSuch { .. }) => Err(no_such(EntryKind::Lesson, text)),
            found => found,
        }
    }

    /// Finds the entry of a kind that an id, its beginning or its end names, as [`find_entry`](Self::find_entry).
    ///
    /// # Errors
    /// When none or several do.
    pub fn find_kind(&self, kind: EntryKind, text: &str) -> Result<&MemoryEntry> {
        if kind == EntryKind::Guardrail {
            self.check_guardrails()?;
        }
        let text = text.trim();
        let exact = self.folded.find_entry(&EntryId(text.to_owned()));
        if let Some(entry) = exact.filter(|entry| entry.kind() == kind) {
            return Ok(entry);
        }
        let fits = |id: &EntryId| {
            !text.is_empty()
                && (id.0.starts_with(text)
                    || ends_with_ignoring_case(&id.0, text)
                    || has_kind_and_end(&id.0, text))
        };
        let mut fitting = self
            .folded
            .entries_of_kind(kind)
            .filter(|entry| fits(&entry.id) || entry.merged.iter().any(|merged| fits(&merged.id)));
        let first_fit = fitting.next().ok_or_else(|| no_such(kind, text))?;
        match fitting.count() {
            0 => Ok(first_fit),
            more => Err(WorkspaceError::Ambiguous {
                what: match kind {
                    EntryKind::Lesson => "memory entrie",
                    EntryKind::Guardrail => "guardrail",
                },
                id: text.to_owned(),
                count: more + 1,
            }),
        }
    }
}

fn imports_of(kind: EntryKind, read: &NamespaceJournals) -> BTreeMap<(EntryKind, String), Import> {
    let journals = read.journals.iter();
    let imports = journals.filter_map(|one| Some((one.name.clone(), one.import.clone()?)));
    imports
        .map(|(name, import)| ((kind, name), import))
        .collect()
}

/// Finds the disabled entries whose last change of availability here is that an import held them back.
fn find_waiting(read: &NamespaceJournals, folded: &MemoryFold) -> BTreeSet<EntryId> {
    let mut last: BTreeMap<&EntryId, (&str, bool)> = BTreeMap::new();
    for journal in &read.journals {
        let holds_back = is_of_import(&journal.name) && journal.import.is_none();
        // What was done elsewhere is no decision of a person here.
        let lines = journal.import.as_ref().and_then(|import| import.lines);
        let elsewhere = usize::try_from(lines.unwrap_or_default()).unwrap_or(usize::MAX);
        for event in journal.events.iter().skip(elsewhere) {
            let (MemoryEvent::EntryDisabled { id, at }
            | MemoryEvent::EntryEnabled { id, at }
            | MemoryEvent::GuardDisabled { id, at }
            | MemoryEvent::GuardEnabled { id, at }) = event
            else {
                continue;
            };
            let is_later = last
                .get(id)
                .is_none_or(|(before, _)| *before <= at.as_str());
            if is_later {
                last.insert(id, (at, holds_back));
            }
        }
    }
    let held_ids = last.into_iter().filter(|(_, (_, holds_back))| *holds_back);
    let entries = held_ids.filter_map(|(id, _)| folded.find_entry(id));
    let disabled_entries = entries.filter(|entry| entry.availability() == EntryStatus::Disabled);
    disabled_entries.map(|entry| entry.id.clone()).collect()
}

pub(super) fn no_such(kind: EntryKind, text: &str) -> WorkspaceError {
    let (what, list) = match kind {
        EntryKind::Lesson => ("memory entry", "elenchus memory list --all"),
        EntryKind::Guardrail => ("guardrail", "elenchus memory list --kind guardrail"),
    };
    WorkspaceError::NoSuch {
        what,
        id: text.trim().to_owned(),
        list,
    }
}

/// Says whether a text is an id without its middle, as lists shorten it: `guard-x0k3f2`.
fn has_kind_and_end(id: &str, text: &str) -> bool {
    text.split_once('-').is_some_and(|(kind, end)| {
        let after_kind = id.strip_prefix(kind).and_then(|id| id.strip_prefix('-'));
        !end.is_empty() && after_kind.is_some_and(|id| ends_with_ignoring_case(id, end))
    })
}

fn ends_with_ignoring_case(id: &str, end: &str) -> bool {
    id.len()
        .checked_sub(end.len())
        .and_then(|at| id.get(at..))
        .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}
