//! Guardrail events of a session: the guardrails retrieved for the topic, and the models'
//! decisions.

use super::ids::{Chair, SessionId};
use super::recorded::Recorded;
use super::reply::{Reply, UnparsedCause};
use super::view::View;
use serde::{Deserialize, Serialize};

/// The guardrails nearest to the topic, as of their retrieval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardsRetrieved {
    /// Name and version of the retriever.
    pub retriever: String,
    /// Best first; without candidates no model is asked.
    pub candidates: Vec<GuardCandidate>,
    /// Guardrails left out by rule, with the reason (FIGURES 9).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<(String, String)>,
}

/// A guardrail as it was shown to the deciding models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardCandidate {
    pub id: String,
    /// Revision of its text; id and revision identify one text permanently.
    #[serde(default)]
    pub revision: u32,
    pub score: f64,
    /// Intent of a request that must be refused, in general words.
    pub intent: String,
    /// Examples of such requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// The debates it was derived from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<SessionId>,
}

impl GuardCandidate {
    /// Returns the intent and its examples as a reader is shown them.
    pub fn full_text(&self) -> String {
        let mut text = self.intent.clone();
        for example in &self.examples {
            text.push_str("\n- ");
            text.push_str(example);
        }
        text
    }
}

/// Reply of a model that wrote a guardrail from the debate's lesson, in a sample of the prompt that asks for one.
/// What debates teach is kept in memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardrailWritten {
    pub chair: Chair,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<Recorded<View>>,
    pub reply: Reply,
}

/// Decision of a debater's model whether a candidate matches the topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Guarded {
    pub chair: Chair,
    pub decision: GuardDecision,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<Recorded<View>>,
    pub reply: Reply,
}

/// Decision of a model about the candidates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardDecision {
    /// This guardrail matches: the chair does not speak.
    Matched {
        guardrail: String,
    },
    NoMatch,
    /// The reply could not be parsed: the chair speaks, and a guardrail error is counted.
    Unparsed {
        why: String,
        /// Absent in journals of earlier versions, and where nothing more is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<UnparsedCause>,
    },
}

impl GuardDecision {
    /// Returns the id of the guardrail that matched.
    pub fn matching_guardrail(&self) -> Option<&str> {
        match self {
            GuardDecision::Matched { guardrail } => Some(guardrail),
            GuardDecision::NoMatch | GuardDecision::Unparsed { .. } => None,
        }
    }
}
