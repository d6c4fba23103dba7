//! Lexical retriever: BM25 over shared words.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use super::retrieve::select_best;
use super::text_similarity::split_words;
use super::{RetrievalHit, RetrievalItem, RetrieveError, Retriever};

/// Saturation of repeated words.
const K1: f64 = 1.2;

/// Normalisation by text length.
const B: f64 = 0.75;

/// English stop words. Few on purpose: the weight of a frequent word is small anyway, and other
/// languages have no list.
static STOP_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("stop_words.txt").lines().collect());

/// Ranks with Okapi BM25 over the words of the query that are no stop words, each counted once.
///
/// `score = Σ idf(t) · tf · (K1 + 1) / (tf + K1 · (1 − B + B · length / mean length))` with `idf(t)
/// = ln(1 + (N − n(t) + ½) / (n(t) + ½))`, which is positive for every word. Scores have no upper
/// bound and compare within one query only. An item that shares no word is no hit. Equal scores are
/// ordered by text, and by id only where even the texts are equal: ids differ between runs, and
/// retrieval must not depend on them.
/// Source: S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
/// 2009, section 3.4; the 1 inside the logarithm is the usual guard against negative weights.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lexical;

/// Counts of the query's words in an item, and its length in words.
struct TermCounts {
    counts: HashMap<String, u32>,
    length: usize,
}

impl Retriever for Lexical {
    fn name(&self) -> &str {
        "lexical-bm25/1"
    }

    fn rank_items(
        &self,
        query: &str,
        items: &[RetrievalItem<'_>],
        k: usize,
    ) -> Result<Vec<RetrievalHit>, RetrieveError> {
        let terms: BTreeSet<String> = content_words(query).collect();
        if terms.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        let term_counts: Vec<TermCounts> = items
            .iter()
            .map(|item| count_terms(item.text, &terms))
            .collect();
        let total = term_counts.len() as f64;
        let mean_length = term_counts.iter().map(|c| c.length as f64).sum::<f64>() / total;
        // In the order of the words, so that the sum is the same to the last bit every time.
        let weights: Vec<(&String, f64)> = terms
            .iter()
            .map(|term| {
                let having = term_counts.iter().filter(|c| c.counts.contains_key(term));
                let having = having.count() as f64;
                (term, (1.0 + (total - having + 0.5) / (having + 0.5)).ln())
            })
            .collect();
        let scored_items: Vec<(f64, &RetrievalItem<'_>)> = items
            .iter()
            .zip(&term_counts)
            .filter(|(_, counted)| !counted.counts.is_empty())
            .map(|(item, counted)| (compute_score(counted, &weights, mean_length), item))
            .collect();
        Ok(select_best(scored_items, k))
    }
}

fn compute_score(term_counts: &TermCounts, weights: &[(&String, f64)], mean_length: f64) -> f64 {
    // An item with a word of the query has a length, so the mean is above zero.
    let length = K1 * (1.0 - B + B * term_counts.length as f64 / mean_length);
    weights
        .iter()
        .filter_map(|(term, weight)| {
            let often = f64::from(*term_counts.counts.get(*term)?);
            Some(weight * often * (K1 + 1.0) / (often + length))
        })
        .sum()
}

fn count_terms(text: &str, terms: &BTreeSet<String>) -> TermCounts {
    let mut term_counts = TermCounts {
        counts: HashMap::new(),
        length: 0,
    };
    for word in content_words(text) {
        term_counts.length += 1;
        if terms.contains(&word) {
            *term_counts.counts.entry(word).or_default() += 1;
        }
    }
    term_counts
}

fn content_words(text: &str) -> impl Iterator<Item = String> {
    let is_content = |word: &String| !STOP_WORDS.contains(word.as_str());
    split_words(text).into_iter().filter(is_content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stop_word_is_one_word_as_texts_are_split_and_is_listed_once() {
        let list = include_str!("stop_words.txt");
        for line in list.lines() {
            assert_eq!(split_words(line), [line]);
        }
        assert_eq!(list.lines().count(), STOP_WORDS.len());
    }
}
