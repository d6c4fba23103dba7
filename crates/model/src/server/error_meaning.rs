//! Classification of servers' errors: kind of failure from HTTP status, error code and message.
//! Pure.
//!
//! The status alone is not enough: proxies put the errors of the servers behind them into statuses
//! of their own, and exhausted accounts come as 400, 402 or 429. [`ERROR_PATTERNS`] holds the words
//! in use.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::policy_refusal::{block_reason, is_policy_refusal};
use super::too_long;
use crate::embedded_table::parse_embedded_table;
use crate::error::CallErrorKind;

/// The embedded `error_patterns.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorPatterns {
    patterns: Vec<ErrorPattern>,
    /// Words of a limit for a day or longer.
    per_day: Vec<String>,
    /// Words while a model is made ready, and those of a failure of it.
    loading: Vec<String>,
    not_loading: Vec<String>,
}

/// Words by which one kind of refusal is recognised, all in lower case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorPattern {
    kind: PatternKind,
    /// In an error's code or type.
    codes: Vec<String>,
    /// In its message.
    words: Vec<String>,
    /// In its message, if the status is 403.
    #[serde(default)]
    forbidden: Vec<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PatternKind {
    ContextLength,
    Quota,
    Auth,
    RateLimited,
}

static ERROR_PATTERNS: LazyLock<ErrorPatterns> =
    LazyLock::new(|| parse_embedded_table(include_str!("error_patterns.toml")));

/// Message about an exhausted account, used by some servers also for a rate limit, which then comes
/// with a wait.
const MAYBE_QUOTA: &str = "exceeded your current quota";
/// Words by which a message names a wait.
const WAIT_WORDS: [&str; 2] = ["retry in", "retrydelay"];
/// A wait that no call outlasts: who asks for it is asked again when the run is resumed.
const LONG_WAIT_MS: u64 = 3_600_000;
/// The longest time that a server may estimate for loading its model.
const MAX_LOADING_MS: f64 = 3_600_000.0;

/// An error object.
#[derive(Debug, Default)]
struct ServerError {
    /// Code and type, lower case.
    code: String,
    message: String,
    /// A code that is a number.
    status: Option<u16>,
    /// The time that the server estimates for loading its model.
    estimated_ms: Option<u64>,
    /// All of it, lower case.
    whole: String,
}

/// Classifies a response with an HTTP error status; returns the kind and the server's message.
pub(super) fn from_status(
    status: u16,
    retry_after_ms: Option<u64>,
    body: &str,
) -> (CallErrorKind, String) {
    if body.trim_start().starts_with('<') {
        // A page of something before the server, whose words are not the server's.
        return (kind_by_status(status, retry_after_ms), body.to_owned());
    }
    let json: Option<Value> = serde_json::from_str(body).ok();
    let server_error = json.as_ref().and_then(read_error);
    let server_error = server_error.unwrap_or_else(|| ServerError {
        message: body.to_owned(),
        whole: body.to_lowercase(),
        ..ServerError::default()
    });
    if let Some(busy_kind) = loading_kind(status, retry_after_ms, &server_error) {
        return (busy_kind, server_error.message);
    }
    let by_words = kind_by_words(Some(status), &server_error, retry_after_ms);
    // The status of the server behind a proxy says more than the proxy's own.
    let inner = server_error.status.filter(|_| matches!(status, 400 | 500));
    let inner = inner.filter(|inner| matches!(inner, 401..=403 | 429));
    let kind = by_words.unwrap_or_else(|| kind_by_status(inner.unwrap_or(status), retry_after_ms));
    (
        convert_daily_limit(kind, &server_error.whole),
        server_error.message,
    )
}

