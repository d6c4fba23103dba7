//! Recognition of parameters that a server refuses, and the change of the request that follows.
//! Pure.
//!
//! [`REFUSAL_PATTERNS`] holds the wordings in use. A refusal counts only if it names a part that
//! was sent, and not if it is about a value that the user chose (such as a token limit beyond what
//! the model writes).

use std::sync::LazyLock;

use serde::Deserialize;

use crate::call::Request;
use crate::dialect::{MaxTokensName, Param};
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

// The test of this file parses it: what is embedded is the same in every program.
static REFUSAL_PATTERNS: LazyLock<RefusalPatterns> = LazyLock::new(|| {
    toml::from_str(include_str!("unsupported_params.toml"))
        .expect("the embedded refusal patterns parse")
});

/// The largest distance between a name and its refusal, in bytes.
const NEAR_BYTES: usize = 80;

/// Returns the change of terms that follows from a server's error to a request sent on `terms`;
/// `None` where the error is about something else. `words` is the server's whole message.
pub(super) fn learn_from_refusal(
    kind: &CallErrorKind,
    words: &str,
    request: &Request,
    terms: &RequestTerms,
) -> Option<TermChange> {
    let may_be = matches!(
        kind,
        CallErrorKind::Status(400 | 422 | 500 | 501) | CallErrorKind::ErrorInStream
    );
    if !may_be {
        return None;
    }
    // Error bodies are quoted inside error bodies, with escapes.
    let words = words.to_lowercase().replace('\\', "");
    let row = REFUSAL_PATTERNS
        .parts
        .iter()
        .filter(|row| terms.sends(row.part, request))
        .find(|row| row.matches(&words))?;
    Some(match row.part {
        // The token limit's other name is tried before the limit is left out.
        Param::MaxTokens if !terms.limit_was_renamed => {
            TermChange::NameLimit(match terms.max_tokens_as {
                MaxTokensName::MaxTokens => MaxTokensName::MaxCompletionTokens,
                MaxTokensName::MaxCompletionTokens => MaxTokensName::MaxTokens,
            })
        }
        Param::System if terms.system_as() == SystemAs::System && words.contains("developer") => {
            TermChange::SystemAsDeveloper
        }
        part => TermChange::LeaveOut(part),
    })
}

impl RefusalPattern {
    fn matches(&self, words: &str) -> bool {
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
        let whole = !before.ends_with(is_part_of_a_word) && !after.starts_with(is_part_of_a_word);
        let near = surroundings(words, at, at + name.len());
        let has = |list: &[String]| list.iter().any(|word| near.contains(word));
        whole && has(&REFUSAL_PATTERNS.refused) && !has(&REFUSAL_PATTERNS.about_a_value)
    })
}

/// Returns the part of a text up to [`NEAR_BYTES`] around a range.
fn surroundings(text: &str, start: usize, end: usize) -> &str {
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
