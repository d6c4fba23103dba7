//! What a detector shows for its finding, so that a person can check it.

use super::said::Said;
use serde_json::{Value, json};

/// The most characters of one quotation.
const MAX_QUOTE_CHARS: usize = 300;

/// A place in a turn, in the turn's own words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence<'a> {
    quote: &'a str,
    said: Said<'a>,
    why: &'a str,
}

impl<'a> Evidence<'a> {
    /// Makes evidence of a part of a turn's text; its beginning, where it is long.
    pub(super) fn of(said: &Said<'a>, quote: &'a str, why: &'a str) -> Self {
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

/// Returns evidence as data.
pub(super) fn listed(evidence: &[Evidence<'_>]) -> Vec<Value> {
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
