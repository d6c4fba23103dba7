//! View of a seat: the exact messages shown for an attempt, each part with its source.

use super::ids::{AttemptId, JudgingId, SessionId};
use super::step::Target;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The messages of one request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum MessageRole {
    System,
    User,
    Assistant,
}

impl MessageRole {
    /// Returns what the format calls it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A piece of a message and its origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ViewPart {
    pub from: PartSource,
    /// Omitted in a journal when it equals the text of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Fixed words of a template, in place of the text. Absent in journals of version 0.1.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_hash: Option<TextHash>,
}

impl View {
    /// Returns the fixed words of templates that it contains, each with its place and the name of
    /// the template.
    pub fn template_words(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let parts = self.messages.iter().flat_map(|message| &message.parts);
        parts.filter_map(|part| match &part.from {
            PartSource::Template(name) => Some((name.as_str(), part.text.as_deref())),
            PartSource::Topic
            | PartSource::Context
            | PartSource::Conversation(_)
            | PartSource::Document(_)
            | PartSource::Option(_)
            | PartSource::Turn(_)
            | PartSource::OwnPrivate(_)
            | PartSource::Verdict { .. }
            | PartSource::Ruling { .. }
            | PartSource::Rewards { .. }
            | PartSource::Memory(_)
            | PartSource::Guardrail(_)
            | PartSource::Persona
            | PartSource::Draw(_)
            | PartSource::Reference
            | PartSource::Fence
            | PartSource::LabelLine
            | PartSource::Person => None,
        })
    }
}

impl View {
    /// Returns the mark that the line of the label must carry, where the view shows one.
    pub fn label_mark(&self) -> Option<&str> {
        let mut parts = self.messages.iter().flat_map(|message| &message.parts);
        let label_line = parts.find(|part| part.from == PartSource::LabelLine)?;
        let line = label_line.text.as_deref()?.lines().next_back()?;
        line.split_once(':')?.0.split_whitespace().next_back()
    }
}

impl ViewPart {
    /// Returns a part with its text.
    pub fn new(from: PartSource, text: impl Into<String>) -> Self {
        Self {
            from,
            text: Some(text.into()),
            text_hash: None,
        }
    }
}

/// Name of a text: the first 16 hex digits of its SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TextHash(String);

impl TextHash {
    fn from_text(text: &str) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        TextHash(
            digest[..8]
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect(),
        )
    }
}

/// Fixed words of templates that several views of a debate hold: each is written once, in the first
/// event, and views refer to it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TemplateTexts(BTreeMap<TextHash, String>);

impl TemplateTexts {
    /// A shorter text is written in place: a reference would be no shorter.
    const SHORTEST: usize = 32;

    /// Keeps those of these texts that are worth a reference.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let long = texts
            .into_iter()
            .filter(|text| text.len() >= Self::SHORTEST);
        Self(
            long.map(|text| (TextHash::from_text(text), text.to_owned()))
                .collect(),
        )
    }

    /// Returns whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns these texts and those of another.
    #[must_use]
    pub fn with_texts(mut self, others: &Self) -> Self {
        self.0.extend(others.0.clone());
        self
    }

    /// Returns the name of a text that it holds.
    pub fn find_hash(&self, text: &str) -> Option<&TextHash> {
        let mut texts = self.0.iter();
        texts.find_map(|(hash, known)| (known == text).then_some(hash))
    }

    /// Returns a text by its name.
    pub fn get(&self, hash: &TextHash) -> Option<&str> {
        self.0.get(hash).map(String::as_str)
    }
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
    /// The reader's own private reasoning, or a judge's view of that of who is judged.
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
    /// What a debate was decided or paid, as shown to the author of a lesson: of its own debate, or of another
    /// one whose rewards were taken in their place.
    Rewards {
        of: SessionId,
    },
    /// An entry of long-term memory, by id.
    Memory(String),
    /// A guardrail's intent with its examples, by id.
    Guardrail(String),
    Persona,
    /// The topic's reference answer, or another spelling of it: in views of whom a grader asks alone.
    Reference,
    /// A value drawn for this turn, by the name of the draw.
    Draw(String),
    /// A mark that delimits text under judgement.
    Fence,
    /// A line that states a label, with the mark that its last word before the colon is.
    LabelLine,
    /// Typed or changed by a person for this call only.
    Person,
}
