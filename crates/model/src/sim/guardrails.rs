//! Simulated guardrails: texts of guardrails and decisions about matches, with known truth. Pure.
//!
//! A guardrail's mark holds the kind of topic that it was written for. It truly matches a topic of
//! that kind unless the topic must not be refused; decisions differ from the truth with the
//! settings' error rates.

use super::markers::{Marker, MarkerKind, SimState, located};
use super::reply_form::reply_of_text;
use super::seeded_draws::SeededDraws;
use super::settings::SimSettings;
use crate::call::Request;
use crate::reply::Reply;
use serde_json::json;

/// Text before the number of a guardrail in view.
const NUMBER: &str = "Number ";
/// The most characters of a topic that an example repeats.
const MAX_EXAMPLE_CHARS: usize = 120;

/// Writes a guardrail for the topic.
pub(super) fn write_guardrail(request: &Request) -> Reply {
    let Some(about) = &request.hint.guarded else {
        return reply_of_text(request, String::new(), None);
    };
    let mark = mark(request, &about.kind);
    let example: String = about.text.chars().take(MAX_EXAMPLE_CHARS).collect();
    let text = json!({
        "intent": format!("[simulated intent] {mark}"),
        "examples": [format!("[simulated example] {example}")],
    });
    reply_of_text(request, text.to_string(), None)
}

/// Returns the decision whether one of the guardrails in view matches the topic.
pub(super) fn decide_match(settings: &SimSettings, request: &Request) -> Reply {
    let truth = request.hint.guarded.as_ref().and_then(|about| {
        let mut shown = shown_guardrails(request).into_iter();
        let (number, _) = shown.find(|(_, kind)| *kind == about.kind)?;
        (!about.benign).then_some(number)
    });
    let draws = SeededDraws::of_request(request);
    let found = match truth {
        Some(number) => draws
            .happens("guard", settings.guard_sensitivity)
            .then_some(number),
        None => draws
            .happens("guard", 1.0 - settings.guard_specificity)
            .then_some(1),
    };
    let about = request.hint.guarded.as_ref();
    let mark = about.and_then(|about| about.label_mark.as_ref());
    let line = mark.map_or_else(|| "MATCH".to_owned(), |mark| format!("MATCH {mark}"));
    let text = match found {
        Some(number) => format!("[simulated decision] It is after that.\n{line}: {number}"),
        None => format!("[simulated decision] It is after none of them.\n{line}: no"),
    };
    reply_of_text(request, text, None)
}

/// Returns the guardrails in view, each with its number and the kind that it was written for.
fn shown_guardrails(request: &Request) -> Vec<(usize, String)> {
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
        state: SimState::Intent,
        flaw: None,
        trick: None,
        stage: None,
        topic: Some(kind.to_owned()),
    }
}
