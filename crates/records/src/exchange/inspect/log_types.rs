//! What is read of a log of Inspect. Everything else is passed over without being kept.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The header of an archive.
#[derive(Debug, Deserialize)]
pub(super) struct LogHeader {
    pub eval: LogEval,
}

/// What was evaluated.
#[derive(Debug, Deserialize)]
pub(super) struct LogEval {
    #[serde(default)]
    pub task: String,
}

/// A sample.
#[derive(Debug, Deserialize)]
pub(super) struct LogSample {
    pub id: SampleId,
    #[serde(default = "first")]
    pub epoch: i64,
    #[serde(default)]
    pub input: SampleInput,
    #[serde(default)]
    pub target: OneOrMany,
    #[serde(default)]
    pub choices: Option<Vec<String>>,
    #[serde(default)]
    pub messages: Vec<LogMessage>,
    #[serde(default)]
    pub scores: Option<BTreeMap<String, LogScore>>,
    /// The only score, in old logs.
    #[serde(default)]
    pub score: Option<LogScore>,
    #[serde(default)]
    pub metadata: Option<Map<String, Value>>,
    #[serde(default)]
    pub store: Option<BTreeMap<String, IgnoredAny>>,
    #[serde(default)]
    pub events: Vec<LogEvent>,
    #[serde(default)]
    pub attachments: BTreeMap<String, String>,
    #[serde(default)]
    pub error: Option<LogError>,
}

fn first() -> i64 {
    1
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum SampleId {
    Text(String),
    Number(i64),
}

impl SampleId {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum SampleInput {
    Text(String),
    Messages(Vec<LogMessage>),
}

impl Default for SampleInput {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl Default for OneOrMany {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct LogMessage {
    #[serde(default)]
    pub id: Option<String>,
    pub role: String,
    #[serde(default)]
    pub content: Content,
    #[serde(default)]
    pub source: Option<String>,
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub tool_calls: Option<Vec<ToolCall>>,
    /// The tool that answers.
    #[serde(default)]
    pub function: Option<String>,
    #[serde(default)]
    pub error: Option<LogError>,
    #[serde(default)]
    pub metadata: Option<Map<String, Value>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Content {
    Text(String),
    Parts(Vec<Part>),
}

impl Default for Content {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// A part of a message: a text, private reasoning, or something that is no text.
#[derive(Debug, Deserialize)]
pub(super) struct Part {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub text: Option<String>,
    #[serde(default)]
    pub reasoning: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ToolCall {
    pub function: String,
    #[serde(default)]
    pub arguments: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct LogError {
    #[serde(default)]
    pub message: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct LogScore {
    #[serde(default)]
    pub value: Value,
    #[serde(default)]
    pub explanation: Option<String>,
    #[serde(default)]
    pub metadata: Option<Map<String, Value>>,
}

/// An event: the call of a model, or another one.
#[derive(Debug)]
pub(super) enum LogEvent {
    Model(ModelEvent),
    Other,
}

#[derive(Debug, Deserialize)]
pub(super) struct ModelEvent {
    #[serde(default)]
    pub model: String,
    pub output: ModelOutput,
    #[serde(default)]
    pub working_time: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ModelOutput {
    #[serde(default)]
    pub choices: Vec<Choice>,
    #[serde(default)]
    pub usage: Option<ModelUsage>,
    /// Seconds.
    #[serde(default)]
    pub time: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    pub message: ChoiceMessage,
    #[serde(default)]
    pub stop_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChoiceMessage {
    #[serde(default)]
    pub id: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(super) struct ModelUsage {
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
    #[serde(default)]
    pub input_tokens_cache_write: Option<u64>,
    #[serde(default)]
    pub input_tokens_cache_read: Option<u64>,
    #[serde(default)]
    pub total_cost: Option<f64>,
}

/// Two readings of an event: other kinds have fields of the same names that hold something else.
#[derive(Deserialize)]
#[serde(untagged)]
enum EventShape {
    Model(TaggedModelEvent),
    Other(IgnoredAny),
}

#[derive(Deserialize)]
struct TaggedModelEvent {
    event: String,
    #[serde(flatten)]
    call: ModelEvent,
}

impl<'de> Deserialize<'de> for LogEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match EventShape::deserialize(deserializer)? {
            EventShape::Model(tagged) if tagged.event == "model" => Self::Model(tagged.call),
            EventShape::Model(_) | EventShape::Other(_) => Self::Other,
        })
    }
}
