//! Changes of a person to the entries of a namespace.

use super::browse::{NamespaceEntries, no_such};
use super::journals::{NamespaceWriter, journal_path};
use crate::workspace::WorkspaceError;
use crate::workspace::annotations::{
    annotator_name, earlier_name, hashed_name, new_name, owner_of,
};
use crate::workspace::error::{Result, reject};
use crate::workspace::store_context::StoreContext;
use elenchus_game::debate::Author;
use elenchus_memory::{
    EntryId, EntryKind, GuardAcceptance, GuardReport, GuardStatus, GuardText, MemoryEntry,
    MemoryEvent,
};
use elenchus_store::Layout;

/// The longest text of a lesson.
const MAX_ENTRY_BYTES: usize = 64 << 10;
/// Begins the names of people's journals, so that no run is called the same.
const PERSON: &str = "person-";
/// Begins the ids of entries that people wrote.
pub(super) const WRITTEN: &str = "written-";

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
    /// When it is empty, too long, or the text of no guardrail.
    pub fn parse_text(kind: EntryKind, text: &str) -> Result<Self, WorkspaceError> {
        let text = text.trim();
        match kind {
            EntryKind::Guardrail => match text.parse() {
                Ok(text) => Ok(EntryText::Guardrail(text)),
                Err(why) => reject(format!("this is no guardrail yet: {why}")),
            },
            EntryKind::Lesson if text.is_empty() => {
                reject("the text is empty; write the lesson, or disable the entry")
            }
            EntryKind::Lesson if text.len() > MAX_ENTRY_BYTES => reject(format!(
                "the text has {} bytes and an entry holds at most {MAX_ENTRY_BYTES}: five of them are \
                 put in front of every speaker, so shorten it",
                text.len()
            )),
            EntryKind::Lesson => Ok(EntryText::Lesson(text.to_owned())),
        }
    }

    fn from_entry(entry: &MemoryEntry) -> Self {
        match entry.kind() {
            EntryKind::Lesson => EntryText::Lesson(entry.text.clone()),
            EntryKind::Guardrail => EntryText::Guardrail(GuardText {
                intent: entry.text.clone(),
                examples: entry.examples.clone(),
            }),
        }
    }
}

/// Change of a namespace.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryChange {
    Add(EntryText),
    /// Does something to the entry of an id.
    Do(EntryId, EntryAction),
}

/// What is done to an entry.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryAction {
    /// Gives it a new text; every earlier one stays readable.
    Edit(EntryText),
    Disable,
    Enable,
    Delete,
    Restore,
    /// Lets debates be refused by a guardrail.
    Accept(GuardAcceptance),
    Reject,
    /// Takes an acceptance or a rejection back.
    Reopen,
    /// Keeps the report of a benchmark.
    Tested(Box<GuardReport>),
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

/// Returns the name of a person's journals in a namespace: the one that an earlier version gave them, where
/// they wrote there first, else one that nobody shares. Blocks while it reads.
///
/// # Errors
/// When the namespace's name is none.
pub fn person_journal(layout: &Layout, namespace: &str, person: &str) -> Result<String> {
    let earlier = format!("{PERSON}{}", earlier_name(person));
    for kind in EntryKind::ALL {
        let path = journal_path(layout, kind, namespace, &earlier)?;
        if path.exists() && owner_of(&path) == Some(annotator_name(person)) {
            return Ok(earlier);
        }
    }
    let new = format!("{PERSON}{}", new_name(person));
    let mut is_taken = false;
    for kind in EntryKind::ALL {
        let path = journal_path(layout, kind, namespace, &new)?;
        let owner = path.exists().then(|| owner_of(&path)).flatten();
        is_taken |= owner.is_some_and(|owner| owner != annotator_name(person));
    }
    Ok(match is_taken {
        true => format!("{PERSON}{}", hashed_name(person)),
        false => new,
    })
}

