//! Forms of simulated replies: a choice, JSON, or free text. Pure.

use serde_json::Value;

use super::citations::Citable;
use super::findings;
use super::findings::SimFinding;
use super::json_from_schema;
use super::json_from_schema::FillContent;
use super::markers::{Marker, markers};
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
pub(super) fn render_reply(settings: &SimSettings, request: &Request, said: &SimTurn) -> Reply {
    let marker = said.marker.to_string();
    let schema = request.form.as_ref().and_then(ReplyForm::schema);
    if let Some(choice) = findings::choice(&request.hint.choices, said.finding) {
        let thinking = format!("[simulated finding: {}] {marker}", choice.label);
        let text = match (schema, &request.hint.label_field) {
            (Some(schema), Some(field)) => {
                let label = Some((field.as_str(), allowed_text(schema, field, choice)));
                json_text(settings, request, said, schema, label)
            }
            (Some(_) | None, None) | (None, Some(_)) => choice.reply.clone(),
        };
        return reply_of_text(request, text, Some(thinking));
    }
    let Some(schema) = schema else {
        return reply_of_text(request, format!("{} {marker}", free_text(said)), None);
    };
    let text = json_text(settings, request, said, schema, None);
    // A reply of bare values has no room for the mark.
    let thinking = markers(&text).is_empty().then_some(marker);
    reply_of_text(request, text, thinking)
}

/// Returns what states a choice in a field: its line, where the schema asks for lines, else its name.
fn allowed_text<'a>(schema: &Value, field: &str, choice: &'a LabelChoice) -> &'a str {
    let allowed = schema["properties"][field]["enum"].as_array();
    let has_line = allowed.is_some_and(|all| all.iter().any(|one| one == &choice.reply));
    match has_line {
        true => &choice.reply,
        false => &choice.label,
    }
}

fn free_text(said: &SimTurn) -> String {
    match &said.answer {
        Some(answer) => format!("{} The answer is \\boxed{{{}}}.", said.text, answer.text),
        None => said.text.clone(),
    }
}

fn json_text(
    settings: &SimSettings,
    request: &Request,
    said: &SimTurn,
    schema: &Value,
    label: Option<(&str, &str)>,
) -> String {
    let fixed = |name: &str| {
        let set = settings.fields.get(name);
        let set = set.map(|set| at_attempt(set, request.hint.attempt));
        let label = label.filter(|(field, _)| *field == name);
        set.or_else(|| label.map(|(_, label)| Value::from(label)))
    };
    let content = FillContent {
        text: &free_text(said),
        marker: &said.marker.to_string(),
        answer: said.answer.as_ref(),
        fixed: &fixed,
        citable: Citable::in_view(request, settings.fabricate_rate),
        approves: said.finding == SimFinding::Good,
    };
    json_from_schema::fill(schema, &SeededDraws::of_place(request), &content).to_string()
}

/// Returns the fixed value for an attempt, from 0; the last of a list repeats.
fn at_attempt(set: &Value, attempt: u32) -> Value {
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
    let thought = thinking.as_ref().map_or(0, |text| text.chars().count());
    let output = text.chars().count() + thought;
    Reply {
        usage: Usage::estimated(request.input_chars(), output as u64, TokenSource::Simulated),
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
    }
}
