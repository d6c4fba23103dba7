//! Changes of a person to the entries of a namespace.

use super::browse::{NamespaceEntries, no_such};
use super::journals::NamespaceWriter;
use crate::debate::Author;
use crate::memory::{
    EntryId, EntryKind, EntryStatus, GuardAcceptance, GuardReport, GuardStatus, GuardText,
    MemoryEntry, MemoryEvent,
};
use crate::workspace::annotations::annotator;
use crate::workspace::desk::Desk;
use crate::workspace::error::WorkspaceError;

/// The longest text of a lesson.
const MAX_ENTRY_BYTES: usize = 64 << 10;
/// Begins the names of people's journals, so that no run is called the same.
const PERSON: &str = "person-";
/// Begins the ids of entries that people wrote.
const WRITTEN: &str = "written-";

/// Text of an entry as a person writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryText {
    Lesson(String),
    Guardrail(GuardText),
}

impl EntryText {
    /// Reads the text of an entry of a kind: a guardrail's is its intent, then an example a line.
    ///
    /// # Errors
    /// When it is the text of no guardrail.
    pub fn read(kind: EntryKind, text: String) -> Result<Self, String> {
        Ok(match kind {
            EntryKind::Lesson => EntryText::Lesson(text),
            EntryKind::Guardrail => EntryText::Guardrail(text.parse()?),
        })
    }

    fn of(entry: &MemoryEntry) -> Self {
        match entry.kind() {
            EntryKind::Lesson => EntryText::Lesson(entry.text.clone()),
            EntryKind::Guardrail => EntryText::Guardrail(GuardText {
                intent: entry.text.clone(),
                examples: entry.examples.clone(),
            }),
        }
    }
}

/// Change of a namespace. Entries are named by their id.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryChange {
    Add(EntryText),
    /// Gives an entry a new text; every earlier one stays readable.
    Edit(EntryId, EntryText),
    Disable(EntryId),
    Enable(EntryId),
    Delete(EntryId),
    Restore(EntryId),
    /// Lets debates be refused by a guardrail.
    Accept(EntryId, GuardAcceptance),
    Reject(EntryId),
    /// Takes an acceptance or a rejection back.
    Reopen(EntryId),
    /// Keeps the report of a benchmark.
    Tested(EntryId, Box<GuardReport>),
}

/// Result of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedEntry {
    /// The entry as it is now.
    pub entry: MemoryEntry,
    /// Change that undoes it; `None` where nothing was written, or a test was kept.
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
/// When there is no such entry, it is of another kind, a deleted one is to be changed, a text is empty
/// or too long, a guardrail without a test is accepted by hand, another process writes as the same
/// person, or a journal cannot be read or written.
pub async fn change(
    desk: &Desk,
    namespace: &str,
    change: EntryChange,
) -> Result<ChangedEntry, WorkspaceError> {
    let mut shelf = NamespaceEntries::read(&desk.layout, namespace)?;
    let at = desk.clock.now();
    let planned = match change {
        EntryChange::Add(text) => {
            let id = EntryId(format!("{WRITTEN}{}", desk.clock.fresh_id()));
            addition(id, text, at)?
        }
        EntryChange::Edit(ref id, _)
        | EntryChange::Disable(ref id)
        | EntryChange::Enable(ref id)
        | EntryChange::Delete(ref id)
        | EntryChange::Restore(ref id)
        | EntryChange::Accept(ref id, _)
        | EntryChange::Reject(ref id)
        | EntryChange::Reopen(ref id)
        | EntryChange::Tested(ref id, _) => {
            let entry = shelf
                .folded
                .find(id)
                .ok_or_else(|| no_such(EntryKind::Lesson, &id.0))?;
            let planned = plan(entry, change, at)?;
            if planned.already {
                return Ok(ChangedEntry {
                    entry: entry.clone(),
                    undo: None,
                    already: true,
                    notices: Vec::new(),
                });
            }
            planned
        }
    };
    let PlannedChange {
        id, event, undo, ..
    } = planned;
    let name = person_journal(&desk.person);
    let mut writer = NamespaceWriter::new(&desk.layout, &desk.journals(), namespace, &name)?;
    let by = Author::Person(desk.person.clone()).to_string();
    let (line, notices) = writer.write(&by, &event).await?;
    shelf.folded.apply(&name, line, &event);
    Ok(ChangedEntry {
        entry: shelf
            .folded
            .find(&id)
            .cloned()
            .ok_or_else(|| no_such(EntryKind::Lesson, &id.0))?,
        undo,
        already: false,
        notices: notices.iter().map(ToString::to_string).collect(),
    })
}

/// Event that a change comes to.
struct PlannedChange {
    id: EntryId,
    /// The entry is so already, and nothing is written.
    already: bool,
    event: MemoryEvent,
    undo: Option<EntryChange>,
}

fn addition(id: EntryId, text: EntryText, at: String) -> Result<PlannedChange, WorkspaceError> {
    let event = match text {
        EntryText::Lesson(text) => MemoryEvent::EntryAdded {
            id: id.clone(),
            text: checked(&text)?,
            origin: None,
            batch: None,
            at,
        },
        EntryText::Guardrail(text) => MemoryEvent::GuardProposed {
            id: id.clone(),
            text,
            origin: None,
            derived: None,
            at,
        },
    };
    Ok(PlannedChange {
        undo: Some(EntryChange::Delete(id.clone())),
        already: false,
        id,
        event,
    })
}

