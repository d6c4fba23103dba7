//! Continuous memory: adapters that were trained on lessons, and what a debate says of them.

use serde::{Deserialize, Serialize};

/// Adapter that a participant's model plays with, in place of its base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adapter {
    /// Name under which its server knows it.
    pub model: String,
    /// Base model that it was trained from.
    pub base: String,
    /// Counts the trainings of a run from 1.
    pub generation: u32,
    /// Number of lessons that it was trained on.
    pub lessons: u64,
    /// SHA-256 of the file of these lessons.
    pub lessons_sha256: String,
}

/// Texts that an adapter is trained on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainingTexts {
    #[default]
    Lessons,
    /// Texts of other content, as long as the lessons and trained on as often.
    Placebo,
}

impl TrainingTexts {
    fn are_lessons(&self) -> bool {
        *self == Self::Lessons
    }
}

/// Continuous memory of a debate: its debaters play with adapters that are trained between batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContinuousMemory {
    /// Number of new lessons after which adapters are trained anew.
    pub every: u32,
    #[serde(default, skip_serializing_if = "TrainingTexts::are_lessons")]
    pub texts: TrainingTexts,
    /// Generation of the adapters that debaters play with; 0 before the first training.
    #[serde(default)]
    pub generation: u32,
    /// Whether the topic, or a near-duplicate of it, taught a lesson that these adapters were trained on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub knows_topic: bool,
}
