//! What happened in a person's margin.

use crate::debate::{AttemptId, SessionId};
use crate::store::Hash;
use serde::{Deserialize, Serialize};

/// One thing that a person did: globally unique, sorted by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MarkId(String);

impl MarkId {
    /// Makes an id out of a fresh one of the clock.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One line of an annotator's journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MarginEvent {
    Noted {
        id: MarkId,
        on: Spot,
        text: String,
    },
    Tagged {
        id: MarkId,
        session: SessionId,
        tag: String,
    },
    Untagged {
        id: MarkId,
        session: SessionId,
        tag: String,
    },
    /// A session was given a name, or lost it.
    Named {
        id: MarkId,
        session: SessionId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Something is as if it had never been written; also a retraction can be retracted.
    Retracted {
        id: MarkId,
        of: MarkId,
    },
}

/// What a person does in their margin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    Note {
        on: Spot,
        text: String,
    },
    Tag {
        session: SessionId,
        tag: String,
    },
    Untag {
        session: SessionId,
        tag: String,
    },
    Name {
        session: SessionId,
        name: Option<String>,
    },
    Retract {
        of: MarkId,
    },
}

/// What a note or label is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spot {
    pub session: SessionId,
    /// The debate as a whole when left out.
    #[serde(default, skip_serializing_if = "Option::is_none", flatten)]
    pub on: Option<OnAttempt>,
}

/// An attempt, with the hash of its text: the same in every fork that holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnAttempt {
    pub attempt: AttemptId,
    pub sha256: Hash,
}
