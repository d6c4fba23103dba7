//! Recognition of parameters that a server refuses, and the change of the request that follows.
//! Pure.
//!
//! [`REFUSAL_PATTERNS`] holds the wordings in use. A refusal counts only if it names a part that
//! was sent, and not if it is about a value that the user chose. A token limit that is too high or
//! too low becomes the one that the message names.

use std::sync::LazyLock;

use serde::Deserialize;

use super::numbers_in_words;
use crate::call::Request;
use crate::dialect::{MaxTokensName, Param};
use crate::embedded_table::parse_embedded_table;
use crate::error::CallErrorKind;
use crate::request_terms::{RequestTerms, SystemAs, TermChange};

/// The embedded `unsupported_params.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RefusalPatterns {
    /// Words of a refusal.
    refused: Vec<String>,
    /// Words about a value, which the user chose and must choose otherwise.
    about_a_value: Vec<String>,
    /// Parts of a request, those with more specific names first.
    parts: Vec<RefusalPattern>,
    limit: LimitWords,
    passing: Vec<PassingRefusal>,
}

/// Words about a token limit that is too high or too low.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitWords {
    names: Vec<String>,
    too_high: Vec<String>,
    too_low: Vec<String>,
    /// In front of a number that is the first one too high.
    excluded_above: Vec<String>,
    /// In front of a number that is the first one too low.
    excluded_below: Vec<String>,
}

/// A refusal that may not come again.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PassingRefusal {
    words: Vec<String>,
    /// Words without which the refusal is about no part of the request; none where it always is.
    about: Vec<String>,
    /// The parts it may be about, in the order in which they are left out.
    pub leave_out: Vec<Param>,
}

/// Words by which a refusal of one part is recognised.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RefusalPattern {
    part: Param,
    /// Names of the part: it is refused where one of [`RefusalPatterns::refused`] is near.
    names: Vec<String>,
    /// Phrases that are a refusal of the part by themselves.
    phrases: Vec<String>,
}

static REFUSAL_PATTERNS: LazyLock<RefusalPatterns> =
    LazyLock::new(|| parse_embedded_table(include_str!("unsupported_params.toml")));

/// The largest distance between a name and its refusal, in bytes.
const NEAR_BYTES: usize = 80;
/// The smallest number that is taken for a limit on a reply's tokens.
const LEAST_LIMIT: u32 = 16;
/// The highest token limit that a server's message raises a lower one to.
const HIGHEST_RAISED_LIMIT: u32 = 4_096;

/// Returns the change of terms that follows from a server's error to a request sent on `terms`;
/// `None` where the error is about something else. `words` is the server's whole message.
pub(super) fn learn_from_refusal(
    kind: &CallErrorKind,
    words: &str,
    request: &Request,
    terms: &RequestTerms,
) -> Option<TermChange> {
    let words = normalize_words(words);
    if !may_name_a_part(kind, &words) {
        return None;
    }
    let row = REFUSAL_PATTERNS
        .parts
        .iter()
        .filter(|row| terms.is_sent(row.part, request))
        .find(|row| row.is_match(&words));
    let Some(row) = row else {
        return find_accepted_limit(&words, terms.token_limit(request)?);
    };
    Some(match row.part {
        // The token limit's other name is tried before the limit is left out.
        Param::MaxTokens if !terms.limit_was_renamed => {
            TermChange::NameLimit(match terms.max_tokens_as {
                MaxTokensName::MaxTokens => MaxTokensName::MaxCompletionTokens,
                MaxTokensName::MaxCompletionTokens => MaxTokensName::MaxTokens,
            })
        }
        Param::System if terms.system_role() == SystemAs::System && words.contains("developer") => {
            TermChange::SystemAsDeveloper
        }
        part => TermChange::LeaveOut(part),
    })
}

/// Returns the kind of refusal that may not come again, if the error is one.
pub(super) fn find_passing(kind: &CallErrorKind, words: &str) -> Option<&'static PassingRefusal> {
    let words = normalize_words(words);
    let has = |list: &[String]| list.iter().any(|word| words.contains(word));
    let mut refusals = REFUSAL_PATTERNS.passing.iter();
    refusals.find(|row| may_name_a_part(kind, &words) && has(&row.words))
}

