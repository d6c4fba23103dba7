//! Entries and the events that make them.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Names an entry; unique in every store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryId(pub String);

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The debate that taught an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    pub session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    pub topic_id: String,
    pub topic_text: String,
    /// The session at the root of the fork tree; the session itself when it is no fork.
    pub root_session: String,
}

/// One lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub id: EntryId,
    pub text: String,
    /// `None` when a person wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The batch of the origin's run in which it was taught.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
    /// When the text was last written, RFC 3339.
    pub at: String,
    /// How often the text was edited: with the id it names one text for good.
    #[serde(default)]
    pub revision: u32,
    #[serde(default)]
    pub disabled: bool,
}

/// A past-tense fact about long-term memory, one line of its journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum MemoryEvent {
    EntryAdded {
        id: EntryId,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        batch: Option<u32>,
        at: String,
    },
    EntryEdited {
        id: EntryId,
        text: String,
        at: String,
    },
    /// The entry stays readable and is no longer retrieved.
    EntryDisabled { id: EntryId, at: String },
    /// Takes an `EntryDisabled` back.
    EntryEnabled { id: EntryId, at: String },
}

/// Entries in the order in which they were added, and the events that did not fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folded {
    pub entries: Vec<Entry>,
    pub misfits: Vec<Misfit>,
}

/// An event that changes nothing because it does not fit what came before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    #[error("event {event}: the entry {id} was already added")]
    AddedTwice { event: usize, id: EntryId },
    #[error("event {event}: there is no entry {id}")]
    Unknown { event: usize, id: EntryId },
}

/// Folds events into entries. Total: an event that does not fit is reported by its index from 0 and
/// changes nothing.
pub fn fold<'a>(events: impl IntoIterator<Item = &'a MemoryEvent>) -> Folded {
    let mut folded = Folded::default();
    let mut places: HashMap<&EntryId, usize> = HashMap::new();
    for (event, fact) in events.into_iter().enumerate() {
        match fact {
            MemoryEvent::EntryAdded {
                id,
                text,
                origin,
                batch,
                at,
            } => {
                if places.contains_key(id) {
                    let id = id.clone();
                    folded.misfits.push(Misfit::AddedTwice { event, id });
                    continue;
                }
                places.insert(id, folded.entries.len());
                folded.entries.push(Entry {
                    id: id.clone(),
                    text: text.clone(),
                    origin: origin.clone(),
                    batch: *batch,
                    at: at.clone(),
                    revision: 0,
                    disabled: false,
                });
            }
            MemoryEvent::EntryEdited { id, .. }
            | MemoryEvent::EntryDisabled { id, .. }
            | MemoryEvent::EntryEnabled { id, .. } => {
                match places
                    .get(id)
                    .and_then(|place| folded.entries.get_mut(*place))
                {
                    Some(entry) => change(entry, fact),
                    None => {
                        let id = id.clone();
                        folded.misfits.push(Misfit::Unknown { event, id });
                    }
                }
            }
        }
    }
    folded
}

fn change(entry: &mut Entry, fact: &MemoryEvent) {
    match fact {
        MemoryEvent::EntryAdded { .. } => {}
        MemoryEvent::EntryEdited { text, at, .. } => {
            entry.text.clone_from(text);
            entry.at.clone_from(at);
            entry.revision = entry.revision.saturating_add(1);
        }
        MemoryEvent::EntryDisabled { .. } => entry.disabled = true,
        MemoryEvent::EntryEnabled { .. } => entry.disabled = false,
    }
}
