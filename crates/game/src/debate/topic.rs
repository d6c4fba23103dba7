//! Topic of a debate.

use serde::{Deserialize, Serialize};

/// A red-teaming prompt, question, problem or proposition, with its context and reference.
///
/// `reference` and `expected` are read by the ground-truth grader alone; no view contains them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    /// Stable within its dataset (`BehaviorID`, `id`, or file name and line).
    pub id: String,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The conversation that precedes `text`, oldest first; `text` itself is not in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conversation: Vec<Utterance>,
    /// Text the topic cannot be understood without (HarmBench's `ContextString`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceAnswer>,
    /// Label that the dataset expects (XSTest's `safe` / `unsafe`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<Document>,
    /// Answers or positions that the topic offers, in the dataset's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Difficulty by the dataset, 1 being the easiest (MATH's `Level 1` to `Level 5`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Judging needs a comparison of hashes (HarmBench's copyright behaviours); reported
    /// separately.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_hash_check: bool,
    /// The dataset that it is from, where a run has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
}

/// One utterance of the conversation before the topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Utterance {
    pub role: UtteranceRole,
    pub text: String,
}

/// Author of an [`Utterance`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum UtteranceRole {
    System,
    User,
    Assistant,
}

impl UtteranceRole {
    /// Returns what the chat format calls it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The correct answer with other accepted spellings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceAnswer {
    pub answer: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

/// A text that seats may be shown and may cite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    pub name: String,
    pub text: String,
}
