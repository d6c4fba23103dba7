//! Replies as journals record them: text, finish reason, cost and request settings.

use super::recorded::Recorded;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A reply of a model or a person.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Reply {
    /// Public text.
    pub text: String,
    /// Private reasoning of the model, shown to no other seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    #[serde(default)]
    pub finish: Finish,
    #[serde(default)]
    pub usage: Usage,
    /// `None` when the model has no prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(default)]
    pub latency_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token_ms: Option<u64>,
    /// The model's name as returned by the server.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// Sampling settings of the request.
    #[serde(default, skip_serializing_if = "Recorded::is_default")]
    pub sampling: Recorded<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Served from the reply cache without cost.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// Probabilities of the first token, where they were requested and returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token: Option<FirstToken>,
    /// The token that ended the text, which is no part of it; never set by earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_token: Option<String>,
    /// An unknown mark that the text begins with, or a control token in it; never set by earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_mark: Option<String>,
    /// Request settings that were not sent because the server rejects them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Request settings sent under another name or value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sent_as: BTreeMap<String, String>,
    /// The reply is empty and is requested once more; never set by earlier versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ask_again: bool,
    /// The token limit was spent before a visible word, so that the same request would come to the same;
    /// never set by earlier versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_tokens: bool,
    /// API variant of the request, unless it was the plain chat API.
    #[serde(default, skip_serializing_if = "Recorded::is_default")]
    pub dialect: Recorded<Value>,
}

/// Parts of a request that change nothing of what a model says.
const SILENT_PARTS: [&str; 3] = ["stream", "stream_options", "logprobs"];

impl Reply {
    /// Names what the model was asked otherwise than configured and changes what it says, because its
    /// server refuses it or has no room for it: `no seed`, `another limit`.
    pub fn list_request_changes(&self) -> Vec<String> {
        if self.left_out.is_empty() && self.sent_as.is_empty() {
            return Vec::new();
        }
        let dialect = self.dialect.decode();
        let dropped_params = dialect.get("drop_params").and_then(Value::as_array);
        let is_configured =
            |part: &str| dropped_params.is_some_and(|parts| parts.iter().any(|one| one == part));
        let left_out = (self.left_out.iter())
            .filter(|part| !SILENT_PARTS.contains(&part.as_str()) && !is_configured(part))
            .map(|part| format!("no {}", part.replace('_', " ")));
        let sent_as = self
            .sent_as
            .iter()
            .filter_map(|(part, sent)| match part.as_str() {
                // Another name alone is the same limit.
                "max_tokens" => {
                    let value = sent.rsplit(' ').next().unwrap_or_default();
                    value
                        .parse::<u64>()
                        .is_ok()
                        .then(|| "another limit".to_owned())
                }
                "system" if sent == "user" && !is_configured("system") => {
                    Some("no system role".to_owned())
                }
                _ => None,
            });
        left_out.chain(sent_as).collect()
    }
}

/// The first non-blank token of a reply with its alternatives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FirstToken {
    pub token: String,
    /// From 0 to 1.
    pub probability: f64,
    /// Other tokens with their probabilities, as far as the server lists them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<(String, f64)>,
}

/// Finish reason of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    #[default]
    Stop,
    /// Cut at the token limit.
    Length,
    Other(String),
}

/// The finish reason that is recorded where a server gives none.
pub const UNSTATED_FINISH: &str = "unstated";

/// Cause of a reply that could not be parsed, where it is not the judge alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnparsedCause {
    /// What the reply states also stands in what is judged, and might be quoted from there.
    Material,
}

/// Token counts of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Estimated, because the server gave no counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// The server's own counts, where they are not possible: then the others are the nearest possible
    /// ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<ClaimedTokens>,
    /// Tokens of the request by estimate, where the server says that it read far fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_tokens: Option<u64>,
}

/// A request of which its server read a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShortRead {
    /// By estimate.
    pub sent_tokens: u64,
    pub read_tokens: u64,
}

/// Counts that a server returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ClaimedTokens {
    pub input_tokens: u64,
    pub output_tokens: u64,
}

impl Usage {
    /// Returns how many tokens of the request its server says it read, where that is far fewer than were
    /// sent.
    pub fn short_read(&self) -> Option<ShortRead> {
        let claimed_tokens = self
            .claimed
            .map_or(self.input_tokens, |claimed| claimed.input_tokens);
        Some(ShortRead {
            sent_tokens: self.sent_tokens?,
            read_tokens: claimed_tokens,
        })
    }

    /// Says what the server claimed instead of what is counted, if it did.
    pub fn describe_disagreement(&self) -> Option<String> {
        let ClaimedTokens {
            input_tokens,
            output_tokens,
        } = self.claimed?;
        Some(format!(
            "the server claims {input_tokens} + {output_tokens} tokens, which cannot be; {} + {} are \
             counted",
            self.input_tokens, self.output_tokens
        ))
    }
}
