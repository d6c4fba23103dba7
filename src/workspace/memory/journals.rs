//! The journals of a namespace of long-term memory: read, folded, and written to.

use crate::memory::{EntryKind, MemoryEvent, MemoryFold, WriterJournal, fold_journals};
use crate::store::{
    Head, JournalEvent, JournalLine, Journals, Layout, LazyJournal, StoreError, TailNotice,
    read_journal,
};
use crate::workspace::JournalKind;
use crate::workspace::error::WorkspaceError;
use crate::workspace::journal_lines::known;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One writer's journal.
#[derive(Debug, Clone)]
pub struct MemoryJournal {
    /// Kind of entries that its folder is for.
    pub kind: EntryKind,
    pub name: String,
    pub path: PathBuf,
    pub events: Vec<MemoryEvent>,
    pub head: Head,
}

impl MemoryJournal {
    pub(super) fn as_writer(&self) -> WriterJournal<'_> {
        WriterJournal {
            name: &self.name,
            events: &self.events,
        }
    }
}

/// The journals of a namespace, those of lessons first, sorted by name.
#[derive(Debug, Clone, Default)]
pub struct NamespaceJournals {
    pub journals: Vec<MemoryJournal>,
    /// Incomplete last lines, which are left out.
    pub notices: Vec<TailNotice>,
}

impl NamespaceJournals {
    /// Folds them into entries.
    pub fn fold(&self) -> MemoryFold {
        fold_journals(self.journals.iter().map(MemoryJournal::as_writer))
    }
}

/// Returns the journals of a namespace with the kind of entries that their folder is for.
///
/// # Errors
/// When a folder cannot be listed.
pub(super) fn journal_paths(
    layout: &Layout,
    namespace: &str,
) -> Result<Vec<(EntryKind, PathBuf)>, StoreError> {
    let lessons = layout.memory_journals(namespace)?.into_iter();
    let guardrails = layout.guard_journals(namespace)?.into_iter();
    let lessons = lessons.map(|path| (EntryKind::Lesson, path));
    Ok(lessons
        .chain(guardrails.map(|path| (EntryKind::Guardrail, path)))
        .collect())
}

/// Returns the journal in which a writer keeps entries of a kind.
///
/// # Errors
/// [`StoreError::Name`].
pub fn journal_path(
    layout: &Layout,
    kind: EntryKind,
    namespace: &str,
    writer: &str,
) -> Result<PathBuf, StoreError> {
    match kind {
        EntryKind::Lesson => layout.memory(namespace, writer),
        EntryKind::Guardrail => layout.guards(namespace, writer),
    }
}

/// Reads every journal of a namespace; one that is not there has none.
///
/// # Errors
/// When a journal cannot be read; file and line are named.
pub fn read_namespace(
    layout: &Layout,
    namespace: &str,
) -> Result<NamespaceJournals, WorkspaceError> {
    let mut read = NamespaceJournals::default();
    for (kind, path) in journal_paths(layout, namespace)? {
        let journal = read_journal::<MemoryEvent>(&path)?;
        let lines = known(&path, journal.lines)?;
        let name = path.file_stem().unwrap_or_default();
        read.journals.push(MemoryJournal {
            kind,
            name: name.to_string_lossy().into_owned(),
            events: lines.into_iter().map(|line| line.event).collect(),
            head: journal.head,
            path,
        });
        read.notices.extend(journal.notices);
    }
    Ok(read)
}

/// Says whether something happened to memory after a time; times that cannot be read did not.
pub(super) fn written_later(event: &MemoryEvent, than: &str) -> bool {
    match (event.at().parse::<Timestamp>(), than.parse::<Timestamp>()) {
        (Ok(at), Ok(than)) => at > than,
        (Err(_), _) | (_, Err(_)) => false,
    }
}

/// One writer's journals in a namespace, each opened or begun with its first line.
pub(super) struct NamespaceWriter {
    lessons: LazyJournal<MemoryEvent>,
    guardrails: LazyJournal<GuardrailLine>,
}

impl NamespaceWriter {
    pub(super) fn new(
        layout: &Layout,
        journals: &Journals,
        namespace: &str,
        writer: &str,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            lessons: LazyJournal::new(journals.clone(), layout.memory(namespace, writer)?),
            guardrails: LazyJournal::new(journals.clone(), layout.guards(namespace, writer)?),
        })
    }

    /// Writes an event without waiting for the disk; the next durable one carries it along. Returns
    /// its line, and what was mended in the journal when it was opened.
    pub(super) fn note(
        &mut self,
        by: &str,
        event: &MemoryEvent,
    ) -> Result<(usize, Vec<TailNotice>), StoreError> {
        let (head, notices) = match event.kind() {
            EntryKind::Lesson => {
                let (journal, notices) = self.lessons.writer()?;
                (journal.append_unsynced(event.at(), by, event)?, notices)
            }
            EntryKind::Guardrail => {
                let (journal, notices) = self.guardrails.writer()?;
                let line = GuardrailLine(event.clone());
                (journal.append_unsynced(event.at(), by, &line)?, notices)
            }
        };
        Ok((usize::try_from(head.lines).unwrap_or(usize::MAX), notices))
    }

    /// Writes an event as [`note`](Self::note) does, durable when this returns.
    pub(super) async fn write(
        &mut self,
        by: &str,
        event: &MemoryEvent,
    ) -> Result<(usize, Vec<TailNotice>), StoreError> {
        let written = self.note(by, event)?;
        self.sync().await?;
        Ok(written)
    }

    /// Makes every event so far durable.
    pub(super) async fn sync(&self) -> Result<(), StoreError> {
        self.lessons.sync().await?;
        self.guardrails.sync().await
    }
}

impl JournalEvent for MemoryEvent {
    const KIND: &'static str = "lessons";
}

impl JournalKind for MemoryEvent {
    type State = Vec<JournalLine<Self>>;
    const NAMES: (&'static str, &'static str) = ("journal of lessons", "journals of lessons");
    const FOLDERS: &'static [&'static str] = &["memory/*"];

    fn is_first(event: &Value) -> bool {
        begins(event, EntryKind::Lesson)
    }

    fn fold(_: &Path, lines: Self::State) -> Result<Self::State, WorkspaceError> {
        Ok(lines)
    }
}

/// Line of a journal of guardrails: the envelope of such journals names a kind of its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GuardrailLine(MemoryEvent);

impl JournalEvent for GuardrailLine {
    const KIND: &'static str = "guardrails";
}

impl JournalKind for GuardrailLine {
    type State = Vec<JournalLine<Self>>;
    const NAMES: (&'static str, &'static str) = ("journal of guardrails", "journals of guardrails");
    const FOLDERS: &'static [&'static str] = &["memory/*/guards"];

    fn is_first(event: &Value) -> bool {
        begins(event, EntryKind::Guardrail)
    }

    fn fold(_: &Path, lines: Self::State) -> Result<Self::State, WorkspaceError> {
        Ok(lines)
    }
}

fn begins(event: &Value, kind: EntryKind) -> bool {
    MemoryEvent::deserialize(event).is_ok_and(|event| event.kind() == kind)
}
