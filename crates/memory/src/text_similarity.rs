//! Similarity of texts: their words, and the Jaccard index of word pairs.

use std::borrow::Cow;
use std::collections::HashSet;

use icu_normalizer::ComposingNormalizerBorrowed;

/// Number of neighbouring words in a shingle. Pairs: topics are one sentence long, and with triples
/// one changed word in the middle of ten already hides most of what is equal.
const SHINGLE_WORDS: usize = 2;

/// Splits a text into its words: runs of letters and digits in lower case after NFKC, so that
/// full-width, composed and decomposed spellings are one. Han and kana characters, which are written
/// without spaces, are words of their own.
pub(super) fn split_words(text: &str) -> Vec<String> {
    let text = match text.is_ascii() {
        true => Cow::Borrowed(text),
        false => ComposingNormalizerBorrowed::new_nfkc().normalize(text),
    };
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if is_han_or_kana(c) {
            finish_word(&mut word, &mut words);
            words.push(c.to_string());
        } else if c.is_alphanumeric() || is_mark(c) {
            word.extend(c.to_lowercase());
        } else if !is_apostrophe(c) {
            finish_word(&mut word, &mut words);
        }
    }
    finish_word(&mut word, &mut words);
    words
}

/// Returns the Jaccard index of the two texts' sets of word pairs, from 0 to 1; 1 when both have the
/// same words in the same order, also when there are none.
///
/// Source: A. Broder, "On the resemblance and containment of documents", 1997, section 2.
pub fn compute_similarity(a: &str, b: &str) -> f64 {
    jaccard_index(&split_words(a), &split_words(b))
}

pub(super) fn jaccard_index(a: &[String], b: &[String]) -> f64 {
    if a == b {
        return 1.0;
    }
    let (a, b) = (collect_shingles(a), collect_shingles(b));
    let common = a.intersection(&b).count();
    let all = a.len() + b.len() - common;
    match all {
        0 => 1.0,
        _ => common as f64 / all as f64,
    }
}

/// Returns the set of shingles; a text with fewer words is one shingle.
fn collect_shingles(words: &[String]) -> HashSet<&[String]> {
    match words.len() {
        0 => HashSet::new(),
        1..SHINGLE_WORDS => HashSet::from([words]),
        _ => words.windows(SHINGLE_WORDS).collect(),
    }
}

fn finish_word(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

/// Combining accents that no composed letter has.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// "don't" is one word, with either apostrophe.
fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

fn is_han_or_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3fffd}')
}
