//! Splitting of a turn into sentences, words and stems. Crude, linear, and for English alone.

use crate::judge::lexicon::GENERAL;
use std::collections::BTreeSet;

/// Shortest stem, in characters.
const MIN_STEM_CHARS: usize = 4;

/// Returns the sentences of a text, without the white space around them.
///
/// A sentence ends with `.`, `!`, `?` or `;` before white space, or with its line.
pub(crate) fn split_sentences(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let stops = matches!(c, '.' | '!' | '?' | ';')
            && next
                .is_none_or(|next| next.is_whitespace() || matches!(next, '"' | '”' | '*' | ')'))
            && !(c == '.' && is_abbreviation(&text[start..at]));
        if stops || c == '\n' {
            let end = at + c.len_utf8();
            pieces.push(text[start..end].trim());
            start = end;
        }
    }
    pieces.push(text[start..].trim());
    pieces.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    pieces
}

fn is_abbreviation(before: &str) -> bool {
    let word = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or_default();
    // A number alone heads a list item: its text belongs to it.
    let heads = !word.is_empty() && word.len() == before.trim_start().len();
    GENERAL.abbreviations.contains(&word.to_ascii_lowercase())
        || (heads && word.chars().all(|c| c.is_ascii_digit()))
}

/// Returns the words of a text in lower case. Apostrophes inside words and points and commas inside
/// numbers stay; all other punctuation is removed.
pub(crate) fn split_words(text: &str) -> Vec<String> {
    let mut all_words = marked_words(text);
    all_words.retain(|word| word != PAUSE);
    all_words
}

/// Placeholder for punctuation between words.
pub(crate) const PAUSE: &str = ",";

/// Returns the words of a text as [`split_words`] does, with a [`PAUSE`] where punctuation separates
/// them.
pub(super) fn marked_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let inside = match c {
            '\'' | '’' => !word.is_empty() && next.is_some_and(char::is_alphabetic),
            '.' | ',' => {
                word.ends_with(|c: char| c.is_ascii_digit())
                    && next.is_some_and(|c| c.is_ascii_digit())
            }
            c => c.is_alphanumeric(),
        };
        match (inside, c) {
            (true, '’') => word.push('\''),
            (true, c) => word.extend(c.to_lowercase()),
            (false, c) => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                let parts = matches!(c, ',' | ':' | ';' | '(' | ')' | '—' | '–' | '.' | '!' | '?');
                if parts && words.last().is_some_and(|last| last != PAUSE) {
                    words.push(PAUSE.to_owned());
                }
            }
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Returns the stems of the content words of a text.
///
/// A stem is a word without a final `'s`, `ing`, `ed`, `es`, `s` or `ly`, where at least four
/// characters remain, and without an `e` at its end: crude, but the same for both sides.
pub(crate) fn collect_stems(text: &str) -> BTreeSet<String> {
    let words = split_words(text).into_iter();
    words
        .filter(|word| !is_empty_word(word) && !GENERAL.objecting.contains(word))
        .map(|word| stem_word(&word).to_owned())
        .collect()
}

/// Returns whether a word is a stop word or common to all critiques.
pub(super) fn is_empty_word(word: &str) -> bool {
    GENERAL.stop_words.contains(word) || GENERAL.boilerplate.contains(word)
}

pub(super) fn stem_word(word: &str) -> &str {
    let shorter = ["'s", "ing", "ed", "es", "ly", "s"]
        .iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .find(|rest| rest.chars().count() >= MIN_STEM_CHARS)
        .unwrap_or(word);
    match shorter.strip_suffix('e') {
        Some(rest) if rest.chars().count() >= MIN_STEM_CHARS => rest,
        Some(_) | None => shorter,
    }
}
