//! A request, and the face that every model has.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::body::{self, Api, Dialect};
use super::{CallError, Hint, Reply};

/// A boxed future, as object-safe async methods return it.
pub type BoxFuture<'a, T> = futures_util::future::BoxFuture<'a, T>;

/// Who a message is from, in the terms of the chat API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions.
    System,
    /// What the model answers to.
    User,
    /// What the model said before.
    Assistant,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who it is from.
    pub role: Role,
    /// Its text.
    pub content: String,
}

/// How the model draws its reply; what is absent is left to the server.
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
    /// How many of the likeliest tokens the server is to name for each place, with their
    /// probabilities; nothing is asked about probabilities where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_logprobs: Option<u8>,
    /// What the chat template of the server is told beside the messages; servers such as vLLM, SGLang
    /// and llama.cpp hand it on, others pass it over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_template_kwargs: Option<Map<String, Value>>,
}

impl Sampling {
    /// Counts the bytes that the chat template is told.
    pub(super) fn template_bytes(&self) -> usize {
        let told = self.chat_template_kwargs.as_ref();
        told.and_then(|told| serde_json::to_string(told).ok())
            .map_or(0, |told| told.len())
    }

    /// Takes each value from `self`, and where `self` has none from `defaults`.
    pub fn or(&self, defaults: &Sampling) -> Sampling {
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

/// One call to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The name sent to the server.
    pub model: String,
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// How the reply is drawn.
    pub sampling: Sampling,
    /// The JSON Schema that the reply is to satisfy, if it is to be JSON.
    pub schema: Option<serde_json::Value>,
    /// How this server wants its parameters.
    pub dialect: Dialect,
    /// Which of several samples of the same request this is, from 0. Not sent.
    pub sample: u32,
    /// What the simulated and recorded models are told beside the messages. Not sent.
    pub hint: Hint,
}

impl Request {
    /// Renders the JSON body that is sent, without the two fields that only choose the transport
    /// (`stream`, `stream_options`).
    pub fn body(&self) -> serde_json::Value {
        // Texts, numbers and lists of them are JSON whatever they hold.
        match self.dialect.api {
            Api::Chat => serde_json::to_value(body::plain(self)),
            Api::Moderation => serde_json::to_value(body::moderated(self)),
        }
        .unwrap_or_default()
    }

    /// Hashes [`Request::body`]: SHA-256 of its compact JSON with sorted keys, in lower-case hex.
    ///
    /// Hint and sample index are no part of it.
    pub fn sha256(&self) -> String {
        let body = match self.dialect.api {
            Api::Chat => serde_json::to_vec(&body::plain(self)),
            Api::Moderation => serde_json::to_vec(&body::moderated(self)),
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

    /// Counts the characters of all messages, of the schema and of what the chat template is told.
    pub(super) fn input_chars(&self) -> u64 {
        let messages: usize = self
            .messages
            .iter()
            .map(|message| message.content.chars().count())
            .sum();
        let schema = self
            .schema
            .as_ref()
            .map_or(0, |schema| schema.to_string().chars().count());
        (messages + schema + self.sampling.template_bytes()) as u64
    }
}

/// A piece of a reply as it arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delta<'a> {
    /// More public text.
    Public(&'a str),
    /// More private reasoning.
    Thinking(&'a str),
    /// All public text so far was private reasoning: its closing tag arrived without an opening one.
    PublicWasThinking,
}

/// Is told about a call while it goes on.
///
/// What it sees is provisional: only the returned [`Reply`] counts.
pub trait Watch: Send + Sync {
    /// Receives the next piece.
    fn delta(&self, delta: Delta<'_>);
    /// Learns that the pieces so far are void and the call is made again: for the `retry`th time
    /// (from 1), because of `why`, after `wait_ms`.
    fn retrying(&self, retry: u32, why: &CallError, wait_ms: u64);

    /// Says whether the call may still be sent, now that there is a place for it: it may have waited
    /// for minutes.
    fn may_send(&self) -> bool {
        true
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoWatch;

impl Watch for NoWatch {
    fn delta(&self, _delta: Delta<'_>) {}
    fn retrying(&self, _retry: u32, _why: &CallError, _wait_ms: u64) {}
}

/// Something that answers requests.
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

    /// Whether replies are simulated and must be marked so wherever they are shown.
    fn simulated(&self) -> bool;

    /// Returns the reply to a request where it is there without asking anybody, marked as cached: it
    /// costs nothing.
    fn kept(&self, _request: &Request) -> Option<Reply> {
        None
    }
}
