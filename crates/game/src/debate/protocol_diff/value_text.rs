//! Words of a protocol's values: rules and selectors as a line each, everything else as it would be
//! written in its file.

use crate::debate::protocol::{AnswerAt, RetryRule, StopRule, TargetSelector, TurnSelector};
use serde::Serialize;
use serde_json::Value;

pub(super) fn stop_text(rule: &StopRule) -> String {
    let StopRule {
        judging,
        stage,
        field,
        equals,
        labels,
    } = rule;
    let mut parts = Vec::new();
    parts.extend(judging.as_ref().map(|id| format!("verdicts of {id}")));
    parts.extend(stage.as_ref().map(|id| format!("replies in [{id}]")));
    if !labels.is_empty() {
        parts.push(format!("are {}", labels.join(" or ")));
    }
    parts.extend(field.as_ref().map(|field| format!("'{field}'")));
    parts.extend(
        equals
            .as_ref()
            .map(|value| format!("= {}", format_value(value))),
    );
    parts.join(" ")
}

pub(super) fn retry_text(rule: &RetryRule) -> String {
    let RetryRule {
        field,
        below,
        unparsed,
        at_most,
        // Compared with the other texts.
        template: _,
    } = rule;
    let mut parts = Vec::new();
    parts.extend(field.as_ref().map(|field| format!("'{field}'")));
    parts.extend(below.map(|below| format!("below {below}")));
    if *unparsed {
        parts.push("unparsed".to_owned());
    }
    format!("{}, at most {at_most}", parts.join(" "))
}

pub(super) fn answer_text(answer: &AnswerAt) -> String {
    let AnswerAt { judging, field } = answer;
    match judging {
        Some(judging) => format!("'{field}' of {judging}"),
        None => format!("'{field}'"),
    }
}

pub(super) fn target_text(target: &TargetSelector) -> String {
    let TargetSelector {
        seats,
        stages,
        rounds,
    } = target;
    format!(
        "{}{}, rounds: {}",
        format_value(seats),
        stages_text(stages),
        format_value(rounds)
    )
}

pub(super) fn turns_text(turns: &TurnSelector) -> String {
    let TurnSelector {
        seats,
        stages,
        rounds,
    } = turns;
    format!(
        "{}{}, rounds: {}",
        format_value(seats),
        stages_text(stages),
        format_value(rounds)
    )
}

fn stages_text<T: Serialize>(stages: &Option<T>) -> String {
    let stages = stages
        .as_ref()
        .map(|stages| format!(" in [{}]", format_value(stages)));
    stages.unwrap_or_default()
}

/// Formats a value as it would be written, without quotes.
pub(super) fn format_value<T: Serialize + ?Sized>(value: &T) -> String {
    format_json(&serde_json::to_value(value).unwrap_or_default())
}

fn format_json(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.is_empty() => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "-".to_owned(),
        Value::Array(items) => items.iter().map(format_json).collect::<Vec<_>>().join(", "),
        Value::Object(_) => value.to_string(),
    }
}