/// Makes a change, durable when this returns. Runs that have begun do not see it.
///
/// # Errors
/// When there is no such entry, it is of another kind, a deleted one is to be changed, a guardrail without
/// a test is accepted by hand, another process writes as the same person, or a journal cannot be read
/// or written.
pub async fn apply_change(
    store: &StoreContext,
    namespace: &str,
    change: EntryChange,
) -> Result<ChangedEntry> {
    check_examples(&change, store.guardrail_examples)?;
    let mut shelf = NamespaceEntries::read_entries(&store.layout, namespace)?;
    let at = store.clock.now();
    let (id, event, undo) = match change {
        EntryChange::Add(text) => {
            if let EntryText::Guardrail(_) = text {
                shelf.check_guardrails()?;
            }
            let id = EntryId(format!("{WRITTEN}{}", store.clock.fresh_id()));
            (
                id.clone(),
                build_addition(id, text, at),
                Some(EntryAction::Delete),
            )
        }
        EntryChange::Do(id, action) => {
            let entry = shelf.find_entry(&id.0)?;
            if let Some(why) = find_refusal(namespace, entry, &action) {
                return reject(why);
            }
            let (already, undo) = find_undo(entry, &action);
            if already {
                return Ok(ChangedEntry {
                    entry: entry.clone(),
                    undo: None,
                    already,
                    notices: Vec::new(),
                });
            }
            (entry.id.clone(), build_event(entry, action, at), undo)
        }
    };
    let name = person_journal(&store.layout, namespace, &store.person)?;
    let mut writer = NamespaceWriter::new(&store.layout, &store.journals(), namespace, &name)?;
    let by = Author::Person(store.person.clone()).to_string();
    let (line, notices) = writer.record_event(&by, &event).await?;
    shelf.folded.apply_event(&name, line, &event);
    let entry = shelf.folded.find_entry(&id).cloned();
    Ok(ChangedEntry {
        entry: entry.ok_or_else(|| no_such(EntryKind::Lesson, &id.0))?,
        undo: undo.map(|undo| EntryChange::Do(id, undo)),
        already: false,
        notices: notices.iter().map(ToString::to_string).collect(),
    })
}

/// Refuses a guardrail with more examples than one holds here.
fn check_examples(change: &EntryChange, most: usize) -> Result<()> {
    let text = match change {
        EntryChange::Add(EntryText::Guardrail(text))
        | EntryChange::Do(_, EntryAction::Edit(EntryText::Guardrail(text))) => text,
        EntryChange::Add(EntryText::Lesson(_)) | EntryChange::Do(_, _) => return Ok(()),
    };
    let count = text.examples.len();
    match text.check_count(most) {
        Ok(()) => Ok(()),
        Err(why) => reject(format!(
            "this is no guardrail yet: {why}, {count}; 'guardrail_examples' under [memory] says how many one \
             has at most"
        )),
    }
}

/// Says why an action is not for this entry, if it is not.
fn find_refusal(namespace: &str, entry: &MemoryEntry, action: &EntryAction) -> Option<String> {
    let (id, kind) = (&entry.id, entry.kind());
    let of_kind = match action {
        EntryAction::Edit(EntryText::Lesson(_)) => Some(EntryKind::Lesson),
        EntryAction::Edit(EntryText::Guardrail(_))
        | EntryAction::Accept(_)
        | EntryAction::Reject
        | EntryAction::Reopen
        | EntryAction::Tested(_) => Some(EntryKind::Guardrail),
        EntryAction::Disable | EntryAction::Enable | EntryAction::Delete | EntryAction::Restore => {
            None
        }
    };
    let (named, has) = match kind {
        EntryKind::Lesson => (
            "the entry",
            "a lesson, which has no examples and no acceptance",
        ),
        EntryKind::Guardrail => (
            "guardrail",
            "a guardrail, whose text is an intent with examples",
        ),
    };
    if of_kind.is_some_and(|wanted| wanted != kind) {
        return Some(format!("{named} {id} is {has}"));
    }
    let is_for_live = matches!(action, EntryAction::Edit(_) | EntryAction::Accept(_));
    if is_for_live && entry.deleted {
        return Some(format!(
            "{named} {id} is deleted; restore it before you change it"
        ));
    }
    let by_hand = *action == EntryAction::Accept(GuardAcceptance::ByHand);
    (by_hand && entry.current_report().is_none()).then(|| {
        format!(
            "guardrail {id} was not tested on prompts that must not be refused, or was changed since: \
             'elenchus memory test {id} -n {namespace} --dataset xstest:FILE' does that; --untested accepts it as it is"
        )
    })
}

