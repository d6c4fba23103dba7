//! View of a seat: the exact messages shown for an attempt, each part with its source.

use super::ids::{AttemptId, JudgingId};
use super::step::Target;
use serde::{Deserialize, Serialize};

/// The messages of one request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub messages: Vec<ViewMessage>,
    /// SHA-256 of the exact request, hex.
    #[serde(default)]
    pub request_sha256: String,
}

/// One message of a view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ViewMessage {
    pub role: MessageRole,
    pub parts: Vec<ViewPart>,
}

/// Roles of the chat format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    System,
    User,
    Assistant,
}

/// A piece of a message and its origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ViewPart {
    pub from: PartSource,
    /// Omitted in a journal when it equals the text of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Origin of a part of a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartSource {
    /// Words of a template or rubric.
    Template(String),
    Topic,
    /// The text the topic cannot be understood without.
    Context,
    /// An utterance of the preceding conversation, counted from 0.
    Conversation(usize),
    /// A document, counted from 0.
    Document(usize),
    /// An option of the topic, counted from 0.
    Option(usize),
    Turn(AttemptId),
    /// The reader's own private reasoning.
    OwnPrivate(AttemptId),
    Verdict {
        judging: JudgingId,
        attempt: AttemptId,
    },
    /// A finding about a round, a turn or the debate, as shown to a reader.
    Ruling {
        judging: JudgingId,
        target: Target,
    },
    /// An entry of long-term memory, by id.
    Memory(String),
    /// A guardrail's intent with its examples, by id.
    Guardrail(String),
    Persona,
    /// A value drawn for this turn, by the name of the draw.
    Draw(String),
    /// A mark that delimits text under judgement.
    Fence,
    /// Typed or changed by a person for this call only.
    Person,
}