impl PassingRefusal {
    /// Returns whether its words may be about a part of the request.
    pub(super) fn is_about_a_part(&self, words: &str) -> bool {
        let words = normalize_words(words);
        self.about.is_empty() || self.about.iter().any(|word| words.contains(word))
    }
}

/// Error bodies are quoted inside error bodies, with escapes.
fn normalize_words(words: &str) -> String {
    words.to_lowercase().replace('\\', "")
}

/// Returns whether an error may be the refusal of a part, by its kind: the status is no sure sign,
/// since proxies and engines choose it freely.
fn may_name_a_part(kind: &CallErrorKind, words: &str) -> bool {
    match kind {
        CallErrorKind::Status(status) => !matches!(status, 408 | 409 | 425 | 429 | 502..=504),
        CallErrorKind::ErrorInStream => true,
        // A key that may not use a part is not refused as a whole.
        CallErrorKind::Auth => !words.contains("key"),
        _ => false,
    }
}

/// Returns the limit that a message names, where it refuses the one that was sent as too high or too
/// low.
fn find_accepted_limit(words: &str, sent: u32) -> Option<TermChange> {
    let limit = &REFUSAL_PATTERNS.limit;
    let has = |list: &[String]| list.iter().any(|word| words.contains(word));
    if !has(&limit.names) {
        return None;
    }
    let numbers = numbers_in_words::find_numbers(words);
    let ends_with = |before: &str, list: &[String]| {
        let before = before.trim_end_matches(|c: char| c.is_whitespace() || "`'\"[(:".contains(c));
        list.iter().any(|word| before.ends_with(word))
    };
    let highest = numbers.iter().map(|number| {
        let is_excluded = ends_with(number.before, &limit.excluded_above);
        number.value - u32::from(is_excluded && number.value > 0)
    });
    let highest = highest
        .filter(|value| (LEAST_LIMIT..sent).contains(value))
        .max();
    if let Some(highest) = highest.filter(|_| has(&limit.too_high)) {
        return Some(TermChange::LimitAtMost(highest));
    }
    let lowest = numbers.iter().map(|number| {
        let is_excluded = ends_with(number.before, &limit.excluded_below);
        number.value + u32::from(is_excluded)
    });
    let lowest = lowest
        .filter(|value| (sent + 1..=HIGHEST_RAISED_LIMIT).contains(value))
        .min();
    let lowest = lowest.filter(|_| has(&limit.too_low));
    lowest.map(TermChange::LimitAtLeast)
}

impl RefusalPattern {
    fn is_match(&self, words: &str) -> bool {
        let by_phrase = self.phrases.iter().any(|phrase| words.contains(phrase));
        by_phrase || self.names.iter().any(|name| is_refused(name, words))
    }
}

/// Returns whether a text holds a name as a whole word with a refusal near it, and nothing about
/// its value.
fn is_refused(name: &str, words: &str) -> bool {
    let is_part_of_a_word = |c: char| c.is_alphanumeric() || c == '_';
    words.match_indices(name).any(|(at, _)| {
        let (before, from) = words.split_at(at);
        let after = from.get(name.len()..).unwrap_or_default();
        let is_whole_word =
            !before.ends_with(is_part_of_a_word) && !after.starts_with(is_part_of_a_word);
        let near = nearby_text(words, at, at + name.len());
        let has = |list: &[String]| list.iter().any(|word| near.contains(word));
        is_whole_word && has(&REFUSAL_PATTERNS.refused) && !has(&REFUSAL_PATTERNS.about_a_value)
    })
}

/// Returns the part of a text up to [`NEAR_BYTES`] around a range.
fn nearby_text(text: &str, start: usize, end: usize) -> &str {
    let mut start = start.saturating_sub(NEAR_BYTES);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = (end + NEAR_BYTES).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    text.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_refusal_patterns_cover_every_part() {
        let has = |param: &Param| REFUSAL_PATTERNS.parts.iter().any(|row| row.part == *param);
        assert!(Param::ALL.iter().all(has));
    }
}
