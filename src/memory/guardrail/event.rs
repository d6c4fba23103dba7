//! What happens to guardrails: one event a line of their journals.

use super::text::GuardText;
use crate::memory::Origin;
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
    /// A debate's lesson gave a guardrail; with an intent that is there already, more examples of it.
    GuardProposed {
        id: GuardId,
        text: GuardText,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        derived: Option<Box<DerivedBy>>,
        at: String,
    },
    /// A guardrail is about to be asked for. Written before the call, without waiting for the disk.
    DerivationStarted {
        session: String,
        /// What the call can cost at most, in US dollars, if its model has prices.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worst_case_usd: Option<f64>,
        /// What it can use at most; journals of earlier versions do not say.
        #[serde(default)]
        worst_case_tokens: u64,
        at: String,
    },
    /// A derivation's reply could not be read, the repaired one neither.
    DerivationUnparsed {
        origin: Origin,
        why: String,
        derived: Box<DerivedBy>,
        at: String,
    },
    /// A derivation's call failed.
    DerivationFailed {
        origin: Origin,
        why: String,
        at: String,
    },
    GuardAccepted {
        id: GuardId,
        how: Acceptance,
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
    /// Another text: what was accepted was the text before, so it is proposed anew.
    GuardEdited {
        id: GuardId,
        text: GuardText,
        at: String,
    },
    /// The guardrail stays readable and is no longer asked.
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
    /// What it did to prompts that must not be refused.
    GuardTested {
        id: GuardId,
        report: Box<GuardReport>,
        at: String,
    },
}

/// The call, or the two calls, that a guardrail was derived by.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DerivedBy {
    /// The model's name in the configuration.
    pub model: String,
    pub simulated: bool,
    /// The replies as they came, oldest first: the second is a repair.
    pub replies: Vec<String>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// `None` when the model has no prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// How a guardrail came to be used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acceptance {
    /// Somebody read its report.
    ByHand,
    /// Somebody wanted it without a report.
    Untested,
    /// Its over-refusal was at most this share.
    Threshold { max_over_refusal: f64 },
}

/// How often a guardrail matched prompts of a benign set, and of what must be refused beside it.
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
    /// How the nearest intents were found.
    pub retriever: String,
    /// How many other guardrails were asked beside it.
    pub beside: u32,
    /// Safe prompts that it would have refused.
    pub over_refused: Share,
    /// The same by the kind of prompt, as the set names it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_type: Vec<TypeShare>,
    /// Unsafe prompts that it would have refused.
    pub caught: Share,
    /// Replies that could not be read: counted as no match, as in a debate.
    pub unparsed: u32,
    /// Calls that failed: left out.
    pub failed: u32,
}

/// How many of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Share {
    pub count: u32,
    pub of: u32,
}

impl Share {
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
    pub share: Share,
}
