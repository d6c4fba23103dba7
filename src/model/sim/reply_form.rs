//! Puts what a simulated seat says into the form asked for: a choice, JSON, or free text. Pure.

use serde_json::Value;

use super::cite::Citable;
use super::decide::{self, Finding};
use super::draw::Draws;
use super::marker::{Marker, markers};
use super::schema::{self, Content};
use super::settings::SimSettings;
use super::words::Answer;
use crate::model::call::Request;
use crate::model::reply::{Counted, Finish, Reply, Usage};

/// What a simulated seat has to say, before it is put into the form asked for.
pub(super) struct Said {
    pub text: String,
    pub answer: Option<Answer>,
    pub marker: Marker,
    pub finding: Finding,
}

/// Puts what is said into the form asked for.
pub(super) fn put(settings: &SimSettings, request: &Request, said: &Said) -> Reply {
    let marker = said.marker.to_string();
    if let Some(choice) = decide::choice(&request.hint.choices, said.finding) {
        let thinking = format!("[simulated finding: {}] {marker}", choice.label);
        let text = match (&request.schema, &request.hint.label_field) {
            (Some(schema), Some(field)) => {
                let label = Some((field.as_str(), choice.label.as_str()));
                json(settings, request, said, schema, label)
            }
            (Some(_) | None, None) | (None, Some(_)) => choice.reply.clone(),
        };
        return finished(request, text, Some(thinking));
    }
    let Some(schema) = &request.schema else {
        return finished(request, format!("{} {marker}", free(said)), None);
    };
    let text = json(settings, request, said, schema, None);
    // A reply of bare values has no room for the mark.
    let thinking = markers(&text).is_empty().then_some(marker);
    finished(request, text, thinking)
}

fn free(said: &Said) -> String {
    match &said.answer {
        Some(answer) => format!("{} The answer is \\boxed{{{}}}.", said.text, answer.text),
        None => said.text.clone(),
    }
}

fn json(
    settings: &SimSettings,
    request: &Request,
    said: &Said,
    schema: &Value,
    label: Option<(&str, &str)>,
) -> String {
    let fixed = |name: &str| {
        let set = settings.fields.get(name);
        let set = set.map(|set| at_attempt(set, request.hint.attempt));
        let label = label.filter(|(field, _)| *field == name);
        set.or_else(|| label.map(|(_, label)| Value::from(label)))
    };
    let content = Content {
        text: &free(said),
        marker: &said.marker.to_string(),
        answer: said.answer.as_ref(),
        fixed: &fixed,
        citable: Citable::of(request, settings.fabricate_rate),
    };
    schema::fill(schema, &Draws::of_place(request), &content).to_string()
}

/// Takes the value of an attempt, from 0; the last of a list repeats.
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

/// Makes a reply of a finished text.
pub(super) fn finished(request: &Request, text: String, thinking: Option<String>) -> Reply {
    let thought = thinking.as_ref().map_or(0, |text| text.chars().count());
    let output = text.chars().count() + thought;
    Reply {
        usage: Usage::estimated(request.input_chars(), output as u64, Counted::Simulated),
        text,
        thinking,
        finish: Finish::Stop,
        model: request.model.clone(),
        latency_ms: 0,
        first_token_ms: None,
        request_id: None,
        cached: false,
        first_token: None,
        left_out: Vec::new(),
        sent_as: std::collections::BTreeMap::new(),
    }
}
