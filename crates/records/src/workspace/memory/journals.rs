//! The journals of a namespace of long-term memory: read, folded, and written to.

use super::indexed::JournalEvents;
use crate::workspace::error::Result;
use crate::workspace::store_index::StoreIndex;
use crate::workspace::{Intake, JournalKind, refuse_case_twin};
use elenchus_memory::{EntryKind, MemoryEvent, MemoryFold, WriterJournal, fold_journals};
use elenchus_store::{
    Import, JournalLine, JournalStamp, JournalType, Journals, Layout, LazyJournal, StoreError,
    TailNotice, import_of,
};
use jiff::Timestamp;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One writer's journal.
#[derive(Debug, Clone)]
pub struct MemoryJournal {
    pub name: String,
    pub events: Vec<MemoryEvent>,
    /// When and from where it came, if it was not begun here.
    pub import: Option<Import>,
}

impl MemoryJournal {
    pub(super) fn as_writer(&self) -> WriterJournal<'_> {
        WriterJournal {
            name: &self.name,
            events: &self.events,
        }
    }
}

/// Journals of a namespace, sorted by name.
#[derive(Debug, Clone, Default)]
pub struct NamespaceJournals {
    pub journals: Vec<MemoryJournal>,
    /// Incomplete last lines, which are left out.
    pub notices: Vec<TailNotice>,
}

impl NamespaceJournals {
    /// Leaves out what others than this writer did after a time, RFC 3339; times that cannot be read are
    /// not after it. What came later than that is left out as well, whatever its own times say.
    ///
    /// `writer_came` is the import of the run or session that reads, if it was imported: it reads what came
    /// with it, never what is in use here.
    pub(super) fn cut_off(&mut self, writer_name: &str, as_of: &str, writer_came: Option<&Import>) {
        let Ok(as_of) = as_of.parse::<Timestamp>() else {
            return;
        };
        let is_before = |at: &str| at.parse::<Timestamp>().map_or(true, |at| at <= as_of);
        let came = writer_came.filter(|came| came.from.is_some());
        let came_with = |journal: &MemoryJournal, came: &Import| {
            let import = journal.import.as_ref();
            import.is_some_and(|import| import.at == came.at || import.from == came.from)
        };
        let has_own = came.is_some_and(|came| self.journals.iter().any(|one| came_with(one, came)));
        self.journals.retain(|journal| {
            if journal.name == writer_name {
                return true;
            }
            match (came, &journal.import) {
                (Some(came), _) if has_own => came_with(journal, came),
                (Some(_), import) => import.is_some(),
                // Earlier versions recorded no origin; what read such a journal goes on reading it.
                (None, Some(import)) => import.from.is_none() || is_before(&import.at),
                (None, None) => true,
            }
        });
        let others = self.journals.iter_mut();
        for journal in others.filter(|journal| journal.name != writer_name) {
            journal.events.retain(|event| is_before(event.time()));
        }
    }

    /// Folds them into entries.
    pub fn fold_entries(&self) -> MemoryFold {
        fold_journals(self.journals.iter().map(MemoryJournal::as_writer))
    }
}

/// Returns the journals of a namespace for entries of a kind.
///
/// # Errors
/// When a folder cannot be listed.
pub(super) fn journals_of(
    layout: &Layout,
    kind: EntryKind,
    namespace: &str,
) -> Result<Vec<PathBuf>, StoreError> {
    match kind {
        EntryKind::Lesson => layout.memory_journals(namespace),
        EntryKind::Guardrail => layout.guard_journals(namespace),
    }
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
        EntryKind::Lesson => layout.memory_path(namespace, writer),
        EntryKind::Guardrail => layout.guards_path(namespace, writer),
    }
}

/// Reads the journals of a namespace for entries of a kind; one that is not there has none.
///
/// # Errors
/// When a journal cannot be read; file and line are named.
pub fn read_namespace(
    index: &StoreIndex,
    kind: EntryKind,
    namespace: &str,
) -> Result<NamespaceJournals> {
    let mut read = NamespaceJournals::default();
    for path in journals_of(index.layout(), kind, namespace)? {
        let JournalEvents {
            mut events,
            import,
            notices,
        } = index.get_or_derive(&path)?;
        let name = path.file_stem().unwrap_or_default();
        import
            .iter()
            .for_each(|import| date_no_later(&mut events, import));
        read.journals.push(MemoryJournal {
            name: name.to_string_lossy().into_owned(),
            events,
            import,
        });
        read.notices.extend(notices);
    }
    Ok(read)
}

/// Dates events that came from elsewhere no later than they came: times of their own put them behind
/// nothing that was done here since.
fn date_no_later(events: &mut [MemoryEvent], import: &Import) {
    let (Ok(came), Some(lines)) = (import.at.parse::<Timestamp>(), import.lines) else {
        return;
    };
    let lines = usize::try_from(lines).unwrap_or(usize::MAX);
    for event in events.iter_mut().take(lines) {
        if event.time().parse::<Timestamp>().is_ok_and(|at| at > came) {
            event.set_time(&import.at);
        }
    }
}

/// Returns the import of the run or session that reads memory, if it was imported.
pub(super) fn import_of_writer(layout: &Layout, writer: &str) -> Option<Import> {
    let paths = [layout.run_path(writer), layout.session_path(writer)].into_iter();
    paths.flatten().find_map(|path| import_of(&path))
}

/// Reads the journals of a namespace as [`read_namespace`], with an index that is opened for that, and
/// keeps there what has changed.
///
/// # Errors
/// As [`read_namespace`].
pub(super) fn read_with_index(
    layout: &Layout,
    kind: EntryKind,
    namespace: &str,
) -> Result<NamespaceJournals> {
    let index = StoreIndex::open_memory(layout, &[namespace.to_owned()]);
    let read = read_namespace(&index, kind, namespace);
    index.write_changes();
    read
}