/// Returns the error that an event reports within a reply that began with status 200.
pub(super) fn from_event(event: &Value) -> Option<(CallErrorKind, String)> {
    if let Some(reason) = block_reason(event) {
        return Some((CallErrorKind::ContentFilter, format!("blocked: {reason}")));
    }
    let event = find_reported_error(event)?;
    let server_error = read_error(event).unwrap_or_default();
    let by_code = server_error
        .status
        .filter(|status| (400..600).contains(status));
    let kind = loading_kind(by_code.unwrap_or(503), None, &server_error)
        .or_else(|| kind_by_words(by_code, &server_error, None))
        .or_else(|| by_code.map(|status| kind_by_status(status, None)))
        .unwrap_or(CallErrorKind::ErrorInStream);
    Some((
        convert_daily_limit(kind, &server_error.whole),
        server_error.message,
    ))
}

/// Returns the part of an event that reports an error: the event, its choice, or the result that some
/// servers put beside the choices.
fn find_reported_error(event: &Value) -> Option<&Value> {
    let reports = |value: &Value| value.get("error").is_some_and(|error| !error.is_null());
    let is_error = event.get("object").is_some_and(|object| object == "error");
    if is_error || reports(event) {
        return Some(event);
    }
    if let Some(choice) = event.pointer("/choices/0").filter(|choice| reports(choice)) {
        return Some(choice);
    }
    if let Some(error) = event.pointer("/Response/Error") {
        return Some(error);
    }
    let is_fault = |name: &str, value: &Value| {
        let code = value.get(name).and_then(Value::as_i64);
        code.is_some_and(|code| code != 0)
    };
    if is_fault("error_code", event) {
        return Some(event);
    }
    let result = event.get("base_resp")?;
    is_fault("status_code", result).then_some(result)
}

fn kind_by_status(status: u16, retry_after_ms: Option<u64>) -> CallErrorKind {
    match (status, retry_after_ms) {
        (401, _) => CallErrorKind::Auth,
        (402, _) => CallErrorKind::Quota,
        (429, retry_after_ms) => CallErrorKind::RateLimited { retry_after_ms },
        (500..=599, Some(retry_after_ms)) => CallErrorKind::Busy {
            retry_after_ms,
            is_loading: false,
        },
        (status, _) => CallErrorKind::Status(status),
    }
}

/// Returns the kind of an error that says that the model is being loaded.
fn loading_kind(
    status: u16,
    retry_after_ms: Option<u64>,
    server_error: &ServerError,
) -> Option<CallErrorKind> {
    let message = server_error.message.to_lowercase();
    let has = |list: &[String]| list.iter().any(|word| message.contains(word));
    let may_pass = matches!(status, 409 | 425 | 429 | 500..=599);
    let is_loading = may_pass && has(&ERROR_PATTERNS.loading) && !has(&ERROR_PATTERNS.not_loading);
    is_loading.then(|| CallErrorKind::Busy {
        retry_after_ms: retry_after_ms.or(server_error.estimated_ms).unwrap_or(0),
        is_loading,
    })
}

/// Turns a refusal of one call too many into that of a used-up account, where the limit is for a day or
/// longer; `whole` is the error in lower case.
fn convert_daily_limit(kind: CallErrorKind, whole: &str) -> CallErrorKind {
    let CallErrorKind::RateLimited { retry_after_ms } = kind else {
        return kind;
    };
    let is_long = retry_after_ms.is_some_and(|wait| wait > LONG_WAIT_MS);
    match is_long
        || ERROR_PATTERNS
            .per_day
            .iter()
            .any(|word| whole.contains(word))
    {
        true => CallErrorKind::Quota,
        false => CallErrorKind::RateLimited { retry_after_ms },
    }
}

