//! The JSON that is sent.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::call::{Request, Role};

/// How a server wants its parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Dialect {
    /// Parameters that this server refuses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop_params: Vec<Param>,
    /// What the token limit is called.
    pub max_tokens_as: MaxTokensName,
    /// What the server is asked for.
    #[serde(skip_serializing_if = "Api::is_chat")]
    pub api: Api,
}

/// What a model's server is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Api {
    /// The next message of a chat, at `/chat/completions`.
    #[default]
    Chat,
    /// What a text is flagged for, at `/moderations`: no reply in words, but flags and scores.
    Moderation,
}

impl Api {
    pub(super) fn is_chat(&self) -> bool {
        *self == Api::Chat
    }
}

/// A parameter that some servers refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// `response_format`
    ResponseFormat,
    /// `stream_options`
    StreamOptions,
    /// `logprobs` and `top_logprobs`
    Logprobs,
}

/// What a server calls the token limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensName {
    /// `max_tokens`, understood nearly everywhere.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's reasoning models insist on.
    MaxCompletionTokens,
}

/// The JSON that is sent, written without a copy of what it holds.
///
/// Keys stand in the order of the alphabet, so equal requests give equal bytes.
#[derive(Serialize)]
pub(super) struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    messages: Vec<Sent<'a>>,
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_logprobs: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
}

/// What is sent to be moderated.
#[derive(Debug, Serialize)]
pub(super) struct Moderated<'a> {
    input: String,
    model: &'a str,
}

/// Returns the body of a request to a moderation endpoint: the texts of all messages.
pub(super) fn moderated(request: &Request) -> Moderated<'_> {
    let texts = request.messages.iter().map(|message| &*message.content);
    Moderated {
        input: texts.collect::<Vec<_>>().join("\n\n"),
        model: &request.model,
    }
}

#[derive(Serialize)]
struct Sent<'a> {
    content: &'a str,
    role: &'static str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

/// Returns the body of a request without transport fields.
pub(super) fn plain(request: &Request) -> Body<'_> {
    let kept = |param: Param| !request.dialect.drop_params.contains(&param);
    let sampling = &request.sampling;
    let limit = sampling.max_tokens.filter(|_| kept(Param::MaxTokens));
    let (max_tokens, max_completion_tokens) = match request.dialect.max_tokens_as {
        MaxTokensName::MaxTokens => (limit, None),
        MaxTokensName::MaxCompletionTokens => (None, limit),
    };
    let stop = Some(sampling.stop.as_slice());
    let schema = request.schema.as_ref();
    let response_format = schema
        .filter(|_| kept(Param::ResponseFormat))
        .map(|schema| {
            json!({
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": is_strict(schema, 0), "schema": schema},
            })
        });
    let top_logprobs = sampling.top_logprobs.filter(|_| kept(Param::Logprobs));
    Body {
        logprobs: top_logprobs.map(|_| true),
        max_completion_tokens,
        max_tokens,
        messages: messages(request),
        model: &request.model,
        response_format,
        seed: sampling.seed.filter(|_| kept(Param::Seed)),
        stop: stop.filter(|stop| !stop.is_empty() && kept(Param::Stop)),
        stream: None,
        stream_options: None,
        temperature: sampling.temperature.filter(|_| kept(Param::Temperature)),
        top_logprobs,
        top_p: sampling.top_p.filter(|_| kept(Param::TopP)),
    }
}

/// Says whether a schema keeps to what servers ask of strict ones: each object names all its
/// properties as required and allows no other. They refuse a looser schema that is called strict.
fn is_strict(schema: &Value, depth: usize) -> bool {
    let Some(schema) = schema.as_object().filter(|_| depth <= MAX_SCHEMA_DEPTH) else {
        return false;
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_object = properties.is_some() || schema.get("type") == Some(&json!("object"));
    let required = schema.get("required").and_then(Value::as_array);
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let all_required = properties.into_iter().flatten().all(|(name, _)| {
        required.is_some_and(|required| required.iter().any(|one| one == name.as_str()))
    });
    let inner = properties.into_iter().flat_map(Map::values);
    let mut inner = inner.chain(schema.get("items"));
    (!is_object || (closed && all_required)) && inner.all(|inner| is_strict(inner, depth + 1))
}

/// How deep a schema is looked into; a deeper one is not called strict.
const MAX_SCHEMA_DEPTH: usize = 32;

/// Returns the body of a streamed call: with the transport fields.
pub(super) fn streamed(request: &Request, usage: StreamUsage) -> Body<'_> {
    let asked = match usage {
        StreamUsage::Asked => !request.dialect.drop_params.contains(&Param::StreamOptions),
        StreamUsage::NotAsked => false,
    };
    let include_usage = true;
    Body {
        stream: Some(true),
        stream_options: asked.then_some(StreamOptions { include_usage }),
        ..plain(request)
    }
}

/// Whether the server is asked to count tokens at the end of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamUsage {
    Asked,
    NotAsked,
}

fn messages(request: &Request) -> Vec<Sent<'_>> {
    let rendered = request.messages.iter().map(|message| Sent {
        content: &message.content,
        role: match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        },
    });
    rendered.collect()
}
