//! JSON bodies of requests.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::call::{ChatRole, ReplyForm, Request};
use super::dialect::{MaxTokensName, Param};
use super::request_terms::{RequestTerms, SystemAs};

/// A request as JSON, serialised without a copy of its texts.
///
/// Keys are in alphabetical order, added ones last, so equal requests give equal bytes.
#[derive(Serialize)]
pub(super) struct ChatBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    chat_template_kwargs: Option<&'a Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grammar: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    messages: Vec<SentMessage<'a>>,
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
    /// Fields of the configuration, none of which is one of these.
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

/// Body of a request to a moderation endpoint.
#[derive(Debug, Serialize)]
pub(super) struct ModerationBody<'a> {
    input: String,
    model: &'a str,
}

/// Returns the body of a request to a moderation endpoint: the texts of all messages.
pub(super) fn build_moderation_body(request: &Request) -> ModerationBody<'_> {
    let texts = request.messages.iter().map(|message| &*message.content);
    ModerationBody {
        input: texts.collect::<Vec<_>>().join("\n\n"),
        model: &request.model,
    }
}

/// Body of a request to an embeddings endpoint.
#[derive(Debug, Serialize)]
pub(super) struct EmbeddingBody<'a> {
    input: Vec<&'a str>,
    model: &'a str,
    /// Fields of the configuration, such as `dimensions`.
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

/// Returns the body of a request to an embeddings endpoint: the text of each message is one input.
pub(super) fn build_embedding_body(request: &Request) -> EmbeddingBody<'_> {
    let texts = request.messages.iter().map(|message| &*message.content);
    EmbeddingBody {
        input: texts.collect(),
        model: &request.model,
        extra: &request.dialect.extra_body,
    }
}

#[derive(Serialize)]
struct SentMessage<'a> {
    content: Cow<'a, str>,
    role: &'static str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

/// Returns the body of a request without transport fields, before any adaptation to its server.
pub(super) fn build_canonical_body(request: &Request) -> ChatBody<'_> {
    build_chat_body(request, &RequestTerms::from_dialect(&request.dialect))
}

/// Returns the body of a request without transport fields, adapted to its server.
pub(super) fn build_chat_body<'a>(request: &'a Request, terms: &RequestTerms) -> ChatBody<'a> {
    let is_param_sent = |param: Param| terms.is_sent(param, request);
    let sampling = &request.sampling;
    let limit = terms.token_limit(request);
    let (max_tokens, max_completion_tokens) = match terms.max_tokens_as {
        MaxTokensName::MaxTokens => (limit, None),
        MaxTokensName::MaxCompletionTokens => (None, limit),
    };
    let form = request
        .form
        .as_ref()
        .filter(|_| is_param_sent(Param::ResponseFormat));
    let response_format = form.and_then(ReplyForm::as_schema).map(|schema| {
        json!({
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": is_strict(schema, 0), "schema": schema},
        })
    });
    let grammar = form.and_then(|form| match form {
        // The grammar of a model's own configuration stays.
        ReplyForm::Grammar(grammar) if !request.dialect.extra_body.contains_key("grammar") => {
            Some(grammar.as_str())
        }
        ReplyForm::Grammar(_) | ReplyForm::Schema(_) => None,
    });
    let top_logprobs = sampling
        .top_logprobs
        .filter(|_| is_param_sent(Param::Logprobs));
    ChatBody {
        chat_template_kwargs: (sampling.chat_template_kwargs.as_ref())
            .filter(|_| is_param_sent(Param::ChatTemplateKwargs)),
        grammar,
        logprobs: top_logprobs.map(|_| true),
        max_completion_tokens,
        max_tokens,
        messages: build_messages(request, terms.system_role()),
        model: &request.model,
        response_format,
        seed: sampling.seed.filter(|_| is_param_sent(Param::Seed)),
        stop: is_param_sent(Param::Stop).then_some(sampling.stop.as_slice()),
        stream: None,
        stream_options: None,
        temperature: sampling
            .temperature
            .filter(|_| is_param_sent(Param::Temperature)),
        top_logprobs,
        top_p: sampling.top_p.filter(|_| is_param_sent(Param::TopP)),
        extra: &request.dialect.extra_body,
    }
}

/// Returns whether a schema meets servers' rules for strict ones: each object names all its
/// properties as required and allows no other. Servers refuse a looser schema that is called
/// strict.
fn is_strict(schema: &Value, depth: usize) -> bool {
    let Some(schema) = schema.as_object().filter(|_| depth <= MAX_SCHEMA_DEPTH) else {
        return false;
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_object = properties.is_some() || schema.get("type") == Some(&json!("object"));
    let required_names = schema.get("required").and_then(Value::as_array);
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let is_all_required = properties.into_iter().flatten().all(|(name, _)| {
        required_names.is_some_and(|required| required.iter().any(|one| one == name.as_str()))
    });
    let inner = properties.into_iter().flat_map(Map::values);
    let mut inner = inner.chain(schema.get("items"));
    (!is_object || (is_closed && is_all_required)) && inner.all(|inner| is_strict(inner, depth + 1))
}

/// The deepest nesting that is checked; a deeper schema is not called strict.
const MAX_SCHEMA_DEPTH: usize = 32;

/// Returns the body that is sent: adapted to its server, with the transport fields.
pub(super) fn build_sent_body<'a>(request: &'a Request, terms: &RequestTerms) -> ChatBody<'a> {
    let include_usage = true;
    ChatBody {
        stream: terms.is_sent(Param::Stream, request).then_some(true),
        stream_options: terms
            .is_sent(Param::StreamOptions, request)
            .then_some(StreamOptions { include_usage }),
        ..build_chat_body(request, terms)
    }
}

fn build_messages(request: &Request, system: SystemAs) -> Vec<SentMessage<'_>> {
    let mut sent_messages = Vec::with_capacity(request.messages.len());
    // System messages that wait for the next user message.
    let mut pending_texts: Vec<&str> = Vec::new();
    for message in &request.messages {
        let role = match (message.role, system) {
            (ChatRole::System, SystemAs::System) => "system",
            (ChatRole::System, SystemAs::Developer) => "developer",
            (ChatRole::System, SystemAs::User) => {
                pending_texts.push(&message.content);
                continue;
            }
            (ChatRole::User, _) => "user",
            (ChatRole::Assistant, _) => "assistant",
        };
        let mut content = Cow::Borrowed(message.content.as_str());
        if message.role == ChatRole::User && !pending_texts.is_empty() {
            pending_texts.push(&message.content);
            content = Cow::Owned(pending_texts.join("\n\n"));
            pending_texts.clear();
        }
        sent_messages.push(SentMessage { content, role });
    }
    if !pending_texts.is_empty() {
        sent_messages.push(SentMessage {
            content: Cow::Owned(pending_texts.join("\n\n")),
            role: "user",
        });
    }
    sent_messages
}
