//! Structured replies and findings as an outline that people can read. Pure.

use crate::cli::page::{Ink, Page};
use serde_json::Value;

/// The deepest that an outline goes; what lies deeper is written as JSON.
const MAX_DEPTH: usize = 12;
/// How much further each level begins.
const STEP: usize = 2;

/// Writes a value as an outline: one line a field, lists with dashes.
pub(super) fn outline(page: &mut Page, ink: Ink, indent: usize, value: &Value) {
    write(page, ink, indent, "", value, 0);
}

/// Writes what a check of citations could not verify, one line each.
pub(super) fn flagged_citations(page: &mut Page, indent: usize, found: &Value) {
    let citations = found.get("citations").and_then(Value::as_array);
    for citation in citations.into_iter().flatten() {
        let text = |key: &str| citation.get(key).and_then(Value::as_str);
        let status = text("status").unwrap_or_default();
        let ink = match status {
            "fabricated" => Ink::Bad,
            "verified" => continue,
            _ => Ink::Middle,
        };
        let at = citation.get("at").and_then(Value::as_u64).unwrap_or(0);
        let place = match text("list") {
            Some(list) => format!("{list}, item {}", at.saturating_add(1)),
            None => "the turn".to_owned(),
        };
        let quote = match text("quote") {
            Some(quote) => format!("\"{quote}\""),
            None => "no quotation".to_owned(),
        };
        let document = match text("document") {
            Some(name) => format!(" ({name})"),
            None => String::new(),
        };
        page.inked(
            ink,
            indent,
            &format!("{status}: {place}: {quote}{document}"),
        );
    }
}

/// The pieces of evidence that are written; the journal keeps the rest.
const MAX_EVIDENCE: usize = 4;

/// Writes what a detector rests its finding on, so that a person can check it.
pub(super) fn evidence(page: &mut Page, indent: usize, found: &Value) {
    let pieces = found.get("evidence").and_then(Value::as_array);
    let pieces = pieces.map_or(&[][..], Vec::as_slice);
    for piece in pieces.iter().take(MAX_EVIDENCE) {
        let text = |key: &str| piece.get(key).and_then(Value::as_str).unwrap_or_default();
        let round = piece.get("round").and_then(Value::as_u64).unwrap_or(0);
        let place = format!("{} in [{}], round {round}", text("seat"), text("stage"));
        let line = format!("\"{}\" ({place}): {}", text("quote"), text("why"));
        page.inked(Ink::Dim, indent, &line);
    }
    if let Some(more) = pieces
        .len()
        .checked_sub(MAX_EVIDENCE)
        .filter(|more| *more > 0)
    {
        page.inked(Ink::Dim, indent, &format!("and {more} more"));
    }
}

/// `lead` is what stands before the value on its first line: a dash, a field's name, or both.
fn write(page: &mut Page, ink: Ink, indent: usize, lead: &str, value: &Value, depth: usize) {
    let inner = if lead.is_empty() {
        indent
    } else {
        indent + STEP
    };
    match value {
        Value::Object(fields) if depth < MAX_DEPTH && !fields.is_empty() => {
            // The first field of a list's item stands on the line of its dash.
            let (mut dash, level) = match lead {
                "-" => ("- ", inner),
                "" => ("", indent),
                _ => {
                    page.prose(ink, indent, lead);
                    ("", inner)
                }
            };
            // Short values first, so that what is long does not part them.
            let (long, short): (Vec<_>, Vec<_>) = fields
                .iter()
                .partition(|(_, field)| field.is_object() || field.is_array());
            for (name, field) in short.into_iter().chain(long) {
                let at = if dash.is_empty() { level } else { indent };
                write(page, ink, at, &format!("{dash}{name}:"), field, depth + 1);
                dash = "";
            }
        }
        Value::Array(items) if depth < MAX_DEPTH && !items.is_empty() => {
            if !lead.is_empty() {
                page.prose(ink, indent, lead);
            }
            for item in items {
                write(page, ink, inner, "-", item, depth + 1);
            }
        }
        Value::String(text) => page.hung(ink, indent, inner, &led(lead, text)),
        Value::Array(items) if items.is_empty() => page.prose(ink, indent, &led(lead, "none")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            page.hung(ink, indent, inner, &led(lead, &value.to_string()))
        }
    }
}

fn led(lead: &str, text: &str) -> String {
    match lead {
        "" => text.to_owned(),
        lead => format!("{lead} {text}"),
    }
}
