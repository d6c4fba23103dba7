//! The journals of a namespace of long-term memory, read and folded.

use crate::memory::{MemoryEvent, MemoryFold, WriterJournal, fold_journals};
use crate::store::JournalEvent;
use crate::store::JournalLine;
use crate::store::{Head, Layout, TailNotice, read_journal};
use crate::workspace::JournalKind;
use crate::workspace::error::WorkspaceError;
use crate::workspace::journal_lines::known;
use jiff::Timestamp;
use std::path::Path;
use std::path::PathBuf;

/// One writer's journal.
#[derive(Debug, Clone)]
pub struct MemoryJournal {
    pub name: String,
    pub path: PathBuf,
    pub events: Vec<MemoryEvent>,
    pub head: Head,
}

/// The journals of a namespace, sorted by name.
#[derive(Debug, Clone, Default)]
pub struct NamespaceJournals {
    pub journals: Vec<MemoryJournal>,
    /// Incomplete last lines, which are left out.
    pub notices: Vec<TailNotice>,
}

impl NamespaceJournals {
    /// Folds them into entries.
    pub fn fold(&self) -> MemoryFold {
        let journals: Vec<WriterJournal<'_>> = self
            .journals
            .iter()
            .map(|journal| WriterJournal {
                name: &journal.name,
                events: &journal.events,
            })
            .collect();
        fold_journals(&journals)
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
    for path in layout.memory_journals(namespace)? {
        let journal = read_journal::<MemoryEvent>(&path)?;
        let lines = known(&path, journal.lines)?;
        let name = path.file_stem().unwrap_or_default();
        read.journals.push(MemoryJournal {
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

impl JournalEvent for MemoryEvent {
    const KIND: &'static str = "lessons";
}

impl JournalKind for MemoryEvent {
    type State = Vec<JournalLine<Self>>;
    const NAMES: (&'static str, &'static str) = ("journal of lessons", "journals of lessons");
    const FOLDERS: &'static [&'static str] = &["memory/*"];

    fn fold(_: &Path, lines: Self::State) -> Result<Self::State, WorkspaceError> {
        Ok(lines)
    }
}