fn kind_by_words(
    status: Option<u16>,
    server_error: &ServerError,
    retry_after_ms: Option<u64>,
) -> Option<CallErrorKind> {
    if is_policy_refusal(status, &server_error.code, &server_error.message) {
        return Some(CallErrorKind::ContentFilter);
    }
    let message = server_error.message.to_lowercase();
    let is_forbidden = status == Some(403) || server_error.status == Some(403);
    let names_a_wait =
        retry_after_ms.is_some() || WAIT_WORDS.iter().any(|word| message.contains(word));
    if message.contains(MAYBE_QUOTA) && !names_a_wait {
        return Some(CallErrorKind::Quota);
    }
    let error_pattern = ERROR_PATTERNS.patterns.iter().find(|pattern| {
        let in_code = |code: &String| server_error.code.contains(code);
        let in_message = |words: &String| message.contains(words);
        let by_pattern =
            matches!(pattern.kind, PatternKind::ContextLength) && too_long::is_too_long(&message);
        pattern.codes.iter().any(in_code)
            || pattern.words.iter().any(in_message)
            || by_pattern
            || (is_forbidden && pattern.forbidden.iter().any(in_message))
    })?;
    Some(match error_pattern.kind {
        PatternKind::ContextLength => CallErrorKind::ContextLength,
        PatternKind::Quota => CallErrorKind::Quota,
        PatternKind::Auth => CallErrorKind::Auth,
        PatternKind::RateLimited => CallErrorKind::RateLimited { retry_after_ms },
    })
}

/// Reads the shapes in use: `{"error":{…}}`, `{"error":"…"}`, `{"detail":…}`, the fields at the top
/// level, or one of these in a list; along with the error that a router passes on.
fn read_error(value: &Value) -> Option<ServerError> {
    let value = match value {
        Value::Array(items) => items.first()?,
        other => other,
    };
    let error = value.get("error").filter(|error| !error.is_null());
    let error = error.or_else(|| value.get("detail")).unwrap_or(value);
    let error = match error {
        Value::Array(errors) => errors.first().unwrap_or(error),
        other => other,
    };
    if let Value::String(message) = error {
        let code = value.get("code").and_then(Value::as_str);
        return Some(ServerError {
            message: message.clone(),
            code: code.unwrap_or_default().to_lowercase(),
            estimated_ms: read_estimated_ms(value),
            whole: value.to_string().to_lowercase(),
            ..ServerError::default()
        });
    }
    let error = match error.get("errors").and_then(Value::as_array) {
        Some(errors) if error.get("message").is_none() => errors.first().unwrap_or(error),
        Some(_) | None => error,
    };
    // Some spell the names of fields with a capital.
    let fields = error.as_object();
    let word = |name: &str| {
        let mut candidates = fields.into_iter().flatten();
        let (_, value) = candidates.find(|(field, _)| field.eq_ignore_ascii_case(name))?;
        value.as_str().map(str::to_owned)
    };
    let code = error.get("code");
    let number = code
        .and_then(Value::as_u64)
        .or_else(|| code?.as_str()?.parse().ok());
    let inner = error.pointer("/innererror/code").and_then(Value::as_str);
    let own_number = ["code", "status_code", "error_code"];
    let own_number = own_number
        .iter()
        .find_map(|name| error.get(*name)?.as_u64());
    let codes = [
        word("code"),
        word("type"),
        word("status"),
        word("error_type"),
        inner.map(str::to_owned),
        own_number.map(|number| number.to_string()),
    ];
    let messages = [
        "message",
        "msg",
        "error_msg",
        "status_msg",
        "error_message",
        "detail",
    ];
    let message = messages.iter().find_map(|name| word(name));
    let mut message = message.unwrap_or_else(|| error.to_string());
    if let Some(raw) = error.pointer("/metadata/raw").and_then(Value::as_str) {
        message = format!("{message}: {raw}");
    }
    Some(ServerError {
        code: codes
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase(),
        message,
        status: number.and_then(|number| u16::try_from(number).ok()),
        estimated_ms: read_estimated_ms(value),
        whole: value.to_string().to_lowercase(),
    })
}

fn read_estimated_ms(value: &Value) -> Option<u64> {
    let seconds = value.get("estimated_time")?.as_f64()?;
    let wait_ms = seconds * 1000.0;
    // A cast of a float saturates.
    (0.0..=MAX_LOADING_MS)
        .contains(&wait_ms)
        .then_some(wait_ms as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_error_patterns_parse() {
        assert_eq!(ERROR_PATTERNS.patterns.len(), 4);
    }
}
