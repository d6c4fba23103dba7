//! Ranking by shared words.

use std::collections::{BTreeSet, HashMap};

use super::words::words;
use super::{Hit, Item, RetrieveError, Retriever};

/// How fast a repeated word stops counting.
const K1: f64 = 1.2;

/// How much long texts are held back.
const B: f64 = 0.75;

/// English words that say nothing about a topic. Few on purpose: the weight of a word that is
/// everywhere is small anyway, and other languages have no list.
const STOP_WORDS: [&str; 44] = [
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "did", "do", "does",
    "for", "from", "had", "has", "have", "how", "if", "in", "into", "is", "it", "its", "of", "on",
    "or", "that", "the", "their", "then", "there", "these", "this", "those", "to", "was", "were",
    "what", "which", "will", "with",
];

/// Ranks with Okapi BM25 over the words of the query that are no stop words, each counted once.
///
/// `score = Σ idf(t) · tf · (K1 + 1) / (tf + K1 · (1 − B + B · length / mean length))` with
/// `idf(t) = ln(1 + (N − n(t) + ½) / (n(t) + ½))`, which is positive for every word. Scores have no
/// upper bound and compare within one query only. An item that shares no word is no hit. Equal
/// scores are ordered by text, and by id only where even the texts are equal: ids are drawn anew by
/// every run, and what a debate is shown must not depend on them.
///
/// Source: S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
/// 2009, section 3.4; the 1 inside the logarithm is the usual guard against negative weights.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lexical;

/// How often an item has each word of the query, and its length in words.
struct Counted {
    counts: HashMap<String, u32>,
    length: usize,
}

impl Retriever for Lexical {
    fn name(&self) -> &str {
        "lexical-bm25/1"
    }

    fn rank(&self, query: &str, items: &[Item<'_>], k: usize) -> Result<Vec<Hit>, RetrieveError> {
        let terms: BTreeSet<String> = content_words(query).collect();
        if terms.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        let counted: Vec<Counted> = items.iter().map(|item| count(item.text, &terms)).collect();
        let total = counted.len() as f64;
        let mean_length = counted.iter().map(|c| c.length as f64).sum::<f64>() / total;
        // In the order of the words, so that the sum is the same to the last bit every time.
        let weights: Vec<(&String, f64)> = terms
            .iter()
            .map(|term| {
                let having = counted.iter().filter(|c| c.counts.contains_key(term));
                let having = having.count() as f64;
                (term, (1.0 + (total - having + 0.5) / (having + 0.5)).ln())
            })
            .collect();
        let mut found: Vec<(f64, &str, &str)> = items
            .iter()
            .zip(&counted)
            .filter(|(_, counted)| !counted.counts.is_empty())
            .map(|(item, counted)| (score(counted, &weights, mean_length), item.text, item.id))
            .collect();
        found.sort_by(|a, b| {
            b.0.total_cmp(&a.0)
                .then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
        });
        found.truncate(k);
        let hits = found.into_iter().map(|(score, _, id)| Hit {
            id: id.to_owned(),
            score,
        });
        Ok(hits.collect())
    }
}

fn score(counted: &Counted, weights: &[(&String, f64)], mean_length: f64) -> f64 {
    // An item with a word of the query has a length, so the mean is above zero.
    let length = K1 * (1.0 - B + B * counted.length as f64 / mean_length);
    weights
        .iter()
        .filter_map(|(term, weight)| {
            let often = f64::from(*counted.counts.get(*term)?);
            Some(weight * often * (K1 + 1.0) / (often + length))
        })
        .sum()
}

fn count(text: &str, terms: &BTreeSet<String>) -> Counted {
    let mut counted = Counted {
        counts: HashMap::new(),
        length: 0,
    };
    for word in content_words(text) {
        counted.length += 1;
        if terms.contains(&word) {
            *counted.counts.entry(word).or_default() += 1;
        }
    }
    counted
}

fn content_words(text: &str) -> impl Iterator<Item = String> {
    let is_content = |word: &String| !STOP_WORDS.contains(&word.as_str());
    words(text).into_iter().filter(is_content)
}
