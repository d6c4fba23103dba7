//! The JSON that is sent.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::call::{Request, Role};
use super::terms::{SystemAs, Terms};

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

/// A part of a request that some servers refuse.
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
    /// `chat_template_kwargs`
    ChatTemplateKwargs,
    /// `stream`: the reply is asked for as a whole.
    Stream,
    /// The role `system`: what it says is put before the next user message.
    System,
}

impl Param {
    /// All of them.
    pub(super) const ALL: [Param; 11] = [
        Param::Temperature,
        Param::TopP,
        Param::MaxTokens,
        Param::Seed,
        Param::Stop,
        Param::ResponseFormat,
        Param::StreamOptions,
        Param::Logprobs,
        Param::ChatTemplateKwargs,
        Param::Stream,
        Param::System,
    ];

    /// Its name, as it stands in requests and in settings.
    pub fn name(self) -> &'static str {
        match self {
            Param::Temperature => "temperature",
            Param::TopP => "top_p",
            Param::MaxTokens => "max_tokens",
            Param::Seed => "seed",
            Param::Stop => "stop",
            Param::ResponseFormat => "response_format",
            Param::StreamOptions => "stream_options",
            Param::Logprobs => "logprobs",
            Param::ChatTemplateKwargs => "chat_template_kwargs",
            Param::Stream => "stream",
            Param::System => "system",
        }
    }
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

impl MaxTokensName {
    /// The name itself.
    pub(super) fn name(self) -> &'static str {
        match self {
            MaxTokensName::MaxTokens => "max_tokens",
            MaxTokensName::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// The JSON that is sent, written without a copy of what it holds.
///
/// Keys stand in the order of the alphabet, so equal requests give equal bytes.
#[derive(Serialize)]
pub(super) struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    chat_template_kwargs: Option<&'a Map<String, Value>>,
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
    content: Cow<'a, str>,
    role: &'static str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

/// Returns the body of a request without transport fields, as it is composed.
pub(super) fn plain(request: &Request) -> Body<'_> {
    put(request, &Terms::of(&request.dialect))
}

/// Returns the body of a request without transport fields, on the terms of a server.
fn put<'a>(request: &'a Request, terms: &Terms) -> Body<'a> {
    let kept = |param: Param| terms.sends(param, request);
    let sampling = &request.sampling;
    let limit = terms.limit(request);
    let (max_tokens, max_completion_tokens) = match terms.max_tokens_as {
        MaxTokensName::MaxTokens => (limit, None),
        MaxTokensName::MaxCompletionTokens => (None, limit),
    };
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
        chat_template_kwargs: (sampling.chat_template_kwargs.as_ref())
            .filter(|_| kept(Param::ChatTemplateKwargs)),
        logprobs: top_logprobs.map(|_| true),
        max_completion_tokens,
        max_tokens,
        messages: messages(request, terms.system_as()),
        model: &request.model,
        response_format,
        seed: sampling.seed.filter(|_| kept(Param::Seed)),
        stop: kept(Param::Stop).then_some(sampling.stop.as_slice()),
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

/// Returns the body that is sent: on the terms of the server, with the transport fields.
pub(super) fn sent<'a>(request: &'a Request, terms: &Terms) -> Body<'a> {
    let include_usage = true;
    Body {
        stream: terms.sends(Param::Stream, request).then_some(true),
        stream_options: terms
            .sends(Param::StreamOptions, request)
            .then_some(StreamOptions { include_usage }),
        ..put(request, terms)
    }
}

fn messages(request: &Request, system: SystemAs) -> Vec<Sent<'_>> {
    let mut rendered = Vec::with_capacity(request.messages.len());
    // What the system says and no user message has said yet.
    let mut waiting: Vec<&str> = Vec::new();
    for message in &request.messages {
        let role = match (message.role, system) {
            (Role::System, SystemAs::System) => "system",
            (Role::System, SystemAs::Developer) => "developer",
            (Role::System, SystemAs::User) => {
                waiting.push(&message.content);
                continue;
            }
            (Role::User, _) => "user",
            (Role::Assistant, _) => "assistant",
        };
        let mut content = Cow::Borrowed(message.content.as_str());
        if message.role == Role::User && !waiting.is_empty() {
            waiting.push(&message.content);
            content = Cow::Owned(waiting.join("\n\n"));
            waiting.clear();
        }
        rendered.push(Sent { content, role });
    }
    if !waiting.is_empty() {
        rendered.push(Sent {
            content: Cow::Owned(waiting.join("\n\n")),
            role: "user",
        });
    }
    rendered
}
