//! Summary of a sample, for lists: everything short. Long texts are cut, as Inspect cuts them.

use serde_json::{Map, Value, json};

/// The most characters of a text in a summary.
const MAX_CHARS: usize = 1024;
/// What a summary has of its sample as it is.
const COPIED: [&str; 12] = [
    "id",
    "epoch",
    "input",
    "choices",
    "target",
    "model_usage",
    "role_usage",
    "started_at",
    "completed_at",
    "total_time",
    "working_time",
    "uuid",
];

/// Returns what lists show of a sample.
pub(super) fn summarize_sample(sample: &Value) -> Value {
    let mut summary = Map::new();
    for key in COPIED {
        if let Some(value) = sample.get(key) {
            summary.insert(key.to_owned(), cut_text(value));
        }
    }
    summary.insert("metadata".to_owned(), short_fields(&sample["metadata"]));
    let scores = sample["scores"].as_object().into_iter().flatten();
    let scores = scores.map(|(name, score)| (name.clone(), summarize_score(score)));
    summary.insert("scores".to_owned(), Value::Object(scores.collect()));
    if let Some(message) = sample.pointer("/error/message") {
        summary.insert("error".to_owned(), cut_text(message));
    }
    let messages = sample["messages"].as_array().map_or(0, Vec::len);
    summary.insert("message_count".to_owned(), json!(messages));
    summary.insert("completed".to_owned(), json!(true));
    Value::Object(summary)
}

fn summarize_score(score: &Value) -> Value {
    let fields = score.as_object().into_iter().flatten();
    let fields = fields.filter(|(key, _)| *key != "history");
    let fields = fields.map(|(key, value)| {
        let value = match key.as_str() {
            "metadata" => short_fields(value),
            _ => cut_text(value),
        };
        (key.clone(), value)
    });
    Value::Object(fields.collect())
}

/// Returns the fields that are no lists and no objects.
fn short_fields(value: &Value) -> Value {
    let fields = value.as_object().into_iter().flatten();
    let short = fields.filter(|(_, value)| !value.is_array() && !value.is_object());
    Value::Object(
        short
            .map(|(key, value)| (key.clone(), cut_text(value)))
            .collect(),
    )
}

fn cut_text(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > MAX_CHARS => {
            Value::String(text.chars().take(MAX_CHARS).collect::<String>() + "…")
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => value.clone(),
    }
}
