//! Dialect of a server: its API, the names of its parameters, and the parameters that it refuses.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Settings of a server's dialect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Dialect {
    /// Parameters that this server refuses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop_params: Vec<Param>,
    /// The name of the token limit.
    pub max_tokens_as: MaxTokensName,
    /// The API that is called.
    #[serde(skip_serializing_if = "Api::is_chat")]
    pub api: Api,
    /// Fields that are added to the body.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra_body: Map<String, Value>,
}

impl Dialect {
    /// Returns the size of the added fields as JSON, in bytes.
    pub(super) fn extra_bytes(&self) -> usize {
        match self.extra_body.is_empty() {
            true => 0,
            false => serde_json::to_string(&self.extra_body).map_or(0, |text| text.len()),
        }
    }
}

/// The API that a model is called through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Api {
    /// The next message of a chat, at `/chat/completions`.
    #[default]
    Chat,
    /// Flags and scores of a text, at `/moderations`, instead of a reply in words.
    Moderation,
    /// A vector for each text, at `/embeddings`. No setting names it: a model that a seat is cast with
    /// never answers so.
    #[serde(skip)]
    Embedding,
}

impl Api {
    fn is_chat(&self) -> bool {
        *self == Api::Chat
    }
}

/// A part of a request that some servers refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Param {
    /// `temperature`
    Temperature,
    /// `top_p`
    TopP,
    /// `max_tokens` under either name
    MaxTokens,
    /// `seed`
    Seed,
    /// `stop`
    Stop,
    /// `response_format`, or `grammar` in its place
    ResponseFormat,
    /// `stream_options`
    StreamOptions,
    /// `logprobs` and `top_logprobs`
    Logprobs,
    /// `chat_template_kwargs`
    ChatTemplateKwargs,
    /// `stream`; without it the reply comes as a whole.
    Stream,
    /// The role `system`; without it system messages are put before the next user message.
    System,
}

impl Param {
    /// All of them.
    pub(super) const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Returns its name in requests and in settings.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A server's name for the token limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensName {
    /// `max_tokens`, understood nearly everywhere.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's reasoning models insist on.
    MaxCompletionTokens,
}

impl MaxTokensName {
    /// Returns the name.
    pub(super) fn name(self) -> &'static str {
        match self {
            MaxTokensName::MaxTokens => "max_tokens",
            MaxTokensName::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}
