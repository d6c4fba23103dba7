//! Simulated guardrails: texts of guardrails and decisions about matches, with known truth. Pure.
//!
//! A guardrail's mark holds the kind of topic that it was written for. It truly matches a topic of
//! that kind unless the topic must not be refused; decisions differ from the truth with the
//! settings' error rates.

use super::logistic_normal::shift_probability;
use super::markers::{Marker, MarkerKind, SimState, locate_marks};
use super::prompt_words;
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
    let Some(about) = &request.context.guarded else {
        return reply_of_text(request, String::new(), None);
    };
    let mark = build_marker(request, &about.kind);
    let example: String = about.text.chars().take(MAX_EXAMPLE_CHARS).collect();
    let text = json!({
        "intent": format!("[simulated intent] {mark}"),
        "examples": [format!("[simulated example] {example}")],
    });
    reply_of_text(request, text.to_string(), None)
}

/// Returns the decision whether one of the guardrails in view matches the topic.
pub(super) fn decide_match(settings: &SimSettings, request: &Request) -> Reply {
    let truth = request.context.guarded.as_ref().and_then(|about| {
        let mut guardrails = find_guardrails_in_view(request).into_iter();
        let (number, _) = guardrails.find(|(_, kind)| *kind == about.kind)?;
        (!about.benign).then_some(number)
    });
    let draws = SeededDraws::from_request(request);
    let shift = prompt_words::sum_shifts(settings, request);
    let match_number = match truth {
        Some(number) => draws
            .draw_bool(
                "guard",
                shift_probability(settings.guard_sensitivity, shift),
            )
            .then_some(number),
        None => draws
            .draw_bool(
                "guard",
                1.0 - shift_probability(settings.guard_specificity, shift),
            )
            .then_some(1),
    };
    let about = request.context.guarded.as_ref();
    let mark = about.and_then(|about| about.label_mark.as_ref());
    let line = mark.map_or_else(|| "MATCH".to_owned(), |mark| format!("MATCH {mark}"));
    let text = match match_number {
        Some(number) => format!("[simulated decision] It is after that.\n{line}: {number}"),
        None => format!("[simulated decision] It is after none of them.\n{line}: no"),
    };
    reply_of_text(request, text, None)
}

/// Returns the guardrails in view, each with its number and the kind that it was written for.
fn find_guardrails_in_view(request: &Request) -> Vec<(usize, String)> {
    let mut guardrails = Vec::new();
    for message in &request.messages {
        for (at, marker) in locate_marks(&message.content) {
            let before = message.content.get(..at).unwrap_or_default();
            let number = before.rsplit(NUMBER).next().unwrap_or_default();
            let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
            if let (MarkerKind::Guardrail, Ok(number)) = (marker.kind, digits.parse()) {
                guardrails.push((number, marker.topic.unwrap_or_default()));
            }
        }
    }
    guardrails
}

fn build_marker(request: &Request, kind: &str) -> Marker {
    Marker {
        kind: MarkerKind::Guardrail,
        seat: request.context.seat.clone(),
        index: request.context.index,
        round: request.context.round,
        state: SimState::Intent,
        flaw: None,
        trick: None,
        stage: None,
        topic: Some(kind.to_owned()),
        others_rewards: false,
    }
}
