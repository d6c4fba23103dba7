//! What a server means when it refuses. Pure.

use serde_json::Value;

use super::error::{CallError, CallErrorKind};

/// Words in an error's code or type that mean the content policy.
const POLICY_CODES: [&str; 5] = [
    "content_filter",
    "content_policy",
    "responsibleaipolicy",
    "moderation",
    "safety",
];
/// Words in an error's message that mean the content policy.
const POLICY_WORDS: [&str; 3] = [
    "content management policy",
    "content policy",
    "flagged by moderation",
];
/// Words that mean a request too long for the context.
const CONTEXT_WORDS: [&str; 4] = [
    "context_length",
    "exceed_context_size",
    "maximum context length",
    "available context size",
];
const QUOTA_CODES: [&str; 2] = ["insufficient_quota", "billing_hard_limit"];

/// What an error object says.
#[derive(Debug, Default)]
struct Said {
    /// Code and type, lower case.
    code: String,
    message: String,
    /// A code that is a number.
    status: Option<u16>,
}

/// Reads a refusal with an HTTP status; returns what it means and the server's words.
pub(super) fn by_status(
    status: u16,
    retry_after_ms: Option<u64>,
    body: &str,
) -> (CallErrorKind, String) {
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    let said = parsed.as_ref().and_then(said);
    let (meaning, words) = match said {
        Some(said) => (meaning(&said), said.message),
        None => (None, body.to_owned()),
    };
    let kind = meaning.unwrap_or_else(|| plain(status, retry_after_ms));
    (kind, words)
}

/// Finds an error reported by an event of a reply that began with status 200.
pub(super) fn in_stream(event: &Value) -> Option<(CallErrorKind, String)> {
    let reports = event.get("error").is_some_and(|error| !error.is_null());
    let is_error = event.get("object").is_some_and(|object| object == "error");
    if !reports && !is_error {
        return None;
    }
    let said = said(event).unwrap_or_default();
    let by_code = said.status.filter(|status| (400..600).contains(status));
    let kind = meaning(&said)
        .or_else(|| by_code.map(|status| plain(status, None)))
        .unwrap_or_else(|| {
            if said.code.contains("rate_limit") {
                plain(429, None)
            } else {
                CallErrorKind::ErrorInStream
            }
        });
    Some((kind, said.message))
}

/// Whether a server refused because it was asked about probabilities.
pub(super) fn is_about_logprobs(error: &CallError) -> bool {
    let refused = matches!(error.kind, CallErrorKind::Status(400 | 422));
    refused && error.detail.contains("logprobs")
}

/// Whether a server refused because it was asked to count tokens.
pub(super) fn is_about_stream_options(error: &CallError) -> bool {
    let refused = matches!(error.kind, CallErrorKind::Status(400 | 422));
    refused && error.detail.contains("stream_options")
}

fn plain(status: u16, retry_after_ms: Option<u64>) -> CallErrorKind {
    match (status, retry_after_ms) {
        (401 | 403, _) => CallErrorKind::Auth,
        (402, _) => CallErrorKind::Quota,
        (429, retry_after_ms) => CallErrorKind::RateLimited { retry_after_ms },
        (500..=599, Some(retry_after_ms)) => CallErrorKind::Busy { retry_after_ms },
        (status, _) => CallErrorKind::Status(status),
    }
}

fn meaning(said: &Said) -> Option<CallErrorKind> {
    let message = said.message.to_lowercase();
    let code_has = |words: &[&str]| words.iter().any(|word| said.code.contains(word));
    let message_has = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if code_has(&POLICY_CODES) || message_has(&POLICY_WORDS) {
        return Some(CallErrorKind::ContentFilter);
    }
    if code_has(&CONTEXT_WORDS) || message_has(&CONTEXT_WORDS) {
        return Some(CallErrorKind::ContextLength);
    }
    if code_has(&QUOTA_CODES) {
        return Some(CallErrorKind::Quota);
    }
    None
}

/// Reads the shapes in use: `{"error":{…}}`, `{"error":"…"}`, `{"detail":…}`, the fields at the top,
/// or one of these in a list.
fn said(value: &Value) -> Option<Said> {
    let value = match value {
        Value::Array(items) => items.first()?,
        other => other,
    };
    let error = value.get("error").filter(|error| !error.is_null());
    let error = error.or_else(|| value.get("detail")).unwrap_or(value);
    if let Value::String(message) = error {
        return Some(Said {
            message: message.clone(),
            ..Said::default()
        });
    }
    let word = |name: &str| match error.get(name) {
        Some(Value::String(word)) => Some(word.clone()),
        Some(_) | None => None,
    };
    let code = error.get("code");
    let number = code
        .and_then(Value::as_u64)
        .or_else(|| code?.as_str()?.parse().ok());
    let inner = error.pointer("/innererror/code").and_then(Value::as_str);
    let codes = [word("code"), word("type"), inner.map(str::to_owned)];
    let message = word("message").unwrap_or_else(|| error.to_string());
    Some(Said {
        code: codes
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase(),
        message,
        status: number.and_then(|number| u16::try_from(number).ok()),
    })
}
