//! Evidence of a detector's finding, so that a person can check it.

use super::turn_text::TurnText;
use serde_json::{Value, json};

/// Most characters of one quotation.
const MAX_QUOTE_CHARS: usize = 300;

/// A quoted part of a turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence<'a> {
    quote: &'a str,
    said: TurnText<'a>,
    why: &'a str,
}

impl<'a> Evidence<'a> {
    /// Quotes a part of a turn's text, truncated where it is long.
    pub(super) fn from_quote(said: &TurnText<'a>, quote: &'a str, why: &'a str) -> Self {
        let end = quote
            .char_indices()
            .nth(MAX_QUOTE_CHARS)
            .map_or(quote.len(), |(at, _)| at);
        Self {
            quote: quote.get(..end).unwrap_or(quote),
            said: *said,
            why,
        }
    }
}

/// Returns evidence as JSON.
pub(super) fn evidence_json(evidence: &[Evidence<'_>]) -> Vec<Value> {
    evidence
        .iter()
        .map(|one| {
            json!({
                "quote": one.quote,
                "seat": one.said.seat,
                "round": one.said.round,
                "stage": one.said.stage,
                "why": one.why,
            })
        })
        .collect()
}
