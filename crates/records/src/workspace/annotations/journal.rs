//! Journal of one annotator, open for writing, and the reader of every annotator's journal.

use super::annotator_state::AnnotatorState;
use super::event::{Annotation, AnnotationEvent, AnnotationId};
use super::label::Label;
use super::pending::{Pending, PendingAnnotation, append_missing};
use super::person_files::{annotator_name, journal_of_person, journals_of_people};
use super::state::Annotations;
use super::unblinding::read_unblinding_events;
use crate::workspace::clock::Clock;
use crate::workspace::error::{Result, WorkspaceError};
use crate::workspace::journal_lines::known_lines;
use crate::workspace::sources::copy_error;
use crate::workspace::store_context::StoreContext;
use crate::workspace::store_index::{Derived, StoreIndex, table};
use elenchus_game::debate::Author;
use elenchus_store::{
    Head, JournalWriter, Layout, ReadLine, StoreError, TailNotice, find_copies, read_journal,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// The folder of annotations, and that of what annotators were shown.
pub(super) const NOTES: &str = "notes";
pub(super) const SIGHTS: &str = "sights";
/// The longest note, in bytes.
const MAX_NOTE_BYTES: usize = 1 << 20;
/// The longest tag or name, in characters.
const MAX_NAME_CHARS: usize = 200;

/// An annotator's journal, open for writing. It holds the journal's lock.
#[derive(Debug)]
pub struct AnnotationJournal {
    annotations: Annotations,
    person: String,
    /// Their name as annotations hold it.
    annotator: String,
    clock: Clock,
    journal: JournalWriter<AnnotationEvent>,
    /// Repairs made when it was opened.
    pub notices: Vec<TailNotice>,
}

/// An annotator's journal that could not be read, or not all of it.
#[derive(Debug)]
pub struct UnreadableAnnotations {
    pub annotator: String,
    pub why: String,
}

impl fmt::Display for UnreadableAnnotations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.annotator, self.why)
    }
}

/// Reads every annotator's journal, without locks. Journals that cannot be read are returned as well.
/// Blocks while it reads.
///
/// # Errors
/// When the annotators cannot be listed.
pub fn read_annotations(layout: &Layout) -> Result<(Annotations, Vec<UnreadableAnnotations>)> {
    let mut annotations = Annotations::default();
    let mut unread = Vec::new();
    // Before the journals: what is moved from there into them meanwhile is not missed.
    let mut pending = Pending::read_all(layout).unwrap_or_else(|error| {
        let (annotator, why) = ("a merge".to_owned(), error.to_string());
        unread.push(UnreadableAnnotations { annotator, why });
        Pending::default()
    });
    let mut annotators = journals_of_people(layout, NOTES)?;
    let paths: Vec<PathBuf> = annotators.iter().map(|(_, path)| path.clone()).collect();
    let copies: BTreeMap<_, _> = find_copies(&paths, |_| None).into_iter().collect();
    for annotator in pending.notes.keys() {
        if !annotators.iter().any(|(known, _)| known == annotator) {
            let path = journal_of_person(layout, NOTES, annotator)?;
            annotators.push((annotator.clone(), path));
        }
    }
    annotators.sort();
    for (annotator, path) in annotators {
        if let Some(of) = copies.get(&path) {
            let why = copy_error(&path, of).to_string();
            unread.push(UnreadableAnnotations { annotator, why });
            continue;
        }
        let on_its_way = pending.notes.remove(&annotator).unwrap_or_default();
        let lines = match read_journal::<AnnotationEvent>(&path) {
            Ok(journal) => journal.lines,
            Err(StoreError::Missing { .. }) if !on_its_way.is_empty() => Vec::new(),
            Err(error) => {
                let why = error.to_string();
                unread.push(UnreadableAnnotations { annotator, why });
                continue;
            }
        };
        let mut strange = 0;
        let mut did = Vec::new();
        for line in lines {
            match line {
                ReadLine::Known(line) => did.push((line.at, line.event)),
                // What a later version wrote does not hide what this one can read.
                ReadLine::Unknown { .. } => strange += 1,
            }
        }
        annotations.add_events(&annotator, did);
        annotations.add_missing(&annotator, on_its_way);
        if strange > 0 {
            let why = format!(
                "{}: {strange} lines are of kinds that this version does not know and were passed \
                 over; a newer elenchus shows them",
                path.display()
            );
            unread.push(UnreadableAnnotations { annotator, why });
        }
    }
    let mut sight_journals = journals_of_people(layout, SIGHTS)?;
    for annotator in pending.unblindings.keys() {
        if !sight_journals.iter().any(|(known, _)| known == annotator) {
            let path = journal_of_person(layout, SIGHTS, annotator)?;
            sight_journals.push((annotator.clone(), path));
        }
    }
    sight_journals.sort();
    for (annotator, path) in sight_journals {
        let on_its_way = pending.unblindings.remove(&annotator).unwrap_or_default();
        match read_unblinding_events(&path, on_its_way) {
            Ok(unblindings) => annotations.add_events(&annotator, unblindings),
            Err(error) => {
                let why = error.to_string();
                unread.push(UnreadableAnnotations { annotator, why });
            }
        }
    }
    Ok((annotations, unread))
}

