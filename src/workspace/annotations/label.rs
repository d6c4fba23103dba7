//! What a person found on a turn or a debate, with everything that says how far it can be trusted.

use super::event::{MarkId, Spot};
use crate::store::Hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A person's finding. It never influences a debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    pub on: Spot,
    /// The label set, by its id.
    pub set: String,
    /// The hash of the set's text and codebook, as they were when the label was given.
    pub codebook: Hash,
    /// The label's name in the set.
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether the person wants somebody to look at it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flagged: bool,
    /// How it came before the person; `None` where they chose it themselves, which makes it no
    /// sample of anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<Drawn>,
    pub blind: Blindness,
    #[serde(default)]
    pub role: LabelRole,
    /// How often the person had labelled the same thing before without being told; 0 but for hidden
    /// repeats.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeat: u32,
    /// From when it was shown until it was labelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_ms: Option<u64>,
    /// The file that it was taken from, where it was not given here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// How an item came into a queue (FIGURES 6): with probability `taken / of`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Drawn {
    pub queue: String,
    /// The part of the population that it was drawn from, by name; one name where nothing was
    /// stratified.
    pub stratum: String,
    /// How many were drawn in that stratum.
    pub taken: u32,
    /// Out of how many; at least `taken`.
    pub of: u32,
    /// How many of those that could be drawn hold what was labelled: one, but for turns of
    /// consecutive pairs, most of which are in two.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub chances: u32,
    /// Whether what it was drawn from was chosen by what evaluators said, so that sensitivity
    /// cannot be told from it alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_verdict: bool,
}

impl Drawn {
    /// The probability with which what was labelled came into the queue: above 0, at most 1. Of
    /// something that several units hold, the probability that at least one of them was drawn
    /// (simple random sampling without replacement within the stratum).
    pub fn probability(&self) -> f64 {
        let taken = f64::from(self.taken.max(1));
        let of = f64::from(self.of).max(taken);
        if self.chances <= 1 {
            return taken / of;
        }
        let missed = (0..self.chances)
            .map(f64::from)
            .map(|nth| ((of - taken - nth) / (of - nth).max(1.0)).max(0.0))
            .product::<f64>();
        1.0 - missed
    }
}

/// Whether the person knew what they should not (FIGURES 8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Blindness {
    /// The person was never shown the attempt's verdict, arm, protocol or prompt version.
    Blind,
    /// They had been shown at least one of them.
    Unblinded { saw: BTreeSet<Unblinding> },
    /// Taken from a file that does not say.
    Unknown,
}

/// What makes a label on an attempt no longer blind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unblinding {
    Verdict,
    Arm,
    Protocol,
    PromptVersion,
}

/// As what a label was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelRole {
    /// As one of several.
    #[default]
    Annotator,
    /// As the one that settles what several said, having seen it.
    Adjudicator,
}

/// A label as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingLabel {
    pub id: MarkId,
    pub annotator: String,
    /// RFC 3339, UTC.
    pub at: String,
    pub label: Label,
}

fn one() -> u32 {
    1
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}
