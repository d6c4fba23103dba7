//! What a server means when it refuses. Pure.
//!
//! The status alone does not say it: proxies put the errors of those behind them into statuses of
//! their own, and exhausted accounts come as 400, 402 or 429. [`MEANINGS`] holds the words in use.

use serde_json::Value;

use super::error::CallErrorKind;

/// Words by which one kind of refusal is recognised, all in lower case.
struct Meaning {
    kind: CallErrorKind,
    /// In an error's code or type.
    codes: &'static [&'static str],
    /// In its message.
    words: &'static [&'static str],
}

/// What refusals mean, the more telling first: a proxy calls whatever it wraps a bad request.
const MEANINGS: [Meaning; 5] = [
    Meaning {
        kind: CallErrorKind::ContentFilter,
        codes: &[
            "content_filter",
            "content_policy",
            "responsibleaipolicy",
            "moderation",
            "safety",
        ],
        words: &[
            "content management policy",
            "content policy",
            "flagged by moderation",
            "contentpolicyviolationerror",
        ],
    },
    Meaning {
        kind: CallErrorKind::ContextLength,
        codes: &["context_length", "exceed_context_size"],
        words: &[
            "context_length",
            "exceed_context_size",
            "maximum context length",
            "available context size",
            "context size has been exceeded",
            "exceed context window",
            "exceed context limit",
            "contextwindowexceedederror",
            "prompt is too long",
            "input is too long",
            "input token count",
            "longer than the maximum model length",
            // What is left of the context for the reply.
            "max_tokens must be at least 1, got -",
        ],
    },
    Meaning {
        kind: CallErrorKind::Quota,
        codes: &[
            "insufficient_quota",
            "billing_hard_limit",
            "insufficient_balance",
            "budget_exceeded",
        ],
        words: &[
            "insufficient_quota",
            "insufficient balance",
            "insufficient credits",
            "credit balance is too low",
            "requires more credits",
            "budget has been exceeded",
            "key limit exceeded",
            "specified api usage limits",
        ],
    },
    Meaning {
        kind: CallErrorKind::Auth,
        codes: &[
            "invalid_api_key",
            "authentication_error",
            "auth_error",
            "unauthenticated",
            "unauthorized",
        ],
        words: &[
            "authenticationerror",
            "authentication error",
            "incorrect api key",
            "invalid api key",
            "api key not valid",
            "no auth credentials",
            "invalid subscription key",
        ],
    },
    Meaning {
        kind: CallErrorKind::RateLimited {
            retry_after_ms: None,
        },
        codes: &["rate_limit", "ratelimit", "too_many_requests"],
        words: &[
            "ratelimiterror",
            "rate limit reached",
            "rate limit exceeded",
        ],
    },
];

/// Said of an account that is used up, and by some of one that asked too much in a minute: these name
/// a wait.
const PERHAPS_QUOTA: &str = "exceeded your current quota";
/// Words by which a message names a wait.
const WAIT: [&str; 2] = ["retry in", "retrydelay"];

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
    let Some(said) = parsed.as_ref().and_then(said) else {
        return (plain(status, retry_after_ms), body.to_owned());
    };
    let by_words = meaning(&said, retry_after_ms);
    // A proxy's own status says less than the one that it was given, where it tells that.
    let inner = said.status.filter(|_| matches!(status, 400 | 500));
    let inner = inner.filter(|inner| matches!(inner, 401..=403 | 429));
    let kind = by_words.unwrap_or_else(|| plain(inner.unwrap_or(status), retry_after_ms));
    (kind, said.message)
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
    let kind = meaning(&said, None)
        .or_else(|| by_code.map(|status| plain(status, None)))
        .unwrap_or(CallErrorKind::ErrorInStream);
    Some((kind, said.message))
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

fn meaning(said: &Said, retry_after_ms: Option<u64>) -> Option<CallErrorKind> {
    let message = said.message.to_lowercase();
    let names_a_wait = retry_after_ms.is_some() || WAIT.iter().any(|word| message.contains(word));
    if message.contains(PERHAPS_QUOTA) && !names_a_wait {
        return Some(CallErrorKind::Quota);
    }
    let found = MEANINGS.iter().find(|meaning| {
        let by_code = meaning.codes.iter().any(|code| said.code.contains(code));
        by_code || meaning.words.iter().any(|words| message.contains(words))
    })?;
    Some(match &found.kind {
        CallErrorKind::RateLimited { .. } => CallErrorKind::RateLimited { retry_after_ms },
        kind => kind.clone(),
    })
}

/// Reads the shapes in use: `{"error":{…}}`, `{"error":"…"}`, `{"detail":…}`, the fields at the top,
/// or one of these in a list; with what a router hands on from the server behind it.
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
    let codes = [
        word("code"),
        word("type"),
        word("status"),
        inner.map(str::to_owned),
    ];
    let mut message = word("message").unwrap_or_else(|| error.to_string());
    if let Some(raw) = error.pointer("/metadata/raw").and_then(Value::as_str) {
        message = format!("{message}: {raw}");
    }
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
