//! Label that a person gives a turn or a debate, with everything that says how far it can be trusted.

use super::event::{AnnotationId, AnnotationTarget};
use crate::workspace::{WorkspaceError, reject};
use elenchus_store::Hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A person's label. It never influences a debate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    pub on: AnnotationTarget,
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
    /// Flagged by the person for another look.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flagged: bool,
    /// The draw that chose it; `None` where the person chose it themselves, which makes it no
    /// sample of anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<QueueDraw>,
    pub blind: Blindness,
    #[serde(default)]
    pub role: LabelRole,
    /// Number of the hidden repeat, of which the person is not informed; 0 for the first label.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeat: u32,
    /// From when it was shown until it was labelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_ms: Option<u64>,
    /// The file that it was taken from, where it was not given here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The simulated model's marks, which state the truth, were cut from what the person read. Earlier
    /// versions showed them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub marks_cut: bool,
}

/// Draw of an item into a queue (FIGURES 6): with probability `taken / of`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct QueueDraw {
    pub queue: String,
    /// The part of the population that it was drawn from, by name; one name where nothing was
    /// stratified.
    pub stratum: String,
    /// Number drawn in that stratum.
    pub taken: u32,
    /// Out of how many; at least `taken`.
    pub of: u32,
    /// Units of the stratum that hold the labelled turn: one, but for turns of
    /// consecutive pairs, most of which are in two.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub chances: u32,
    /// Set where the population was chosen by evaluators' verdicts, so that sensitivity cannot be
    /// estimated from it alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_verdict: bool,
    /// `taken / of` is a probability that a file states, as a fraction, and neither is a count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_stated: bool,
}

impl QueueDraw {
    /// Makes the draw of an item whose probability a file states.
    ///
    /// # Errors
    /// When it is not above 0 and at most 1, or smaller than what can be kept.
    pub fn from_probability(queue: String, probability: f64) -> Result<Self, WorkspaceError> {
        let Some((taken, of)) = approximate_fraction(probability) else {
            return reject(format!(
                "the probability {probability} cannot be kept: it is above 0 and at most 1, and no less than 1 in {}",
                u32::MAX
            ));
        };
        Ok(Self {
            queue,
            stratum: "all".to_owned(),
            taken,
            of,
            chances: 1,
            by_verdict: false,
            is_stated: true,
        })
    }

    /// The probability with which what was labelled came into the queue: above 0, at most 1. Of
    /// something that several units hold, the probability that at least one of them was drawn
    /// (simple random sampling without replacement within the stratum).
    pub fn probability(&self) -> f64 {
        let drawn_count = f64::from(self.taken.max(1));
        let of = f64::from(self.of).max(drawn_count);
        if self.chances <= 1 {
            return drawn_count / of;
        }
        let miss_probability = (0..self.chances)
            .map(f64::from)
            .map(|nth| ((of - drawn_count - nth) / (of - nth).max(1.0)).max(0.0))
            .product::<f64>();
        1.0 - miss_probability
    }
}

/// Returns the last convergent of a number's continued fraction whose parts fit; `None` for one that is not above 0
/// and at most 1, or too small.
fn approximate_fraction(number: f64) -> Option<(u32, u32)> {
    /// Below it the rest of a number is its rounding.
    const SMALLEST_REST: f64 = 1e-9;
    if !(number > 0.0 && number <= 1.0) {
        return None;
    }
    let (mut before, mut last) = ((0_u64, 1_u64), (1_u64, 0_u64));
    let mut rest = number;
    loop {
        let whole = rest.floor();
        if whole > f64::from(u32::MAX) {
            break;
        }
        let next = (
            (whole as u64) * last.0 + before.0,
            (whole as u64) * last.1 + before.1,
        );
        if next.0.max(next.1) > u64::from(u32::MAX) {
            break;
        }
        (before, last) = (last, next);
        let part = rest - whole;
        if part < SMALLEST_REST && last.0 > 0 {
            break;
        }
        rest = 1.0 / part;
    }
    let parts = (u32::try_from(last.0).ok()?, u32::try_from(last.1).ok()?);
    (parts.0 > 0 && parts.1 > 0).then_some(parts)
}

/// Blinding of the person when they labelled (FIGURES 8).
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

/// Information that makes a label on an attempt no longer blind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unblinding {
    Verdict,
    Arm,
    Protocol,
    PromptVersion,
    /// Why the judge or evaluator found it. Earlier versions recorded this as a verdict.
    Reasons,
}

/// Role in which a label was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelRole {
    /// As one of several.
    #[default]
    Annotator,
    /// As the one that settles what several said, having seen it.
    Adjudicator,
}

/// A label in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentLabel {
    pub id: AnnotationId,
    pub annotator: String,
    /// RFC 3339, UTC.
    pub at: String,
    pub label: Label,
}

impl CurrentLabel {
    /// Returns the label in words, with what came with it.
    pub fn describe(&self) -> String {
        let label = &self.label;
        let mut text = label.label.clone();
        if let Some(category) = &label.category {
            text.push_str(&format!(", {category}"));
        }
        if let Some(strength) = label.strength {
            text.push_str(&format!(", strength {strength}"));
        }
        if label.flagged {
            text.push_str(", flagged");
        }
        if let Some(note) = &label.note {
            text.push_str(&format!(" ({note})"));
        }
        text
    }
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
