//! Fuzzy matching of short texts, as in helix.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// A text that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranked {
    /// Index of the text.
    pub index: usize,
    /// Positions of the query's letters: character indices, ascending.
    pub letters: Vec<u32>,
}

/// Returns the texts that match, the best first; an empty query matches all in their order.
pub fn rank_texts<'t>(query: &str, texts: impl IntoIterator<Item = &'t str>) -> Vec<Ranked> {
    let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut hits: Vec<(u32, Ranked)> = Vec::new();
    for (index, text) in texts.into_iter().enumerate() {
        let mut letters = Vec::new();
        let characters = Utf32Str::new(text, &mut buffer);
        if let Some(score) = pattern.indices(characters, &mut matcher, &mut letters) {
            letters.sort_unstable();
            letters.dedup();
            hits.push((score, Ranked { index, letters }));
        }
    }
    hits.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    hits.into_iter().map(|(_, ranked)| ranked).collect()
}