/// Plans a change of an entry. A text that is brought back is a new version: what was accepted or
/// tested was the version before.
fn plan(
    entry: &MemoryEntry,
    change: EntryChange,
    at: String,
) -> Result<PlannedChange, WorkspaceError> {
    let (id, kind, status) = (entry.id.clone(), entry.kind(), entry.acceptance());
    let same_status = status.map(|status| match status {
        GuardStatus::Proposed => EntryChange::Reopen(id.clone()),
        GuardStatus::Accepted(how) => EntryChange::Accept(id.clone(), how),
        GuardStatus::Rejected => EntryChange::Reject(id.clone()),
    });
    let of_kind = |lesson: fn(EntryId, String) -> MemoryEvent,
                   guardrail: fn(EntryId, String) -> MemoryEvent| {
        let event = match kind {
            EntryKind::Lesson => lesson,
            EntryKind::Guardrail => guardrail,
        };
        event(id.clone(), at.clone())
    };
    let (already, event, undo) = match change {
        EntryChange::Add(text) => return addition(id, text, at),
        EntryChange::Edit(_, text) => {
            refuse_deleted(entry)?;
            let before = EntryText::of(entry);
            let (id, at) = (id.clone(), at.clone());
            let (already, event) = match (kind, text) {
                (EntryKind::Lesson, EntryText::Lesson(text)) => {
                    let text = checked(&text)?;
                    (
                        text == entry.text,
                        MemoryEvent::EntryEdited { id, text, at },
                    )
                }
                (EntryKind::Guardrail, EntryText::Guardrail(text)) => (
                    before == EntryText::Guardrail(text.clone()),
                    MemoryEvent::GuardEdited { id, text, at },
                ),
                (EntryKind::Lesson, EntryText::Guardrail(_))
                | (EntryKind::Guardrail, EntryText::Lesson(_)) => return Err(other_kind(entry)),
            };
            (
                already,
                event,
                Some(EntryChange::Edit(entry.id.clone(), before)),
            )
        }
        EntryChange::Disable(_) => (
            entry.disabled,
            of_kind(
                |id, at| MemoryEvent::EntryDisabled { id, at },
                |id, at| MemoryEvent::GuardDisabled { id, at },
            ),
            Some(EntryChange::Enable(id.clone())),
        ),
        EntryChange::Enable(_) => (
            !entry.disabled,
            of_kind(
                |id, at| MemoryEvent::EntryEnabled { id, at },
                |id, at| MemoryEvent::GuardEnabled { id, at },
            ),
            Some(EntryChange::Disable(id.clone())),
        ),
        EntryChange::Delete(_) => (
            entry.deleted,
            of_kind(
                |id, at| MemoryEvent::EntryDeleted { id, at },
                |id, at| MemoryEvent::GuardDeleted { id, at },
            ),
            Some(EntryChange::Restore(id.clone())),
        ),
        EntryChange::Restore(_) => (
            !entry.deleted,
            of_kind(
                |id, at| MemoryEvent::EntryRestored { id, at },
                |id, at| MemoryEvent::GuardRestored { id, at },
            ),
            Some(EntryChange::Delete(id.clone())),
        ),
        EntryChange::Accept(..)
        | EntryChange::Reject(_)
        | EntryChange::Reopen(_)
        | EntryChange::Tested(..)
            if kind == EntryKind::Lesson =>
        {
            return Err(other_kind(entry));
        }
        EntryChange::Accept(_, how) => {
            if how == GuardAcceptance::ByHand && entry.report().is_none() {
                return Err(WorkspaceError::Invalid(format!(
                    "guardrail {id} was not tested on prompts that must not be refused, or was changed since: \
                     'elenchus memory guardrails test {id} --dataset xstest:FILE' does that; --untested accepts it as it is"
                )));
            }
            refuse_deleted(entry)?;
            let (id, batch) = (id.clone(), None);
            (
                status == Some(GuardStatus::Accepted(how)),
                MemoryEvent::GuardAccepted { id, how, batch, at },
                same_status,
            )
        }
        EntryChange::Reject(_) => (
            status == Some(GuardStatus::Rejected),
            MemoryEvent::GuardRejected { id: id.clone(), at },
            same_status,
        ),
        EntryChange::Reopen(_) => (
            status == Some(GuardStatus::Proposed),
            MemoryEvent::GuardReopened { id: id.clone(), at },
            same_status,
        ),
        EntryChange::Tested(_, report) => {
            let id = id.clone();
            (false, MemoryEvent::GuardTested { id, report, at }, None)
        }
    };
    Ok(PlannedChange {
        id,
        already,
        event,
        undo,
    })
}

fn refuse_deleted(entry: &MemoryEntry) -> Result<(), WorkspaceError> {
    if entry.standing() != EntryStatus::Deleted {
        return Ok(());
    }
    Err(WorkspaceError::Invalid(format!(
        "{} is deleted; restore it before you change it",
        named(entry)
    )))
}

fn other_kind(entry: &MemoryEntry) -> WorkspaceError {
    let does_not = match entry.kind() {
        EntryKind::Lesson => "is a lesson: only guardrails have examples and are accepted",
        EntryKind::Guardrail => "is a guardrail: its text is an intent with examples",
    };
    WorkspaceError::Invalid(format!("{} {does_not}", named(entry)))
}

fn named(entry: &MemoryEntry) -> String {
    match entry.kind() {
        EntryKind::Lesson => format!("the entry {}", entry.id),
        EntryKind::Guardrail => format!("guardrail {}", entry.id),
    }
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
