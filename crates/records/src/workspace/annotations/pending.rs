//! Annotations that a merge took and that may not be in their journals yet.
//!
//! A merge writes to several journals and can be killed between any two bytes. So everything it takes
//! is first put into one document, whole and durable: from then on it is taken, before that nothing
//! is. Readers add what the document holds to what they read; a process that opens one of the journals
//! for writing puts its part there first; the next merge puts everything there and removes the document.
//! Each annotation has an id, so nothing is ever taken twice.

use super::event::{AnnotationEvent, AnnotationId};
use super::journal::{AnnotationJournal, NOTES};
use super::person_files::{annotator_name as name_of, earlier_name, journal_of_person};
use super::unblinding::open_unblinding_journal;
use crate::workspace::error::{Result, WorkspaceError};
use crate::workspace::store_context::StoreContext;
use elenchus_game::debate::Author;
use elenchus_store::{
    JournalLine, JournalWriter, Layout, StoreError, read_regular, replace_private,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The format of the documents that this version writes.
const FORMAT: u32 = 1;

/// An annotation as its journal's line will have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PendingAnnotation {
    pub at: String,
    pub by: String,
    pub event: AnnotationEvent,
}

impl From<JournalLine<AnnotationEvent>> for PendingAnnotation {
    fn from(line: JournalLine<AnnotationEvent>) -> Self {
        let JournalLine { at, by, event, .. } = line;
        Self { at, by, event }
    }
}

/// Pending annotations, by annotator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pending {
    format: u32,
    pub notes: BTreeMap<String, Vec<PendingAnnotation>>,
    pub unblindings: BTreeMap<String, Vec<PendingAnnotation>>,
}

impl Default for Pending {
    fn default() -> Self {
        Self {
            format: FORMAT,
            notes: BTreeMap::new(),
            unblindings: BTreeMap::new(),
        }
    }
}

impl Pending {
    /// Reads everything that is pending for a store's journals. Blocks while it reads.
    ///
    /// # Errors
    /// When a document cannot be read or is none of this version's.
    pub fn read_all(layout: &Layout) -> Result<Self> {
        let mut all = Self::default();
        for id in layout.list_pending_merges()? {
            let Some(one) = Self::read_one(layout, &id)? else {
                continue;
            };
            for (annotator, marks) in one.notes {
                all.notes.entry(annotator).or_default().extend(marks);
            }
            for (annotator, marks) in one.unblindings {
                all.unblindings.entry(annotator).or_default().extend(marks);
            }
        }
        Ok(all)
    }

