//! Reply of a model, with usage and timing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One finished reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The public text; private reasoning is kept apart in `thinking`.
    pub text: String,
    /// Private reasoning, from think tags or a field of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// The reason that the text ends.
    pub finish: Finish,
    /// Tokens used.
    pub usage: Usage,
    /// The model's name as the server returned it; the requested name where it returned none.
    pub model: String,
    /// Milliseconds from sending the request that succeeded to its last byte; without retries and
    /// queueing.
    pub latency_ms: u64,
    /// Milliseconds from sending the request to the first text, private or public; `None` if not
    /// streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token_ms: Option<u64>,
    /// The server's id for the request, for asking its operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Whether this reply came from the reply cache; then it costs nothing.
    #[serde(default)]
    pub cached: bool,
    /// Probability of the reply's first token, where
    /// [`Sampling::top_logprobs`](super::Sampling::top_logprobs) asked for it and the server
    /// returns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token: Option<FirstToken>,
    /// The token that ended the text, as it was written; it is no part of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_token: Option<String>,
    /// A mark of unknown form that the public text begins with, or a control token that it holds: what
    /// the model thought may be in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_mark: Option<String>,
    /// Parameters that were not sent, because the settings say so or the server refuses them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Parameters that were sent under another name or with another value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sent_as: BTreeMap<String, String>,
    /// What the provider says that the call cost, in US dollars, where it came with a batch: those have
    /// prices of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_cost_usd: Option<f64>,
}

/// The first token of a reply that is not blank, with its alternatives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FirstToken {
    /// As the server wrote it.
    pub token: String,
    /// From 0 to 1.
    pub probability: f64,
    /// Other tokens with their probabilities, as far as the server names them.
    pub others: Vec<(String, f64)>,
}

/// Reason that a text ends.
///
/// A reply cut by a content filter is not one: it is
/// [`CallErrorKind::ContentFilter`](super::CallErrorKind::ContentFilter).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model was done, or came to a stop sequence.
    Stop,
    /// The token limit cut it.
    Length,
    /// The stream ended properly but without a reason.
    Unstated,
    /// A reason this program does not know, as the server wrote it.
    Other(String),
}

/// Tokens of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the reply, reasoning included.
    pub output_tokens: u64,
    /// Those of `output_tokens` that were reasoning, where the server says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// Those of `input_tokens` that the provider's prompt cache served, where the server says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// The source of the counts.
    pub counted: TokenSource,
    /// The server's own counts, where they are not possible: then the others are the nearest possible
    /// ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<ClaimedTokens>,
    /// Tokens of the request by estimate, where the server says that it read far fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_tokens: Option<u64>,
}

/// Counts that a server returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimedTokens {
    pub input_tokens: u64,
    pub output_tokens: u64,
}

/// Source of token counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenSource {
    /// The server.
    Server,
    /// This program: a quarter of the characters, where the server returned no usage.
    Estimated,
    /// The simulated model: a quarter of the characters, exact by definition.
    Simulated,
}

/// Characters that count as a token where a server returns no usage.
pub const CHARS_PER_TOKEN: u64 = 4;

impl Usage {
    /// Estimates usage from the characters of request and reply (private reasoning included).
    pub fn estimate(input_chars: u64, output_chars: u64, counted: TokenSource) -> Self {
        Self {
            input_tokens: input_chars.div_ceil(CHARS_PER_TOKEN),
            output_tokens: output_chars.div_ceil(CHARS_PER_TOKEN),
            reasoning_tokens: None,
            cached_tokens: None,
            counted,
            claimed: None,
            sent_tokens: None,
        }
    }
}
