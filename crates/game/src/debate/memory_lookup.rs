//! How a debate looks long-term memory up.

use super::topic::{Topic, UtteranceRole};
use serde::{Deserialize, Serialize};

/// Number of lessons unless another is asked for: what RedDebate shows.
pub const DEFAULT_LESSONS: u32 = 5;

/// Largest number that can be asked for: more would be the whole of most memories.
pub const MAX_LESSONS: u32 = 1_000;

/// How many lessons a debate is shown, from which score on, and by which query they are found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MemoryLookup {
    /// Number of lessons, where memory holds as many.
    pub k: u32,
    /// Score that a lesson needs; `None`: none, so that `k` lessons are shown where there are as many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_score: Option<f64>,
    #[serde(default)]
    pub query: MemoryQuery,
}

/// The text that memory is looked up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::EnumString, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum MemoryQuery {
    /// The conversation's user turns and the topic, which is the last of them.
    #[default]
    Conversation,
    /// The topic alone.
    Topic,
}

impl Default for MemoryLookup {
    fn default() -> Self {
        Self {
            k: DEFAULT_LESSONS,
            min_score: None,
            query: MemoryQuery::Conversation,
        }
    }
}

impl MemoryQuery {
    /// Reads a name of the command line.
    ///
    /// # Errors
    /// When there is no such query; it says which there are.
    pub fn from_name(name: &str) -> Result<Self, String> {
        name.parse().map_err(|_| {
            let names = <Self as strum::VariantNames>::VARIANTS;
            format!("there is no such query; known are {}", names.join(" and "))
        })
    }

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Topic {
    /// Returns what the user said before the topic, a line break between two messages; empty without a
    /// conversation.
    pub fn earlier_user_text(&self) -> String {
        let turns = self.conversation.iter();
        let user = turns.filter(|one| one.role == UtteranceRole::User);
        let texts: Vec<&str> = user.map(|one| one.text.as_str()).collect();
        texts.join("\n")
    }
}
