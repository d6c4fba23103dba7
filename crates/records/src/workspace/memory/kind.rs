//! Kinds of long-term memory, by their names.

use serde::{Deserialize, Serialize};

/// A kind of long-term memory, as it is asked for and kept in a run's manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    /// Lessons as text, the nearest to the topic.
    Textual,
    /// Intents that are refused before a debater answers.
    Guardrails,
}

impl MemoryKind {
    /// Every kind.
    pub const ALL: [MemoryKind; 2] = [MemoryKind::Textual, MemoryKind::Guardrails];

    /// Returns the name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            MemoryKind::Textual => "textual",
            MemoryKind::Guardrails => "guardrails",
        }
    }

    /// Reads a name; `None` for one that no kind has.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