/// Returns the annotations of all people; a file that cannot be read counts as empty.
///
/// # Errors
/// When the annotators cannot be listed.
pub fn all_annotations(store: &StoreContext) -> Result<Annotations> {
    if !store.layout.root().exists() {
        return Ok(Annotations::default());
    }
    Ok(read_annotations(&store.layout)?.0)
}

/// Events that gave the tags and names in force in one annotator's journal.
#[derive(Serialize, Deserialize)]
struct SessionMarks(Vec<(String, AnnotationEvent)>);

impl Derived for SessionMarks {
    const TABLE: &'static str = table::TAGS;

    fn derive_entry(path: &Path) -> Result<(Self, Head)> {
        let journal = read_journal::<AnnotationEvent>(path)?;
        let mut state = AnnotatorState::default();
        for line in journal.lines {
            if let ReadLine::Known(line) = line {
                state.add_event("", line.at, line.event);
            }
        }
        Ok((Self(state.session_marks()), journal.head))
    }
}

/// Returns the tags and names that people gave sessions, and no other annotations: what lists of sessions
/// ask for. Journals are read only if they have changed; those that cannot be read are left out.
///
/// # Errors
/// When the annotators cannot be listed.
pub fn session_marks(index: &StoreIndex) -> Result<Annotations> {
    let layout = index.layout();
    if !layout.list_pending_merges()?.is_empty() {
        // What is on its way into the journals counts as well.
        return Ok(read_annotations(layout)?.0);
    }
    let people = journals_of_people(layout, NOTES)?;
    let paths: Vec<PathBuf> = people.iter().map(|(_, path)| path.clone()).collect();
    let copies: BTreeMap<_, _> = find_copies(&paths, |path| index.known_end(path))
        .into_iter()
        .collect();
    let mut marks = Annotations::default();
    for (annotator, path) in people {
        if copies.contains_key(&path) {
            continue;
        }
        if let Ok(SessionMarks(given)) = index.get_or_derive::<SessionMarks>(&path) {
            marks.add_events(&annotator, given);
        }
    }
    Ok(marks)
}

impl AnnotationJournal {
    /// Opens a person's journal, or begins it. Blocks for a read and a sync.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when another process of the same person writes in it, naming it; when
    /// the journal cannot be read or begun.
    pub fn open(store: &StoreContext, person: &str) -> Result<Self> {
        let annotator = annotator_name(person);
        let path = journal_of_person(&store.layout, NOTES, person)?;
        let journal = store.journals().begin_or_resume(&path)?;
        let lines = known_lines(&path, journal.lines)?.into_iter();
        let mut annotations = Annotations::default();
        annotations.add_events(&annotator, lines.map(|line| (line.at, line.event)));
        let mut book = Self {
            annotations,
            person: person.to_owned(),
            annotator,
            clock: store.clock,
            journal: journal.writer,
            notices: journal.notices,
        };
        let on_its_way = Pending::read_all(&store.layout)?
            .notes
            .remove(&book.annotator);
        book.append_pending(on_its_way.unwrap_or_default())?;
        Ok(book)
    }

