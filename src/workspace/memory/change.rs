//! A person's changes to a namespace.

use super::super::desk::{Desk, annotator};
use super::super::error::DriverError;
use super::Shelf;
use crate::debate::Author;
use crate::memory::{Entry, EntryId, EntryStanding, MemoryEvent};
use crate::store::{JournalWriter, StoreError};

/// The longest text of an entry.
pub const MAX_ENTRY_BYTES: usize = 64 << 10;
/// Begins the names of people's journals, so that no run is called the same.
const PERSON: &str = "person-";
/// Begins the ids of entries that people wrote.
const WRITTEN: &str = "written-";

/// What a person wants of a namespace. Entries are named by their id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Add {
        text: String,
    },
    /// Gives an entry a new text; every earlier one stays readable.
    Edit {
        id: EntryId,
        text: String,
    },
    Disable(EntryId),
    Enable(EntryId),
    Delete(EntryId),
    Restore(EntryId),
}

/// What came of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The entry as it is now.
    pub entry: Entry,
    /// What takes it back; `None` where nothing had to be changed, or an entry was added and can
    /// only be deleted.
    pub undo: Option<Change>,
    /// It was so already, and nothing was written.
    pub already: bool,
    /// What was mended when the journal was opened.
    pub notices: Vec<String>,
}

/// Returns the name of a person's journal.
pub fn person_journal(person: &str) -> String {
    format!("{PERSON}{}", annotator(person))
}

/// Makes a change, durable when this returns. Runs that have begun do not see it.
///
/// # Errors
/// When there is no such entry, a text is empty, too long or the same as before, another process
/// writes as the same person, or a journal cannot be read or written.
pub async fn change(desk: &Desk, namespace: &str, change: Change) -> Result<Changed, DriverError> {
    let mut shelf = Shelf::read(&desk.layout, namespace)?;
    let at = desk.clock.now();
    let (event, undo) = match event_of(&shelf, &change, desk, &at)? {
        Wanted::Event(event, undo) => (event, undo),
        Wanted::Already(entry) => {
            return Ok(Changed {
                entry,
                undo: None,
                already: true,
                notices: Vec::new(),
            });
        }
    };
    let name = person_journal(&desk.person);
    let path = desk.layout.memory(namespace, &name)?;
    let (journal, notices) = match JournalWriter::create(&path, &desk.holder, &desk.fsync) {
        Ok(journal) => (journal, Vec::new()),
        Err(StoreError::Exists { .. }) => {
            let opened = JournalWriter::<MemoryEvent>::open(&path, &desk.holder, &desk.fsync)?;
            (opened.writer, opened.notices)
        }
        Err(error) => return Err(error.into()),
    };
    let by = Author::Person(desk.person.clone()).to_string();
    let head = journal.append(&at, &by, &event).await?;
    let line = usize::try_from(head.lines).unwrap_or(usize::MAX);
    shelf.folded.apply(&name, line, &event);
    let id = event.entry();
    let entry = shelf.folded.find(id).cloned().ok_or_else(|| no_such(id))?;
    Ok(Changed {
        entry,
        undo,
        already: false,
        notices: notices.iter().map(ToString::to_string).collect(),
    })
}

/// What a change comes to.
enum Wanted {
    /// What is written, and what takes it back.
    Event(MemoryEvent, Option<Change>),
    Already(Entry),
}

fn event_of(shelf: &Shelf, change: &Change, desk: &Desk, at: &str) -> Result<Wanted, DriverError> {
    let at = at.to_owned();
    let find = |id: &EntryId| shelf.folded.find(id).ok_or_else(|| no_such(id));
    let is = |entry: &Entry, standing| entry.standing() == standing;
    Ok(match change {
        Change::Add { text } => {
            let id = EntryId(format!("{WRITTEN}{}", desk.clock.fresh_id()));
            let undo = Change::Delete(id.clone());
            let added = MemoryEvent::EntryAdded {
                id,
                text: checked(text)?,
                origin: None,
                batch: None,
                at,
            };
            Wanted::Event(added, Some(undo))
        }
        Change::Edit { id, text } => {
            let entry = find(id)?;
            let id = entry.id.clone();
            if is(entry, EntryStanding::Deleted) {
                return Err(DriverError::Invalid(format!(
                    "the entry {id} is deleted; restore it before you change it"
                )));
            }
            let text = checked(text)?;
            if text == entry.text {
                return Ok(Wanted::Already(entry.clone()));
            }
            let undo = Change::Edit {
                id: id.clone(),
                text: entry.text.clone(),
            };
            Wanted::Event(MemoryEvent::EntryEdited { id, text, at }, Some(undo))
        }
        Change::Disable(id) => {
            let entry = find(id)?;
            let id = entry.id.clone();
            if entry.disabled {
                return Ok(Wanted::Already(entry.clone()));
            }
            let undo = Change::Enable(id.clone());
            Wanted::Event(MemoryEvent::EntryDisabled { id, at }, Some(undo))
        }
        Change::Enable(id) => {
            let entry = find(id)?;
            let id = entry.id.clone();
            if !entry.disabled {
                return Ok(Wanted::Already(entry.clone()));
            }
            let undo = Change::Disable(id.clone());
            Wanted::Event(MemoryEvent::EntryEnabled { id, at }, Some(undo))
        }
        Change::Delete(id) => {
            let entry = find(id)?;
            let id = entry.id.clone();
            if entry.deleted {
                return Ok(Wanted::Already(entry.clone()));
            }
            let undo = Change::Restore(id.clone());
            Wanted::Event(MemoryEvent::EntryDeleted { id, at }, Some(undo))
        }
        Change::Restore(id) => {
            let entry = find(id)?;
            let id = entry.id.clone();
            if !entry.deleted {
                return Ok(Wanted::Already(entry.clone()));
            }
            let undo = Change::Delete(id.clone());
            Wanted::Event(MemoryEvent::EntryRestored { id, at }, Some(undo))
        }
    })
}

fn checked(text: &str) -> Result<String, DriverError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(DriverError::Invalid(
            "the text is empty; write the lesson, or disable the entry".to_owned(),
        ));
    }
    if text.len() > MAX_ENTRY_BYTES {
        return Err(DriverError::Invalid(format!(
            "the text has {} bytes and an entry holds at most {MAX_ENTRY_BYTES}: five of them are \
             put in front of every speaker, so shorten it",
            text.len()
        )));
    }
    Ok(text.to_owned())
}

fn no_such(id: &EntryId) -> DriverError {
    DriverError::NoSuch {
        what: "memory entry",
        id: id.to_string(),
        list: "elenchus memory list --all",
    }
}
