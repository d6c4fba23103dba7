//! What the simulated model writes as a guardrail, and what it decides: with known truth. Pure.
//!
//! A guardrail carries the kind of topic that it was written for in its mark. It truly matches a
//! topic of that kind unless the topic must not be refused; what is found differs from the truth with
//! the settings' error rates.

use super::draw::Draws;
use super::form::finished;
use super::marker::{Marker, MarkerKind, State, located};
use super::settings::SimSettings;
use crate::model::call::Request;
use crate::model::reply::Reply;
use serde_json::json;

/// What stands before the number of a guardrail that is shown.
const NUMBER: &str = "Number ";
/// How much of a topic an example repeats, in characters.
const MAX_EXAMPLE_CHARS: usize = 120;

/// Writes a guardrail for the topic.
pub(super) fn derives(request: &Request) -> Reply {
    let Some(about) = &request.hint.guarded else {
        return finished(request, String::new(), None);
    };
    let mark = mark(request, &about.kind);
    let example: String = about.text.chars().take(MAX_EXAMPLE_CHARS).collect();
    let text = json!({
        "intent": format!("[simulated intent] {mark}"),
        "examples": [format!("[simulated example] {example}")],
    });
    finished(request, text.to_string(), None)
}

/// Decides whether one of the guardrails that are shown matches the topic.
pub(super) fn decides(settings: &SimSettings, request: &Request) -> Reply {
    let truth = request.hint.guarded.as_ref().and_then(|about| {
        let mut shown = numbered(request).into_iter();
        let (number, _) = shown.find(|(_, kind)| *kind == about.kind)?;
        (!about.benign).then_some(number)
    });
    let draws = Draws::of_request(request);
    let found = match truth {
        Some(number) => draws
            .happens("guard", settings.guard_sensitivity)
            .then_some(number),
        None => draws
            .happens("guard", 1.0 - settings.guard_specificity)
            .then_some(1),
    };
    let text = match found {
        Some(number) => format!("[simulated decision] It is after that.\nMATCH: {number}"),
        None => "[simulated decision] It is after none of them.\nMATCH: no".to_owned(),
    };
    finished(request, text, None)
}

/// Finds the guardrails that are shown, each with its number and the kind that it was written for.
fn numbered(request: &Request) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for message in &request.messages {
        for (at, marker) in located(&message.content) {
            let before = message.content.get(..at).unwrap_or_default();
            let number = before.rsplit(NUMBER).next().unwrap_or_default();
            let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
            if let (MarkerKind::Guardrail, Ok(number)) = (marker.kind, digits.parse()) {
                found.push((number, marker.topic.unwrap_or_default()));
            }
        }
    }
    found
}

fn mark(request: &Request, kind: &str) -> Marker {
    Marker {
        kind: MarkerKind::Guardrail,
        seat: request.hint.seat.clone(),
        index: request.hint.index,
        round: request.hint.round,
        state: State::Intent,
        flaw: None,
        trick: None,
        stage: None,
        topic: Some(kind.to_owned()),
    }
}
