//! Forms of simulated replies: a choice, JSON, or free text. Pure.

use serde_json::Value;

use super::citations::Citable;
use super::findings;
use super::findings::SimFinding;
use super::json_from_schema;
use super::json_from_schema::FillContent;
use super::markers::{Marker, find_markers};
use super::seeded_draws::SeededDraws;
use super::sentences::SimAnswer;
use super::settings::SimSettings;
use crate::call::{ReplyForm, Request};
use crate::call_context::LabelChoice;
use crate::reply::{Finish, Reply, TokenSource, Usage};

/// Content of a simulated turn, before it is rendered in the requested form.
pub(super) struct SimTurn {
    pub text: String,
    pub answer: Option<SimAnswer>,
    pub marker: Marker,
    pub finding: SimFinding,
}

/// Renders a turn in the requested form.
pub(super) fn render_reply(settings: &SimSettings, request: &Request, turn: &SimTurn) -> Reply {
    let marker = turn.marker.to_string();
    let schema = request.form.as_ref().and_then(ReplyForm::as_schema);
    if let Some(choice) = findings::nearest_choice(&request.context.choices, turn.finding) {
        let thinking = format!("[simulated finding: {}] {marker}", choice.label);
        let text = match (schema, &request.context.label_field) {
            (Some(schema), Some(field)) => {
                let label = Some((field.as_str(), choice_text(schema, field, choice)));
                write_json(settings, request, turn, schema, label)
            }
            (Some(_) | None, None) | (None, Some(_)) => choice.reply.clone(),
        };
        return reply_of_text(request, text, Some(thinking));
    }
    let Some(schema) = schema else {
        return reply_of_text(request, format!("{} {marker}", write_free_text(turn)), None);
    };
    let text = write_json(settings, request, turn, schema, None);
    // A reply of bare values has no room for the mark.
    let thinking = find_markers(&text).is_empty().then_some(marker);
    reply_of_text(request, text, thinking)
}

/// Returns what states a choice in a field: its line, where the schema asks for lines, else its name.
fn choice_text<'a>(schema: &Value, field: &str, choice: &'a LabelChoice) -> &'a str {
    let options = schema["properties"][field]["enum"].as_array();
    let has_line = options.is_some_and(|all| all.iter().any(|one| one == &choice.reply));
    match has_line {
        true => &choice.reply,
        false => &choice.label,
    }
}

fn write_free_text(turn: &SimTurn) -> String {
    match &turn.answer {
        Some(answer) => format!("{} The answer is \\boxed{{{}}}.", turn.text, answer.text),
        None => turn.text.clone(),
    }
}

fn write_json(
    settings: &SimSettings,
    request: &Request,
    turn: &SimTurn,
    schema: &Value,
    label: Option<(&str, &str)>,
) -> String {
    let field_value = |name: &str| {
        let preset = settings.fields.get(name);
        let preset = preset.map(|set| value_at_attempt(set, request.context.attempt));
        let label = label.filter(|(field, _)| *field == name);
        preset.or_else(|| label.map(|(_, label)| Value::from(label)))
    };
    let content = FillContent {
        text: &write_free_text(turn),
        marker: &turn.marker.to_string(),
        answer: turn.answer.as_ref(),
        fixed: &field_value,
        citable: Citable::from_request(request, settings.fabricate_rate),
        approves: turn.finding == SimFinding::Good,
    };
    json_from_schema::fill_schema(schema, &SeededDraws::from_place(request), &content).to_string()
}

/// Returns the fixed value for an attempt, from 0; the last of a list repeats.
fn value_at_attempt(set: &Value, attempt: u32) -> Value {
    match set {
        Value::Array(values) => {
            let at = values.get(attempt as usize).or(values.last());
            at.cloned().unwrap_or_default()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            set.clone()
        }
    }
}

/// Returns a reply with this text.
pub(super) fn reply_of_text(request: &Request, text: String, thinking: Option<String>) -> Reply {
    let thinking_chars = thinking.as_ref().map_or(0, |text| text.chars().count());
    let output = text.chars().count() + thinking_chars;
    Reply {
        usage: Usage::estimate(request.input_chars(), output as u64, TokenSource::Simulated),
        text,
        thinking,
        finish: Finish::Stop,
        model: request.model.clone(),
        latency_ms: 0,
        first_token_ms: None,
        request_id: None,
        cached: false,
        first_token: None,
        end_token: None,
        unknown_mark: None,
        left_out: Vec::new(),
        sent_as: std::collections::BTreeMap::new(),
        reported_cost_usd: None,
    }
}