/// Returns what [`lessons_at`] would read for a writer: while it is the same, so are the lessons. No journal is
/// opened.
///
/// # Errors
/// When a folder cannot be listed.
pub(crate) fn lessons_stamp(
    layout: &Layout,
    namespace: &str,
    writer: &str,
) -> Result<Vec<(PathBuf, Option<JournalStamp>)>> {
    let mut read = journals_of(layout, EntryKind::Lesson, namespace)?;
    read.extend(
        [layout.run_path(writer), layout.session_path(writer)]
            .into_iter()
            .flatten(),
    );
    let stamps = read.into_iter().map(|path| {
        let stamp = JournalStamp::from_path(&path);
        (path, stamp)
    });
    Ok(stamps.collect())
}

/// Returns the lessons of a namespace as a writer saw it from a time on, RFC 3339: with what it wrote itself
/// later, without what others did; of these the first alone, where a number is given.
///
/// # Errors
/// When a journal cannot be read; it is named.
pub(crate) fn lessons_at(
    layout: &Layout,
    namespace: &str,
    writer_name: &str,
    as_of: &str,
    first: Option<u32>,
) -> Result<MemoryFold> {
    let mut lessons = read_with_index(layout, EntryKind::Lesson, namespace)?;
    let came = import_of_writer(layout, writer_name);
    lessons.cut_off(writer_name, as_of, came.as_ref());
    first.inspect(|count| lessons.keep_first_lessons(*count));
    Ok(lessons.fold_entries())
}

/// One writer's journals in a namespace, each opened or begun with its first line.
pub(super) struct NamespaceWriter {
    lessons: LazyJournal<LessonJournal>,
    guardrails: LazyJournal<GuardrailJournal>,
}

impl NamespaceWriter {
    pub(super) fn new(
        layout: &Layout,
        journals: &Journals,
        namespace: &str,
        writer: &str,
    ) -> Result<Self> {
        refuse_case_twin("memory", namespace, &layout.list_namespaces()?)?;
        Ok(Self {
            lessons: LazyJournal::new(journals.clone(), layout.memory_path(namespace, writer)?),
            guardrails: LazyJournal::new(journals.clone(), layout.guards_path(namespace, writer)?),
        })
    }

    /// Writes an event without waiting for the disk; the next durable one carries it along. Returns
    /// its line, and what was mended in the journal when it was opened.
    pub(super) fn record_without_sync(
        &mut self,
        by: &str,
        event: &MemoryEvent,
    ) -> Result<(usize, Vec<TailNotice>), StoreError> {
        let (head, notices) = match event.entry_kind() {
            EntryKind::Lesson => {
                let (journal, notices) = self.lessons.open_writer()?;
                (
                    journal.append_without_sync(event.time(), by, event)?,
                    notices,
                )
            }
            EntryKind::Guardrail => {
                let (journal, notices) = self.guardrails.open_writer()?;
                (
                    journal.append_without_sync(event.time(), by, event)?,
                    notices,
                )
            }
        };
        Ok((usize::try_from(head.lines).unwrap_or(usize::MAX), notices))
    }

    /// Writes an event as [`record_without_sync`](Self::record_without_sync) does, durable when this returns.
    pub(super) async fn record_event(
        &mut self,
        by: &str,
        event: &MemoryEvent,
    ) -> Result<(usize, Vec<TailNotice>), StoreError> {
        let result = self.record_without_sync(by, event)?;
        self.sync().await?;
        Ok(result)
    }

    /// Makes every event so far durable.
    pub(super) async fn sync(&self) -> Result<(), StoreError> {
        self.lessons.sync().await?;
        self.guardrails.sync().await
    }
}

/// Journal of the lessons that one writer added to a namespace.
pub struct LessonJournal;

impl JournalType for LessonJournal {
    type Event = MemoryEvent;
    const KIND: &'static str = "lessons";
}

impl JournalKind for LessonJournal {
    type State = Vec<JournalLine<MemoryEvent>>;
    const NAMES: (&'static str, &'static str) = ("journal of lessons", "journals of lessons");
    const FOLDERS: &'static [&'static str] = &["memory/*"];
    const INTAKE: Intake = Intake::ByName;

    fn is_first(event: &Value) -> bool {
        begins_journal(event, EntryKind::Lesson)
    }

    fn fold_journal(_: &Path, lines: Self::State) -> Result<Self::State> {
        Ok(lines)
    }
}

/// Journal of the guardrails that one writer added to a namespace: its envelope names a kind of its own.
pub struct GuardrailJournal;

impl JournalType for GuardrailJournal {
    type Event = MemoryEvent;
    const KIND: &'static str = "guardrails";
}

impl JournalKind for GuardrailJournal {
    type State = Vec<JournalLine<MemoryEvent>>;
    const NAMES: (&'static str, &'static str) = ("journal of guardrails", "journals of guardrails");
    const FOLDERS: &'static [&'static str] = &["memory/*/guards"];
    const INTAKE: Intake = Intake::ByName;

    fn is_first(event: &Value) -> bool {
        begins_journal(event, EntryKind::Guardrail)
    }

    fn fold_journal(_: &Path, lines: Self::State) -> Result<Self::State> {
        Ok(lines)
    }
}

fn begins_journal(event: &Value, kind: EntryKind) -> bool {
    let read = serde_json::from_slice::<MemoryEvent>(event.to_string().as_bytes());
    read.is_ok_and(|event| event.entry_kind() == kind)
}
