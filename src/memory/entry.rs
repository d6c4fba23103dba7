//! Entries and the events that make them.

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
    /// The batch of its run in which it taught.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
}

/// A text that an entry once had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    pub text: String,
    /// When it was written, RFC 3339.
    pub at: String,
    /// The journal that holds it.
    pub journal: String,
}

/// A lesson that became part of an entry that says nearly the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Merged {
    /// The name that the lesson's session gives it.
    pub id: EntryId,
    pub session: String,
    pub text: String,
    pub at: String,
}

/// One lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub id: EntryId,
    pub text: String,
    /// The debates that taught it, first the one whose words it has; none when a person wrote it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<Origin>,
    /// When the text was last written, RFC 3339.
    pub at: String,
    /// The journal that holds the text.
    pub journal: String,
    /// How often the text was edited: with the id it names one text for good.
    #[serde(default)]
    pub revision: u32,
    #[serde(default)]
    pub disabled: bool,
    #[serde(default)]
    pub deleted: bool,
    /// What the text was before, oldest first; text `n` is revision `n`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Version>,
    /// Lessons that are part of it now, as they were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<Merged>,
}

/// Whether debates are shown an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryStanding {
    Live,
    /// Kept and listed, and not shown to debates.
    Disabled,
    /// Kept, and neither listed nor shown; it can be brought back.
    Deleted,
}

impl EntryStanding {
    /// Returns the word that is shown.
    pub fn word(self) -> &'static str {
        match self {
            EntryStanding::Live => "live",
            EntryStanding::Disabled => "disabled",
            EntryStanding::Deleted => "deleted",
        }
    }
}

impl Entry {
    /// Says whether debates are shown it.
    pub fn standing(&self) -> EntryStanding {
        match (self.deleted, self.disabled) {
            (true, _) => EntryStanding::Deleted,
            (false, true) => EntryStanding::Disabled,
            (false, false) => EntryStanding::Live,
        }
    }

    /// Returns every text it ever had, oldest first, the present one last.
    pub fn versions(&self) -> Vec<Version> {
        let mut versions = self.earlier.clone();
        versions.push(Version {
            text: self.text.clone(),
            at: self.at.clone(),
            journal: self.journal.clone(),
        });
        versions
    }

    /// Says whether an id names it: its own, or that of a lesson that is part of it now.
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
        origin: Option<Origin>,
        /// The origin's batch, where the origin does not tell it: so it stands in journals of
        /// earlier versions.
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
    /// A lesson said nearly what an entry says: the entry keeps its text and gets the origin too.
    EntryMerged {
        into: EntryId,
        /// What the lesson's session calls it.
        id: EntryId,
        origin: Origin,
        from_text: String,
        at: String,
    },
    /// The entry stays in its journal, and is neither retrieved nor listed.
    EntryDeleted { id: EntryId, at: String },
    /// Takes an `EntryDeleted` back.
    EntryRestored { id: EntryId, at: String },
}

impl MemoryEvent {
    /// The entry that it is about.
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

    /// When it happened, RFC 3339.
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
