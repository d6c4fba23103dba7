//! Changes of a person to the entries of a namespace.

use super::browse::NamespaceEntries;
use crate::debate::Author;
use crate::memory::{EntryId, EntryStatus, MemoryEntry, MemoryEvent};
use crate::workspace::annotations::annotator;
use crate::workspace::desk::Desk;
use crate::workspace::error::WorkspaceError;

/// The longest text of an entry.
const MAX_ENTRY_BYTES: usize = 64 << 10;
/// Begins the names of people's journals, so that no run is called the same.
const PERSON: &str = "person-";
/// Begins the ids of entries that people wrote.
const WRITTEN: &str = "written-";

/// Change of a namespace. Entries are named by their id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryChange {
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

/// Result of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedEntry {
    /// The entry as it is now.
    pub entry: MemoryEntry,
    /// Change that undoes it; `None` where nothing had to be changed, or an entry was added and can
    /// only be deleted.
    pub undo: Option<EntryChange>,
    /// It was so already, and nothing was written.
    pub already: bool,
    /// Repairs made when the journal was opened.
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
pub async fn change(
    desk: &Desk,
    namespace: &str,
    change: EntryChange,
) -> Result<ChangedEntry, WorkspaceError> {
    let mut shelf = NamespaceEntries::read(&desk.layout, namespace)?;
    let at = desk.clock.now();
    let (event, undo) = match event_of(&shelf, &change, desk, &at)? {
        PlannedChange::Event(event, undo) => (event, undo),
        PlannedChange::Already(entry) => {
            return Ok(ChangedEntry {
                entry,
                undo: None,
                already: true,
                notices: Vec::new(),
            });
        }
    };
    let name = person_journal(&desk.person);
    let path = desk.layout.memory(namespace, &name)?;
    let opened = desk.journals().begin_or_resume::<MemoryEvent>(&path)?;
    let by = Author::Person(desk.person.clone()).to_string();
    let head = opened.writer.append(&at, &by, &event).await?;
    let line = usize::try_from(head.lines).unwrap_or(usize::MAX);
    shelf.folded.apply(&name, line, &event);
    let id = event.entry();
    let entry = shelf.folded.find(id).cloned().ok_or_else(|| no_such(id))?;
    Ok(ChangedEntry {
        entry,
        undo,
        already: false,
        notices: opened.notices.iter().map(ToString::to_string).collect(),
    })
}

/// Event that a change comes to, if any.
enum PlannedChange {
    /// The event to write, and the change that undoes it.
    Event(MemoryEvent, Option<EntryChange>),
    Already(MemoryEntry),
}

fn event_of(
    shelf: &NamespaceEntries,
    change: &EntryChange,
    desk: &Desk,
    at: &str,
) -> Result<PlannedChange, WorkspaceError> {
    let at = at.to_owned();
    let find = |id: &EntryId| shelf.folded.find(id).ok_or_else(|| no_such(id));
    let is = |entry: &MemoryEntry, standing| entry.standing() == standing;
    Ok(match change {
        EntryChange::Add { text } => {
            let id = EntryId(format!("{WRITTEN}{}", desk.clock.fresh_id()));
            let undo = EntryChange::Delete(id.clone());
            let added = MemoryEvent::EntryAdded {
                id,
                text: checked(text)?,
                origin: None,
                batch: None,
                at,
            };
            PlannedChange::Event(added, Some(undo))
        }
        EntryChange::Edit { id, text } => {
            let entry = find(id)?;
            let id = entry.id.clone();
            if is(entry, EntryStatus::Deleted) {
                return Err(WorkspaceError::Invalid(format!(
                    "the entry {id} is deleted; restore it before you change it"
                )));
            }
            let text = checked(text)?;
            if text == entry.text {
                return Ok(PlannedChange::Already(entry.clone()));
            }
            let undo = EntryChange::Edit {
                id: id.clone(),
                text: entry.text.clone(),
            };
            PlannedChange::Event(MemoryEvent::EntryEdited { id, text, at }, Some(undo))
        }
        EntryChange::Disable(id) => {
            let entry = find(id)?;
            let id = entry.id.clone();
            if entry.disabled {
                return Ok(PlannedChange::Already(entry.clone()));
            }
            let undo = EntryChange::Enable(id.clone());
            PlannedChange::Event(MemoryEvent::EntryDisabled { id, at }, Some(undo))
        }
        EntryChange::Enable(id) => {
            let entry = find(id)?;
            let id = entry.id.clone();
            if !entry.disabled {
                return Ok(PlannedChange::Already(entry.clone()));
            }
            let undo = EntryChange::Disable(id.clone());
            PlannedChange::Event(MemoryEvent::EntryEnabled { id, at }, Some(undo))
        }
        EntryChange::Delete(id) => {
            let entry = find(id)?;
            let id = entry.id.clone();
            if entry.deleted {
                return Ok(PlannedChange::Already(entry.clone()));
            }
            let undo = EntryChange::Restore(id.clone());
            PlannedChange::Event(MemoryEvent::EntryDeleted { id, at }, Some(undo))
        }
        EntryChange::Restore(id) => {
            let entry = find(id)?;
            let id = entry.id.clone();
            if !entry.deleted {
                return Ok(PlannedChange::Already(entry.clone()));
            }
            let undo = EntryChange::Delete(id.clone());
            PlannedChange::Event(MemoryEvent::EntryRestored { id, at }, Some(undo))
        }
    })
}

fn checked(text: &str) -> Result<String, WorkspaceError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(WorkspaceError::Invalid(
            "the text is empty; write the lesson, or disable the entry".to_owned(),
        ));
    }
    if text.len() > MAX_ENTRY_BYTES {
        return Err(WorkspaceError::Invalid(format!(
            "the text has {} bytes and an entry holds at most {MAX_ENTRY_BYTES}: five of them are \
             put in front of every speaker, so shorten it",
            text.len()
        )));
    }
    Ok(text.to_owned())
}

fn no_such(id: &EntryId) -> WorkspaceError {
    WorkspaceError::NoSuch {
        what: "memory entry",
        id: id.to_string(),
        list: "elenchus memory list --all",
    }
}
