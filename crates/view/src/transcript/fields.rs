//! Structured replies and findings as an outline that people can read. Pure.

use elenchus_text::{Ink, Page};
use serde_json::Value;

/// Writes a value that others wrote as an outline: one line a field, lists with dashes.
pub(super) fn write_outline(page: &mut Page, column: usize, value: &Value) {
    page.write_behind_bar(column, |page| {
        for line in elenchus_text::outline_value(value) {
            page.add_hanging_text(Ink::Plain, line.indent, line.hang, &line.text);
        }
    });
}

/// Writes what a check of citations could not verify, one line each.
pub(super) fn write_flagged_citations(page: &mut Page, indent: usize, found: &Value) {
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
        page.line_at(indent)
            .write_in_ink(ink, &format!("{status}: {place}: {quote}{document}"));
    }
}

/// The pieces of evidence that are written; the journal keeps the rest.
const MAX_EVIDENCE: usize = 4;

/// Writes what a detector rests its finding on, so that a person can check it.
pub(super) fn write_evidence(page: &mut Page, indent: usize, found: &Value) {
    let pieces = found.get("evidence").and_then(Value::as_array);
    let pieces = pieces.map_or(&[][..], Vec::as_slice);
    for piece in pieces.iter().take(MAX_EVIDENCE) {
        let text = |key: &str| piece.get(key).and_then(Value::as_str).unwrap_or_default();
        let round = piece.get("round").and_then(Value::as_u64).unwrap_or(0);
        let place = format!("{} in [{}], round {round}", text("seat"), text("stage"));
        page.line_at(indent).write_dim(&format!(
            "\"{}\" ({place}): {}",
            text("quote"),
            text("why")
        ));
    }
    if let Some(more) = pieces
        .len()
        .checked_sub(MAX_EVIDENCE)
        .filter(|more| *more > 0)
    {
        page.line_at(indent).write_dim(&format!("and {more} more"));
    }
}
