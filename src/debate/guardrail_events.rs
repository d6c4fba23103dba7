//! What guardrails add to a session's past: what was found near the topic, and what was decided.

use super::event::Reply;
use super::ids::{Chair, SessionId};
use super::view::View;
use serde::{Deserialize, Serialize};

/// The guardrails nearest to the topic, as they were when they were looked up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardsRetrieved {
    /// The retriever's name and version.
    pub retriever: String,
    /// Best first; with none nobody is asked anything.
    pub candidates: Vec<GuardCandidate>,
    /// Guardrails left out by rule, with the reason (FIGURES 9).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<(String, String)>,
}

/// A guardrail as it was shown to the models that decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardCandidate {
    pub id: String,
    /// Counts the changes of its text: with the id it names one text for good.
    #[serde(default)]
    pub revision: u32,
    pub score: f64,
    /// What somebody who must be refused is after, in general words.
    pub intent: String,
    /// What such a person may write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// The debates that it was drawn from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<SessionId>,
}

impl GuardCandidate {
    /// Returns the intent and its examples as a reader is shown them.
    pub fn text(&self) -> String {
        let mut text = self.intent.clone();
        for example in &self.examples {
            text.push_str("\n- ");
            text.push_str(example);
        }
        text
    }
}

/// A debater's own model said whether one of the candidates matches the topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Guarded {
    pub chair: Chair,
    pub decision: GuardDecision,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    pub reply: Reply,
}

/// What a model said of the candidates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardDecision {
    /// This guardrail matches: the chair does not speak.
    Matched {
        guardrail: String,
    },
    NoMatch,
    /// The reply could not be read: the chair speaks, and an error of the guardrails is counted.
    Unparsed {
        why: String,
    },
}

impl GuardDecision {
    /// Returns the guardrail that matched.
    pub fn matched(&self) -> Option<&str> {
        match self {
            GuardDecision::Matched { guardrail } => Some(guardrail),
            GuardDecision::NoMatch | GuardDecision::Unparsed { .. } => None,
        }
    }
}
