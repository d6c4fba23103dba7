//! Kinds of long-term memory, by their names.

use serde::{Deserialize, Serialize};

/// New lessons after which adapters are trained anew unless a run says another number: RedDebate's.
pub const DEFAULT_TRAIN_EVERY: u32 = 10;

/// A kind of long-term memory, as it is asked for and kept in a run's manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::EnumString, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum MemoryKind {
    /// Lessons as text, the nearest to the topic.
    Textual,
    /// Intents that are refused before a debater answers.
    Guardrails,
    /// Lessons as weights: adapters that are trained on them between batches.
    Continuous,
}

impl MemoryKind {
    /// The name of every kind.
    pub const NAMES: &'static [&'static str] = <Self as strum::VariantNames>::VARIANTS;

    /// Returns the name by which it is asked for.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
