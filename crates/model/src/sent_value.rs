//! Values of headers, of an address's query and of a body that a user's configuration adds to requests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::settings::SettingsError;

/// Headers that the transport sets.
const OWN_HEADERS: [&str; 8] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "transfer-encoding",
];
/// Fields of a body that make a request what it is, or that have a setting of their own.
const OWN_FIELDS: [&str; 18] = [
    "messages",
    "model",
    "prompt",
    "input",
    "n",
    "stream",
    "stream_options",
    "chat_template_kwargs",
    "response_format",
    "temperature",
    "top_p",
    "seed",
    "stop",
    "logprobs",
    "top_logprobs",
    "best_of",
    "num_return_sequences",
    "extra_body",
];
/// Fields that bound what a reply costs, at any depth.
const LIMITS: [&str; 12] = [
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "max_new_tokens",
    "max_gen_len",
    "max_length",
    "maxoutputtokens",
    "num_predict",
    "n_predict",
    "num_ctx",
    "num_return_sequences",
    "best_of",
];
/// The deepest nesting of a body's added fields.
const MAX_DEPTH: usize = 16;

/// A value, or the environment variable that holds it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SentValue {
    /// As it is sent.
    Plain(String),
    /// By the name of a variable: it is a key, which is recorded nowhere.
    Variable {
        /// The variable's name.
        env: String,
    },
}

impl std::fmt::Debug for SentValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // A header may hold a key as it is.
            Self::Plain(_) => f.write_str("Plain([hidden])"),
            Self::Variable { env } => write!(f, "Variable({})", super::mask_variable(env)),
        }
    }
}

impl SentValue {
    /// Returns the variable that holds it, where one does.
    pub fn variable_name(&self) -> Option<&str> {
        match self {
            Self::Plain(_) => None,
            Self::Variable { env } => Some(env),
        }
    }
}

/// Values by name.
pub type SentValues = BTreeMap<String, SentValue>;

/// Serialises the plain values alone: variables hold keys.
pub(super) fn serialize_plain<S: serde::Serializer>(
    values: &SentValues,
    to: S,
) -> Result<S::Ok, S::Error> {
    let plain = values
        .iter()
        .filter(|(_, value)| value.variable_name().is_none());
    to.collect_map(plain)
}

/// Returns whether no value is plain.
pub(super) fn none_is_plain(values: &SentValues) -> bool {
    values.values().all(|value| value.variable_name().is_some())
}

/// Refuses headers that the transport sets, and names that are none.
pub(super) fn check_headers_are_sendable(headers: &SentValues) -> Result<(), SettingsError> {
    for (name, value) in headers {
        let fault = |why| Err(SettingsError::new("headers", name, why));
        if reqwest::header::HeaderName::from_bytes(name.as_bytes()).is_err() {
            return fault("is no name of a header");
        }
        if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            return fault("is set by the program");
        }
        if let SentValue::Plain(value) = value
            && reqwest::header::HeaderValue::from_str(value).is_err()
        {
            return fault("has a value that cannot be sent");
        }
    }
    Ok(())
}

/// Refuses fields that make a request what it is, that bound what it costs, or that have a setting of
/// their own.
pub(super) fn check_body(body: &Map<String, Value>) -> Result<(), SettingsError> {
    for name in body.keys() {
        if OWN_FIELDS.contains(&name.to_ascii_lowercase().as_str()) {
            let why = "may not be set here; sampling, drop_params and the seats say it";
            return Err(SettingsError::new("extra_body", name, why));
        }
    }
    for value in body.iter() {
        check_limits(value, 0)?;
    }
    Ok(())
}

fn check_limits((name, value): (&String, &Value), depth: usize) -> Result<(), SettingsError> {
    if LIMITS.contains(&name.to_ascii_lowercase().as_str()) {
        let why = "may not be set here: it bounds what a reply costs; sampling says max_tokens";
        return Err(SettingsError::new("extra_body", name, why));
    }
    if depth > MAX_DEPTH {
        return Err(SettingsError::new("extra_body", name, "is nested too deep"));
    }
    match value {
        Value::Object(fields) => fields
            .iter()
            .try_for_each(|field| check_limits(field, depth + 1)),
        Value::Array(items) => items
            .iter()
            .try_for_each(|item| check_limits((&String::new(), item), depth + 1)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(body: Value) -> Option<String> {
        let body = body.as_object().unwrap().clone();
        check_body(&body).err().map(|error| error.value)
    }

    #[test]
    fn a_body_adds_nothing_that_makes_or_bounds_a_request() {
        let bodies = [
            (json!({"messages": []}), "messages"),
            (json!({"Stream": true}), "Stream"),
            (json!({"max_tokens": 9}), "max_tokens"),
            (json!({"options": {"num_predict": 9}}), "num_predict"),
            (
                json!({"a": [{"b": {"max_output_tokens": 9}}]}),
                "max_output_tokens",
            ),
            (json!({"n": 2}), "n"),
        ];
        for (body, name) in bodies {
            assert_eq!(refused(body.clone()).as_deref(), Some(name), "{body}");
        }
        let fine =
            json!({"reasoning": {"effort": "low"}, "top_k": 20, "provider": {"order": ["a"]}});
        assert_eq!(refused(fine), None);
    }

    #[test]
    fn keys_are_neither_serialised_nor_shown() {
        let values = SentValues::from([
            (
                "api-version".to_owned(),
                SentValue::Plain("2024-10-21".to_owned()),
            ),
            (
                "key".to_owned(),
                SentValue::Variable {
                    env: "LAB_KEY".to_owned(),
                },
            ),
        ]);
        let mut bytes = Vec::new();
        serialize_plain(&values, &mut serde_json::Serializer::new(&mut bytes)).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            r#"{"api-version":"2024-10-21"}"#
        );
        assert!(!format!("{values:?}").contains("2024"));
    }
}
