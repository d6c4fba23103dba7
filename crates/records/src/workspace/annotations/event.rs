//! Events of an annotator's journal.

use super::label::{Label, Unblinding};
use crate::workspace::{Intake, JournalKind, Result};
use elenchus_game::debate::{AttemptId, SessionId, State};
use elenchus_store::{Hash, JournalLine, JournalType};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// Id of an annotator's event: globally unique, sorted by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AnnotationId(String);

impl AnnotationId {
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
pub struct AnnotationEvent {
    pub id: AnnotationId,
    #[serde(flatten)]
    pub mark: Annotation,
}

/// Content of an annotator's event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Annotation {
    Noted {
        on: AnnotationTarget,
        text: String,
    },
    Tagged {
        session: SessionId,
        tag: String,
    },
    Untagged {
        session: SessionId,
        tag: String,
    },
    /// A session was given a name, or lost it.
    Named {
        session: SessionId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Boxed: it is far larger than the others.
    Labelled(Box<Label>),
    /// The person was shown what makes their later labels in this session no longer blind.
    Unblinded {
        session: SessionId,
        saw: BTreeSet<Unblinding>,
    },
    /// An earlier event is undone; it can be another retraction.
    Retracted {
        of: AnnotationId,
    },
}

/// Debate or attempt that an annotation is on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AnnotationTarget {
    pub session: SessionId,
    /// The debate as a whole when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<OnAttempt>,
}

/// An attempt with the hash of its text: both are the same in every fork that holds it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OnAttempt {
    #[serde(flatten)]
    pub id: AttemptId,
    pub sha256: Hash,
}

impl AnnotationTarget {
    /// Names a debate.
    pub fn from_session(session: SessionId) -> Self {
        Self {
            session,
            attempt: None,
        }
    }

    /// Names an attempt; `None` when the session does not have it.
    pub fn from_attempt(session: SessionId, state: &State, id: &AttemptId) -> Option<Self> {
        let turn = state.turns().get(&id.turn)?;
        let attempt = turn.attempts.get(usize::try_from(id.attempt).ok()?)?;
        Some(Self {
            session,
            attempt: Some(OnAttempt {
                id: id.clone(),
                sha256: attempt_hash(id, &attempt.reply.text),
            }),
        })
    }
}

/// Hashes an attempt: its address and its public text, each with its length in bytes before it.
pub fn attempt_hash(id: &AttemptId, text: &str) -> Hash {
    let mut bytes = Vec::new();
    for part in [id.to_string().as_str(), text] {
        bytes.extend((part.len() as u64).to_be_bytes());
        bytes.extend(part.as_bytes());
    }
    Hash::digest(&bytes)
}

impl JournalType for AnnotationEvent {
    type Event = Self;
    const KIND: &'static str = "annotations";
}

impl JournalKind for AnnotationEvent {
    type State = Vec<JournalLine<Self>>;
    const NAMES: (&'static str, &'static str) = ("annotator's journal", "annotators' journals");
    const FOLDERS: &'static [&'static str] = &["notes", "sights"];
    const INTAKE: Intake = Intake::ByName;

    fn fold_journal(_: &Path, lines: Self::State) -> Result<Self::State> {
        Ok(lines)
    }
}
