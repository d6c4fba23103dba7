//! Requests, and the trait that every model implements.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::dialect::{Api, Dialect};
use super::request_body;
use super::{BatchServer, CallContext, CallError, Reply, Usage};

/// A boxed future, as object-safe async methods return it.
pub type BoxFuture<'a, T> = futures_util::future::BoxFuture<'a, T>;

/// Author of a message, in the terms of the chat API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatRole {
    /// Instructions.
    System,
    /// The side that the model replies to.
    User,
    /// Earlier replies of the model.
    Assistant,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The author.
    pub role: ChatRole,
    /// Its text.
    pub content: String,
}

/// Sampling parameters; absent ones are left to the server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sampling {
    /// Temperature, 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus mass, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// The most tokens of a reply, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// The server's sampling seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Texts at which the reply ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Number of likeliest tokens for which the server is to return probabilities; absent, no
    /// probabilities are requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_logprobs: Option<u8>,
    /// Arguments for the server's chat template; servers such as vLLM, SGLang and llama.cpp pass
    /// them on, others ignore them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_template_kwargs: Option<Map<String, Value>>,
}

impl Sampling {
    /// Returns the size of the chat template's arguments as JSON, in bytes.
    pub(super) fn template_bytes(&self) -> usize {
        let template_arguments = self.chat_template_kwargs.as_ref();
        template_arguments
            .and_then(|told| serde_json::to_string(told).ok())
            .map_or(0, |told| told.len())
    }

    /// Returns each value of `self`, or that of `defaults` where `self` has none.
    pub fn with_defaults(&self, defaults: &Sampling) -> Sampling {
        Sampling {
            temperature: self.temperature.or(defaults.temperature),
            top_p: self.top_p.or(defaults.top_p),
            max_tokens: self.max_tokens.or(defaults.max_tokens),
            seed: self.seed.or(defaults.seed),
            top_logprobs: self.top_logprobs.or(defaults.top_logprobs),
            chat_template_kwargs: (self.chat_template_kwargs.as_ref())
                .or(defaults.chat_template_kwargs.as_ref())
                .cloned(),
            stop: if self.stop.is_empty() {
                defaults.stop.clone()
            } else {
                self.stop.clone()
            },
        }
    }
}

/// Form that a server holds a reply to while it is written.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplyForm {
    /// A JSON Schema, sent as `response_format`.
    Schema(serde_json::Value),
    /// A grammar in llama.cpp's notation (GBNF), sent as `grammar`.
    Grammar(String),
}

impl ReplyForm {
    /// Returns the schema, if it is one.
    pub fn as_schema(&self) -> Option<&serde_json::Value> {
        match self {
            ReplyForm::Schema(schema) => Some(schema),
            ReplyForm::Grammar(_) => None,
        }
    }

    /// Returns what is sent of it.
    pub fn to_text(&self) -> String {
        match self {
            ReplyForm::Schema(schema) => schema.to_string(),
            ReplyForm::Grammar(grammar) => grammar.clone(),
        }
    }
}

/// One call to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The name sent to the server.
    pub model: String,
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// Sampling parameters.
    pub sampling: Sampling,
    /// The form that the server is to hold the reply to.
    pub form: Option<ReplyForm>,
    /// The server's dialect.
    pub dialect: Dialect,
    /// Index of this sample among several of the same request, from 0. Not sent.
    pub sample: u32,
    /// Context for the simulated and recorded models. Not sent.
    pub context: CallContext,
}

impl Request {
    /// Returns the JSON body, without the two fields that only choose the transport (`stream`,
    /// `stream_options`).
    pub fn build_body(&self) -> serde_json::Value {
        // Texts, numbers and lists of them can always be serialised.
        match self.dialect.api {
            Api::Chat => serde_json::to_value(request_body::build_canonical_body(self)),
            Api::Moderation => serde_json::to_value(request_body::build_moderation_body(self)),
            Api::Embedding => serde_json::to_value(request_body::build_embedding_body(self)),
        }
        .unwrap_or_default()
    }

    /// Returns the SHA-256 of [`Request::build_body`] as compact JSON with sorted keys (those that the
    /// configuration adds last), in lower-case hex.
    ///
    /// Context and sample index are not part of it.
    pub fn compute_sha256(&self) -> String {
        let body = match self.dialect.api {
            Api::Chat => serde_json::to_vec(&request_body::build_canonical_body(self)),
            Api::Moderation => serde_json::to_vec(&request_body::build_moderation_body(self)),
            Api::Embedding => serde_json::to_vec(&request_body::build_embedding_body(self)),
        }
        .unwrap_or_default();
        let digest = Sha256::digest(&body);
        let mut hex = String::with_capacity(digest.len() * 2);
        for byte in digest {
            // Writing into a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
        }
        hex
    }

    /// Counts the characters of all messages, of the schema and of the chat template's arguments.
    pub(super) fn input_chars(&self) -> u64 {
        let messages: usize = self
            .messages
            .iter()
            .map(|message| message.content.chars().count())
            .sum();
        let form = self
            .form
            .as_ref()
            .map_or(0, |form| form.to_text().chars().count());
        (messages + form + self.sampling.template_bytes()) as u64
    }
}

/// A piece of a reply as it arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delta<'a> {
    /// More public text.
    Public(&'a str),
    /// More private reasoning.
    Thinking(&'a str),
    /// All public text so far was private reasoning: a closing tag arrived without an opening one.
    PublicWasThinking,
}

/// Observer of a call in progress.
///
/// The pieces it receives are provisional: only the returned [`Reply`] counts.
pub trait Watch: Send + Sync {
    /// Receives the next piece.
    fn on_delta(&self, delta: Delta<'_>);
    /// Receives the usage that the server reported so far. Ignored unless implemented.
    fn on_usage(&self, _usage: Usage) {}
    /// Returns the pieces so far are void and the call is repeated: for the `retry`th time (from
    /// 1), because of `why`, after `wait_ms`.
    fn on_retry(&self, retry: u32, why: &CallError, wait_ms: u64);

    /// Returns whether the call may still be sent, once there is a permit for it: it may have
    /// waited for minutes.
    fn may_send(&self) -> bool {
        true
    }

    /// Returns whether the reply may be this many tokens longer than the request's limit, because the
    /// server takes no lower one. A watcher that refuses cancels the call.
    fn may_reply_longer(&self, _by_tokens: u32) -> bool {
        true
    }
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoWatch;

impl Watch for NoWatch {
    fn on_delta(&self, _delta: Delta<'_>) {}
    fn on_retry(&self, _retry: u32, _why: &CallError, _wait_ms: u64) {}
}

/// A language model.
pub trait Model: Send + Sync {
    /// Answers one request.
    ///
    /// Ends soon after `cancel` with [`Cancelled`](super::CallErrorKind::Cancelled); dropping the
    /// future cancels as well.
    fn complete<'a>(
        &'a self,
        request: &'a Request,
        watch: &'a dyn Watch,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, CallError>>;

    /// Returns whether replies are simulated and must be marked so wherever they are shown.
    fn is_simulated(&self) -> bool;

    /// Returns the server that could be asked by a batch file instead; none where no server is asked.
    fn batch_server(&self) -> Option<&dyn BatchServer> {
        None
    }

    /// Returns the cached reply to a request, if there is one, without calling a server; it costs
    /// nothing.
    fn find_cached_reply(&self, _request: &Request) -> Option<Reply> {
        None
    }
}
