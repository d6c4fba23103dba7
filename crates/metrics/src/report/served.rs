//! Notes on what servers did with the calls of debates: asked otherwise than configured, read in part.

use crate::rows::{DebateRow, ServedRow};
use std::collections::BTreeMap;

/// The most models that are named for one thing.
const MAX_NAMED: usize = 5;
/// One call may be miscounted; so many are a habit of the server.
const MANY_SHORT_READS: u64 = 2;

/// Says of each model which share of its calls was asked otherwise than configured, and of which the
/// server read only a part.
pub(super) fn collect_server_notes(debates: &[&DebateRow]) -> Vec<String> {
    let mut by_model: BTreeMap<&str, ServedRow> = BTreeMap::new();
    for served in debates.iter().flat_map(|debate| &debate.served) {
        let total = by_model.entry(&served.model).or_default();
        total.calls += served.calls;
        total.short_reads += served.short_reads;
        total.out_of_tokens += served.out_of_tokens;
        total.unread_share = total.unread_share.max(served.unread_share);
        for (what, calls) in &served.asked_otherwise {
            *total.asked_otherwise.entry(what.clone()).or_default() += calls;
        }
    }
    let asked_notes = by_model
        .iter()
        .filter_map(|(model, served)| asked_note(model, served));
    let read = by_model
        .iter()
        .filter_map(|(model, served)| read_note(model, served));
    let token_limit_notes = by_model
        .iter()
        .filter_map(|(model, served)| spent_note(model, served));
    let notes = [
        asked_notes.collect(),
        read.collect(),
        token_limit_notes.collect(),
    ];
    notes.into_iter().flat_map(cap_notes).collect()
}

fn asked_note(model: &str, served: &ServedRow) -> Option<String> {
    let parts = served.asked_otherwise.iter();
    let parts: Vec<String> = parts
        .map(|(what, calls)| match *calls == served.calls {
            true => what.clone(),
            false => format!("{what} ({calls} of {})", served.calls),
        })
        .collect();
    (!parts.is_empty()).then(|| {
        format!(
            "{model} was asked otherwise than configured, as its server or its context wants it: {}",
            parts.join(", ")
        )
    })
}

fn read_note(model: &str, served: &ServedRow) -> Option<String> {
    // Equal counts of unequal requests are a sign by themselves, and leave less than half unread.
    let is_habit = served.short_reads >= MANY_SHORT_READS || served.unread_share <= 0.5;
    (is_habit && served.short_reads > 0).then(|| {
        format!(
            "the server of {model} read far fewer tokens than were sent in {} of {} calls (up to \
             {:.0} % were not read): it may cut what is longer than its context",
            served.short_reads,
            served.calls,
            100.0 * served.unread_share
        )
    })
}

fn spent_note(model: &str, served: &ServedRow) -> Option<String> {
    (served.out_of_tokens > 0).then(|| {
        format!(
            "{} of {} replies of {model} spent their token limit before a visible word: raise max_tokens",
            served.out_of_tokens, served.calls
        )
    })
}

fn cap_notes(mut notes: Vec<String>) -> impl Iterator<Item = String> {
    let more = notes.len().saturating_sub(MAX_NAMED);
    notes.truncate(MAX_NAMED);
    let rest = (more > 0).then(|| format!("… and {more} more models"));
    notes.into_iter().chain(rest)
}
