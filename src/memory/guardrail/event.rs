//! Events of guardrails, one a line of their journals.

use super::text::GuardText;
use crate::memory::EntryOrigin;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Names a guardrail; unique in every store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GuardId(pub String);

impl fmt::Display for GuardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A past-tense fact about guardrails.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum GuardEvent {
    /// A debate's lesson proposed a guardrail; if its intent exists already, its examples are added
    /// there.
    GuardProposed {
        id: GuardId,
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
        id: GuardId,
        how: GuardAcceptance,
        /// The batch of the run that accepted it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        batch: Option<u32>,
        at: String,
    },
    GuardRejected {
        id: GuardId,
        at: String,
    },
    /// Takes a `GuardAccepted` or `GuardRejected` back: it is proposed again.
    GuardReopened {
        id: GuardId,
        at: String,
    },
    /// A new text: acceptance applied to the old one, so it is proposed again.
    GuardEdited {
        id: GuardId,
        text: GuardText,
        at: String,
    },
    /// The guardrail stays readable and is no longer used.
    GuardDisabled {
        id: GuardId,
        at: String,
    },
    /// Takes a `GuardDisabled` back.
    GuardEnabled {
        id: GuardId,
        at: String,
    },
    GuardDeleted {
        id: GuardId,
        at: String,
    },
    /// Takes a `GuardDeleted` back.
    GuardRestored {
        id: GuardId,
        at: String,
    },
    /// Result of a benign test.
    GuardTested {
        id: GuardId,
        report: Box<GuardReport>,
        at: String,
    },
}

/// The call, or the two calls, by which a guardrail was derived.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DerivedBy {
    /// The model's name in the configuration.
    pub model: String,
    pub simulated: bool,
    /// The raw replies, oldest first: the second is a repair.
    pub replies: Vec<String>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// `None` when the model has no prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// Ground of a guardrail's acceptance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardAcceptance {
    /// A person accepted it after reading its report.
    ByHand,
    /// A person accepted it without a report.
    Untested,
    /// Its over-refusal was at most this share.
    Threshold { max_over_refusal: f64 },
}

/// Result of a benign test: how often a guardrail matched safe prompts, and unsafe ones for
/// comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardReport {
    /// The file that the prompts came from.
    pub dataset: String,
    /// SHA-256 of that file, hex.
    pub sha256: String,
    /// The text that was tested.
    pub revision: u32,
    /// The model that decided, by its name in the configuration.
    pub model: String,
    pub simulated: bool,
    /// The retriever of the nearest intents.
    pub retriever: String,
    /// Number of other guardrails that were active in the test.
    pub beside: u32,
    /// Safe prompts that it would have refused.
    pub over_refused: MatchShare,
    /// The same by the kind of prompt, as the set names it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_type: Vec<TypeShare>,
    /// Unsafe prompts that it would have refused.
    pub caught: MatchShare,
    /// Replies that could not be read: counted as no match, as in a debate.
    pub unparsed: u32,
    /// Calls that failed: left out.
    pub failed: u32,
}

/// A count out of a total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MatchShare {
    pub count: u32,
    pub of: u32,
}

impl MatchShare {
    /// Returns the share; `None` of nothing.
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| f64::from(self.count) / f64::from(self.of))
    }

    /// Adds one observation.
    pub fn observe(&mut self, holds: bool) {
        self.of = self.of.saturating_add(1);
        self.count = self.count.saturating_add(u32::from(holds));
    }
}

/// A share among the prompts of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeShare {
    pub name: String,
    pub share: MatchShare,
}
