//! Events of long-term memory, one a line of its journals.

use super::{DerivedBy, EntryId, EntryKind, EntryOrigin, GuardAcceptance, GuardReport, GuardText};
use serde::{Deserialize, Serialize};

/// A past-tense fact about long-term memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    EntryDisabled {
        id: EntryId,
        at: String,
    },
    /// Takes an `EntryDisabled` back.
    EntryEnabled {
        id: EntryId,
        at: String,
    },
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
    EntryDeleted {
        id: EntryId,
        at: String,
    },
    /// Takes an `EntryDeleted` back.
    EntryRestored {
        id: EntryId,
        at: String,
    },
    /// A debate's lesson proposed a guardrail; if its intent exists already, its examples are added
    /// there.
    GuardProposed {
        id: EntryId,
        text: GuardText,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<EntryOrigin>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        derived: Option<Box<DerivedBy>>,
        at: String,
    },
    /// A derivation call is about to be sent. Written before the call, without waiting for the
    /// disk.
    DerivationStarted {
        session: String,
        /// Upper bound of the call's cost in US dollars, if its model has prices.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worst_case_usd: Option<f64>,
        /// Upper bound of its tokens; absent in journals of earlier versions.
        #[serde(default)]
        worst_case_tokens: u64,
        at: String,
    },
    /// A derivation's reply could not be parsed, nor could the repaired one.
    DerivationUnparsed {
        origin: EntryOrigin,
        why: String,
        derived: Box<DerivedBy>,
        at: String,
    },
    /// A derivation's call failed.
    DerivationFailed {
        origin: EntryOrigin,
        why: String,
        at: String,
    },
    GuardAccepted {
        id: EntryId,
        how: GuardAcceptance,
        /// The batch of the run that accepted it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        batch: Option<u32>,
        at: String,
    },
    GuardRejected {
        id: EntryId,
        at: String,
    },
    /// Takes a `GuardAccepted` or `GuardRejected` back: it is proposed again.
    GuardReopened {
        id: EntryId,
        at: String,
    },
    /// A new text: acceptance applied to the old one, so it is proposed again.
    GuardEdited {
        id: EntryId,
        text: GuardText,
        at: String,
    },
    GuardDisabled {
        id: EntryId,
        at: String,
    },
    /// Takes a `GuardDisabled` back.
    GuardEnabled {
        id: EntryId,
        at: String,
    },
    GuardDeleted {
        id: EntryId,
        at: String,
    },
    /// Takes a `GuardDeleted` back.
    GuardRestored {
        id: EntryId,
        at: String,
    },
    /// Result of a benign test.
    GuardTested {
        id: EntryId,
        report: Box<GuardReport>,
        at: String,
    },
}

impl MemoryEvent {
    /// Returns the entry that the event is about; none for a derivation that brought no guardrail.
    pub fn entry_id(&self) -> Option<&EntryId> {
        self.subject_and_time().1
    }

    /// Returns the kind of entries that the event is about.
    pub fn entry_kind(&self) -> EntryKind {
        self.subject_and_time().0
    }

    /// Returns the time of the event, RFC 3339.
    pub fn time(&self) -> &str {
        self.subject_and_time().2
    }

    /// Gives the event another time, RFC 3339: one that came from elsewhere is no later than it came.
    pub fn set_time(&mut self, time: &str) {
        match self {
            MemoryEvent::EntryAdded { at, .. }
            | MemoryEvent::EntryEdited { at, .. }
            | MemoryEvent::EntryDisabled { at, .. }
            | MemoryEvent::EntryEnabled { at, .. }
            | MemoryEvent::EntryMerged { at, .. }
            | MemoryEvent::EntryDeleted { at, .. }
            | MemoryEvent::EntryRestored { at, .. }
            | MemoryEvent::GuardProposed { at, .. }
            | MemoryEvent::GuardAccepted { at, .. }
            | MemoryEvent::GuardRejected { at, .. }
            | MemoryEvent::GuardReopened { at, .. }
            | MemoryEvent::GuardEdited { at, .. }
            | MemoryEvent::GuardDisabled { at, .. }
            | MemoryEvent::GuardEnabled { at, .. }
            | MemoryEvent::GuardDeleted { at, .. }
            | MemoryEvent::GuardRestored { at, .. }
            | MemoryEvent::GuardTested { at, .. }
            | MemoryEvent::DerivationStarted { at, .. }
            | MemoryEvent::DerivationUnparsed { at, .. }
            | MemoryEvent::DerivationFailed { at, .. } => time.clone_into(at),
        }
    }

    fn subject_and_time(&self) -> (EntryKind, Option<&EntryId>, &str) {
        match self {
            MemoryEvent::EntryAdded { id, at, .. }
            | MemoryEvent::EntryEdited { id, at, .. }
            | MemoryEvent::EntryDisabled { id, at }
            | MemoryEvent::EntryEnabled { id, at }
            | MemoryEvent::EntryMerged { into: id, at, .. }
            | MemoryEvent::EntryDeleted { id, at }
            | MemoryEvent::EntryRestored { id, at } => (EntryKind::Lesson, Some(id), at),
            MemoryEvent::GuardProposed { id, at, .. }
            | MemoryEvent::GuardAccepted { id, at, .. }
            | MemoryEvent::GuardRejected { id, at }
            | MemoryEvent::GuardReopened { id, at }
            | MemoryEvent::GuardEdited { id, at, .. }
            | MemoryEvent::GuardDisabled { id, at }
            | MemoryEvent::GuardEnabled { id, at }
            | MemoryEvent::GuardDeleted { id, at }
            | MemoryEvent::GuardRestored { id, at }
            | MemoryEvent::GuardTested { id, at, .. } => (EntryKind::Guardrail, Some(id), at),
            MemoryEvent::DerivationStarted { at, .. }
            | MemoryEvent::DerivationUnparsed { at, .. }
            | MemoryEvent::DerivationFailed { at, .. } => (EntryKind::Guardrail, None, at),
        }
    }
}