    /// Puts annotations that a merge took into the journal, where they are not there yet, and returns how
    /// many were not; durable when this returns. Blocks for a sync.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn append_pending(&mut self, marks: Vec<PendingAnnotation>) -> Result<usize> {
        let known_ids = self.annotations.ids(&self.annotator);
        let new_events = append_missing(&self.journal, known_ids, marks)?;
        let count = new_events.len();
        self.annotations.add_events(&self.annotator, new_events);
        Ok(count)
    }

    /// Returns how many lines the journal has.
    pub(crate) fn line_count(&self) -> u64 {
        self.journal.head().lines
    }

    /// Writes an annotation; durable when this returns. [`Annotation::Retracted`] with the id takes it
    /// back.
    ///
    /// # Errors
    /// When nothing of that id is there to retract, a text is empty or too long, or the disk
    /// refuses.
    pub async fn record_annotation(&mut self, mut mark: Annotation) -> Result<AnnotationId> {
        trim(&mut mark);
        self.check_mark(&mark)?;
        let event = AnnotationEvent {
            id: AnnotationId::new(self.clock.fresh_id()),
            mark,
        };
        let at = self.clock.now();
        let by = Author::Person(self.person.clone()).to_string();
        self.journal.append(&at, &by, &event).await?;
        let id = event.id.clone();
        self.annotations.add_events(&self.annotator, [(at, event)]);
        Ok(id)
    }

    /// Writes annotations that were made elsewhere, with their times, but for those that are here;
    /// returns how many were new. Durable when this returns.
    ///
    /// # Errors
    /// When a text is empty or too long, or the disk refuses.
    pub async fn import_annotations(
        &mut self,
        marks: impl Iterator<Item = (String, AnnotationEvent)>,
    ) -> Result<usize> {
        let marks: Vec<(String, AnnotationEvent)> = marks.collect();
        for (_, event) in &marks {
            self.check_mark(&event.mark)?;
        }
        let mut known_ids = self.annotations.ids(&self.annotator);
        let by = Author::Person(self.person.clone()).to_string();
        let mut new = Vec::new();
        for (at, event) in marks {
            if known_ids.insert(event.id.clone()) {
                self.journal.append_without_sync(&at, &by, &event)?;
                new.push((at, event));
            }
        }
        self.journal.sync().await?;
        let count = new.len();
        self.annotations.add_events(&self.annotator, new);
        Ok(count)
    }

    /// Retracts the last annotation in force; `None` when there is none. The id of the retraction
    /// does it again.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn undo_last(&mut self) -> Result<Option<AnnotationId>> {
        let Some(last) = self.annotations.last(&self.annotator) else {
            return Ok(None);
        };
        let of = last.id.clone();
        Ok(Some(
            self.record_annotation(Annotation::Retracted { of }).await?,
        ))
    }

    /// Returns the annotations in force.
    pub fn annotations(&self) -> &Annotations {
        &self.annotations
    }

    fn check_mark(&self, mark: &Annotation) -> Result<()> {
        if let Annotation::Retracted { of } = mark {
            self.check_retraction(of)?;
        }
        check_annotation(mark)
    }

    fn check_retraction(&self, of: &AnnotationId) -> Result<()> {
        match self
            .annotations
            .find_event(&self.annotator, of)
            .map(|it| &it.mark)
        {
            None => Err(invalid_mark(
                "there is no such annotation of yours to retract; another annotator may have written it",
            )),
            Some(Annotation::Unblinded { .. }) => Err(invalid_mark(
                "the record of what a person was shown cannot be retracted; their later labels refer to it",
            )),
            Some(
                Annotation::Noted { .. }
                | Annotation::Tagged { .. }
                | Annotation::Untagged { .. }
                | Annotation::Named { .. }
                | Annotation::Labelled(_)
                | Annotation::Retracted { .. },
            ) => Ok(()),
        }
    }
}

/// Refuses an annotation whose text could not have been written here.
///
/// # Errors
/// When a text is empty or too long.
pub fn check_annotation(mark: &Annotation) -> Result<()> {
    match mark {
        Annotation::Noted { text, .. } if text.trim().is_empty() => {
            Err(invalid_mark("a note is empty"))
        }
        Annotation::Noted { text, .. } if text.len() > MAX_NOTE_BYTES => {
            Err(invalid_mark(&format!(
                "a note holds at most {} KiB; write the rest into another one",
                MAX_NOTE_BYTES >> 10
            )))
        }
        Annotation::Tagged { tag, .. } => check_name("a tag", tag),
        Annotation::Named {
            name: Some(name), ..
        } => check_name("a name", name),
        Annotation::Labelled(label) => check_label(label),
        Annotation::Noted { .. }
        | Annotation::Unblinded { .. }
        | Annotation::Untagged { .. }
        | Annotation::Named { name: None, .. }
        | Annotation::Retracted { .. } => Ok(()),
    }
}

fn trim(mark: &mut Annotation) {
    match mark {
        Annotation::Tagged { tag: text, .. }
        | Annotation::Untagged { tag: text, .. }
        | Annotation::Named {
            name: Some(text), ..
        } => *text = text.trim().to_owned(),
        Annotation::Named { name: None, .. }
        | Annotation::Noted { .. }
        | Annotation::Labelled(_)
        | Annotation::Unblinded { .. }
        | Annotation::Retracted { .. } => {}
    }
}

fn check_label(label: &Label) -> Result<()> {
    check_name("a label", &label.label)?;
    check_name("a label set", &label.set)?;
    if label.note.as_ref().map_or(0, String::len) > MAX_NOTE_BYTES {
        return Err(invalid_mark(&format!(
            "a note holds at most {} KiB",
            MAX_NOTE_BYTES >> 10
        )));
    }
    label
        .category
        .as_deref()
        .map_or(Ok(()), |category| check_name("a category", category))
}

fn check_name(what: &str, text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(invalid_mark(&format!("{what} is empty; give it a word")));
    }
    if text.chars().count() > MAX_NAME_CHARS {
        return Err(invalid_mark(&format!(
            "{what} has at most {MAX_NAME_CHARS} characters; a note can hold more"
        )));
    }
    Ok(())
}

fn invalid_mark(why: &str) -> WorkspaceError {
    WorkspaceError::Invalid(why.to_owned())
}
