//! Entries of long-term memory, and the events that make them.

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

/// The debate that an entry comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryOrigin {
    pub session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    pub topic_id: String,
    pub topic_text: String,
    /// The session at the root of the fork tree; the session itself when it is no fork.
    pub root_session: String,
    /// The batch of its run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
}

/// A text of an entry, present or past.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryVersion {
    pub text: String,
    /// Time of writing, RFC 3339.
    pub at: String,
    /// The journal that holds the text.
    pub journal: String,
}

/// A lesson that was merged into an entry that says nearly the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MergedLesson {
    /// The lesson's own id.
    pub id: EntryId,
    pub session: String,
    pub text: String,
    pub at: String,
}

/// One lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryEntry {
    pub id: EntryId,
    pub text: String,
    /// The debates that taught it, first the source of its text; empty when a person wrote it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<EntryOrigin>,
    /// Time of the last change of the text, RFC 3339.
    pub at: String,
    /// The journal that holds the text.
    pub journal: String,
    /// Number of edits; together with the id it identifies one text for good.
    #[serde(default)]
    pub revision: u32,
    #[serde(default)]
    pub disabled: bool,
    #[serde(default)]
    pub deleted: bool,
    /// Earlier texts, oldest first; text `n` is revision `n`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EntryVersion>,
    /// Lessons merged into it, as they were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<MergedLesson>,
}

/// Availability of an entry to debates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryStatus {
    Live,
    /// Kept and listed, and not shown to debates.
    Disabled,
    /// Kept, and neither listed nor shown; it can be brought back.
    Deleted,
}

impl EntryStatus {
    /// Returns the name for display.
    pub fn word(self) -> &'static str {
        match self {
            EntryStatus::Live => "live",
            EntryStatus::Disabled => "disabled",
            EntryStatus::Deleted => "deleted",
        }
    }
}

impl MemoryEntry {
    /// Returns its availability to debates.
    pub fn standing(&self) -> EntryStatus {
        match (self.deleted, self.disabled) {
            (true, _) => EntryStatus::Deleted,
            (false, true) => EntryStatus::Disabled,
            (false, false) => EntryStatus::Live,
        }
    }

    /// Returns all its texts, oldest first, the present one last.
    pub fn versions(&self) -> Vec<EntryVersion> {
        let mut versions = self.earlier.clone();
        versions.push(EntryVersion {
            text: self.text.clone(),
            at: self.at.clone(),
            journal: self.journal.clone(),
        });
        versions
    }

    /// Returns whether an id is its own, or that of a lesson merged into it.
    pub fn answers_to(&self, id: &EntryId) -> bool {
        &self.id == id || self.merged.iter().any(|merged| &merged.id == id)
    }
}

/// A past-tense fact about long-term memory, one line of its journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum MemoryEvent {
    EntryAdded {
        id: EntryId,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<EntryOrigin>,
        /// The origin's batch, where the origin lacks it, as in journals of earlier versions.
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
    /// A lesson said nearly the same as an entry: the entry keeps its text and gains the origin.
    EntryMerged {
        into: EntryId,
        /// The lesson's own id.
        id: EntryId,
        origin: EntryOrigin,
        from_text: String,
        at: String,
    },
    /// The entry stays in its journal, and is neither retrieved nor listed.
    EntryDeleted { id: EntryId, at: String },
    /// Takes an `EntryDeleted` back.
    EntryRestored { id: EntryId, at: String },
}

impl MemoryEvent {
    /// Returns the entry that the event is about.
    pub fn entry(&self) -> &EntryId {
        match self {
            MemoryEvent::EntryAdded { id, .. }
            | MemoryEvent::EntryEdited { id, .. }
            | MemoryEvent::EntryDisabled { id, .. }
            | MemoryEvent::EntryEnabled { id, .. }
            | MemoryEvent::EntryDeleted { id, .. }
            | MemoryEvent::EntryRestored { id, .. } => id,
            MemoryEvent::EntryMerged { into, .. } => into,
        }
    }

    /// Returns the time of the event, RFC 3339.
    pub fn at(&self) -> &str {
        match self {
            MemoryEvent::EntryAdded { at, .. }
            | MemoryEvent::EntryEdited { at, .. }
            | MemoryEvent::EntryDisabled { at, .. }
            | MemoryEvent::EntryEnabled { at, .. }
            | MemoryEvent::EntryMerged { at, .. }
            | MemoryEvent::EntryDeleted { at, .. }
            | MemoryEvent::EntryRestored { at, .. } => at,
        }
    }
}