    /// Reads one document; `None` where another process has completed it meanwhile.
    fn read_one(layout: &Layout, id: &str) -> Result<Option<Self>> {
        let path = layout.pending_merge_path(id)?;
        let bytes = match read_regular(&path) {
            Ok(bytes) => bytes,
            Err(StoreError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let unread = |why: String| {
            WorkspaceError::Invalid(format!(
                "{}: {why}; it holds marks that 'elenchus labels merge' took and was killed over: use \
                 the version that wrote it, or move the file away and merge the pack again",
                path.display()
            ))
        };
        let read: Self =
            serde_json::from_slice(&bytes).map_err(|error| unread(error.to_string()))?;
        match read.format {
            FORMAT => Ok(Some(read.group_by_name())),
            other => Err(unread(format!("its format is {other}, not {FORMAT}"))),
        }
    }

    /// Returns the same under people's names: earlier versions kept them under those of files.
    fn group_by_name(self) -> Self {
        let regroup = |all: BTreeMap<String, Vec<PendingAnnotation>>| {
            let mut by_name: BTreeMap<String, Vec<PendingAnnotation>> = BTreeMap::new();
            for (key, marks) in all {
                let author = marks.first().map(|mark| Author::parse(&mark.by));
                let person = match author {
                    Some(Author::Person(name)) if earlier_name(&name) == key => name_of(&name),
                    Some(Author::Person(_) | Author::Engine) | None => key,
                };
                by_name.entry(person).or_default().extend(marks);
            }
            by_name
        };
        Self {
            format: self.format,
            notes: regroup(self.notes),
            unblindings: regroup(self.unblindings),
        }
    }

    /// Commits everything in it: durable when this returns, and not before.
    ///
    /// # Errors
    /// When the disk refuses; then nothing is taken.
    pub fn commit(&self, layout: &Layout, id: &str) -> Result<()> {
        let bytes = serde_json::to_vec(self).map_err(|error| {
            WorkspaceError::Invalid(format!("the marks cannot be written: {error}"))
        })?;
        Ok(replace_private(&layout.pending_merge_path(id)?, &bytes)?)
    }
}

/// Puts everything that is pending into its journals. Returns the number of annotations by annotator.
/// `held` are journals that are open already. Blocks while it reads and writes.
///
/// # Errors
/// When another process writes in one of the journals, or the disk refuses: what is not in its journal yet is
/// still taken, and the next merge goes on.
pub async fn complete_merges(
    store: &StoreContext,
    mut open_journals: BTreeMap<String, AnnotationJournal>,
) -> Result<BTreeMap<String, usize>> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for id in store.layout.list_pending_merges()? {
        let Some(pending) = Pending::read_one(&store.layout, &id)? else {
            continue;
        };
        for (annotator, marks) in pending.notes {
            let (book, by_opening) = match open_journals.remove(&annotator) {
                Some(book) => (book, 0),
                None => open_annotator_journal(store, &annotator)?,
            };
            let mut book = book;
            let count = by_opening + book.append_pending(marks)?;
            *counts.entry(annotator.clone()).or_default() += count;
            open_journals.insert(annotator, book);
        }
        for (annotator, marks) in pending.unblindings {
            let (journal, known) = open_unblinding_journal(store, &annotator).await?;
            let known_ids = known.into_iter().map(|line| line.event.id).collect();
            let count = append_missing(&journal, known_ids, marks)?.len();
            *counts.entry(annotator).or_default() += count;
        }
        // Where this is lost to a power cut, it is done again, and every mark is found to be there.
        let path = store.layout.pending_merge_path(&id)?;
        std::fs::remove_file(&path).map_err(|error| {
            WorkspaceError::Invalid(format!(
                "{} cannot be removed: {error}; everything in it is taken, so remove it",
                path.display()
            ))
        })?;
    }
    Ok(counts)
}

/// Opens an annotator's journal and returns how many annotations it got by that.
fn open_annotator_journal(
    store: &StoreContext,
    annotator: &str,
) -> Result<(AnnotationJournal, usize)> {
    let before = journal_of_person(&store.layout, NOTES, annotator)?;
    let before = match before.exists() {
        true => elenchus_store::read_head(&before)?.lines,
        false => 0,
    };
    let book = AnnotationJournal::open(store, annotator)?;
    let now = book.line_count();
    let count = usize::try_from(now.saturating_sub(before)).unwrap_or(usize::MAX);
    Ok((book, count))
}

/// Appends the annotations that are not in a journal yet, and returns them; durable when this returns.
/// Blocks for a sync.
///
/// # Errors
/// When the disk refuses.
pub(super) fn append_missing(
    journal: &JournalWriter<AnnotationEvent>,
    mut known: BTreeSet<AnnotationId>,
    marks: Vec<PendingAnnotation>,
) -> Result<Vec<(String, AnnotationEvent)>, StoreError> {
    let mut missing = marks;
    missing.retain(|mark| known.insert(mark.event.id.clone()));
    if let Some((last, others)) = missing.split_last() {
        for mark in others {
            journal.append_without_sync(&mark.at, &mark.by, &mark.event)?;
        }
        journal.append_blocking(&last.at, &last.by, &last.event)?;
    }
    let events = missing.into_iter().map(|mark| (mark.at, mark.event));
    Ok(events.collect())
}
