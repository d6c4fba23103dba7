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

/// Renders a request without transport fields; keys are sorted, so equal requests give equal bytes.
pub(super) fn render(request: &Request) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(request.model));
    body.insert("messages".into(), messages(request));
    let kept = |param: Param| !request.dialect.drop_params.contains(&param);
    let sampling = &request.sampling;
    if let (Some(temperature), true) = (sampling.temperature, kept(Param::Temperature)) {
        body.insert("temperature".into(), json!(temperature));
    }
    if let (Some(top_p), true) = (sampling.top_p, kept(Param::TopP)) {
        body.insert("top_p".into(), json!(top_p));
    }
    if let (Some(max_tokens), true) = (sampling.max_tokens, kept(Param::MaxTokens)) {
        let name = match request.dialect.max_tokens_as {
            MaxTokensName::MaxTokens => "max_tokens",
            MaxTokensName::MaxCompletionTokens => "max_completion_tokens",
        };
        body.insert(name.into(), json!(max_tokens));
    }
    if let (Some(seed), true) = (sampling.seed, kept(Param::Seed)) {
        body.insert("seed".into(), json!(seed));
    }
    if !sampling.stop.is_empty() && kept(Param::Stop) {
        body.insert("stop".into(), json!(sampling.stop));
    }
    if let (Some(schema), true) = (&request.schema, kept(Param::ResponseFormat)) {
        let format = json!({
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": is_strict(schema, 0), "schema": schema},
        });
        body.insert("response_format".into(), format);
    }
    Value::Object(body)
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

/// Adds the transport fields of a streamed call.
pub(super) fn streamed(request: &Request, usage: StreamUsage) -> Value {
    let mut body = render(request);
    if let Value::Object(fields) = &mut body {
        fields.insert("stream".into(), json!(true));
        let asked = match usage {
            StreamUsage::Asked => true,
            StreamUsage::NotAsked => false,
        };
        if asked && !request.dialect.drop_params.contains(&Param::StreamOptions) {
            fields.insert("stream_options".into(), json!({"include_usage": true}));
        }
    }
    body
}

/// Whether the server is asked to count tokens at the end of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamUsage {
    Asked,
    NotAsked,
}

fn messages(request: &Request) -> Value {
    let rendered = request.messages.iter().map(|message| {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        json!({"role": role, "content": message.content})
    });
    Value::Array(rendered.collect())
}