/// Says whether an entry is so already, and returns the action that undoes another. A text that is brought
/// back is a new version: what was accepted or tested was the version before.
fn find_undo(entry: &MemoryEntry, action: &EntryAction) -> (bool, Option<EntryAction>) {
    let same_status = entry.acceptance().map(|status| match status {
        GuardStatus::Proposed => EntryAction::Reopen,
        GuardStatus::Accepted(how) => EntryAction::Accept(how),
        GuardStatus::Rejected => EntryAction::Reject,
    });
    match action {
        EntryAction::Edit(text) => {
            let before = EntryText::from_entry(entry);
            (before == *text, Some(EntryAction::Edit(before)))
        }
        EntryAction::Disable => (entry.disabled, Some(EntryAction::Enable)),
        EntryAction::Enable => (!entry.disabled, Some(EntryAction::Disable)),
        EntryAction::Delete => (entry.deleted, Some(EntryAction::Restore)),
        EntryAction::Restore => (!entry.deleted, Some(EntryAction::Delete)),
        EntryAction::Accept(_) | EntryAction::Reject | EntryAction::Reopen => {
            (same_status.as_ref() == Some(action), same_status)
        }
        EntryAction::Tested(_) => (false, None),
    }
}

pub(super) fn build_addition(id: EntryId, text: EntryText, at: String) -> MemoryEvent {
    let (origin, batch, derived) = (None, None, None);
    match text {
        EntryText::Lesson(text) => MemoryEvent::EntryAdded {
            id,
            text,
            origin,
            batch,
            at,
        },
        EntryText::Guardrail(text) => MemoryEvent::GuardProposed {
            id,
            text,
            origin,
            derived,
            at,
        },
    }
}

fn build_event(entry: &MemoryEntry, action: EntryAction, at: String) -> MemoryEvent {
    use EntryKind::{Guardrail, Lesson};
    let (id, batch) = (entry.id.clone(), None);
    match (action, entry.kind()) {
        (EntryAction::Edit(EntryText::Lesson(text)), _) => {
            MemoryEvent::EntryEdited { id, text, at }
        }
        (EntryAction::Edit(EntryText::Guardrail(text)), _) => {
            MemoryEvent::GuardEdited { id, text, at }
        }
        (EntryAction::Disable, Lesson) => MemoryEvent::EntryDisabled { id, at },
        (EntryAction::Disable, Guardrail) => MemoryEvent::GuardDisabled { id, at },
        (EntryAction::Enable, Lesson) => MemoryEvent::EntryEnabled { id, at },
        (EntryAction::Enable, Guardrail) => MemoryEvent::GuardEnabled { id, at },
        (EntryAction::Delete, Lesson) => MemoryEvent::EntryDeleted { id, at },
        (EntryAction::Delete, Guardrail) => MemoryEvent::GuardDeleted { id, at },
        (EntryAction::Restore, Lesson) => MemoryEvent::EntryRestored { id, at },
        (EntryAction::Restore, Guardrail) => MemoryEvent::GuardRestored { id, at },
        (EntryAction::Accept(how), _) => MemoryEvent::GuardAccepted { id, how, batch, at },
        (EntryAction::Reject, _) => MemoryEvent::GuardRejected { id, at },
        (EntryAction::Reopen, _) => MemoryEvent::GuardReopened { id, at },
        (EntryAction::Tested(report), _) => MemoryEvent::GuardTested { id, report, at },
    }
}
