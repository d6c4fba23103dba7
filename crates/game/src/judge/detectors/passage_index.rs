//! Passage index: a text that is searched many times for passages of a few words.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// Most positions at which a passage is compared. Where its rarest word is more frequent, the text
/// is scanned instead, which no repetition can make slow.
const MAX_PLACES: usize = 256;

/// A text with the positions of its words.
pub(crate) struct PassageIndex {
    text: String,
    /// By the word's hash: a collision costs a comparison and causes no false match.
    places: HashMap<u64, Vec<usize>>,
}

impl PassageIndex {
    pub(crate) fn new(text: String) -> Self {
        let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, word) in words_at(&text) {
            places.entry(hash(word)).or_default().push(at);
        }
        Self { text, places }
    }

    /// Returns start and end of a passage, in bytes, at its first occurrence from byte `from` on.
    pub(crate) fn find_passage(&self, passage: &str, from: usize) -> Option<(usize, usize)> {
        let words: Vec<(usize, &str)> = words_at(passage).collect();
        // The first and the last word may be parts of longer words of the text.
        let inner = words
            .get(1..words.len().saturating_sub(1))
            .unwrap_or_default();
        let nowhere = Vec::new();
        let rarest = inner
            .iter()
            .map(|(offset, word)| (*offset, self.places.get(&hash(word)).unwrap_or(&nowhere)))
            .min_by_key(|(_, places)| places.len());
        let start = match rarest {
            Some((offset, places)) if places.len() <= MAX_PLACES => places
                .iter()
                .filter_map(|place| place.checked_sub(offset))
                .filter(|start| *start >= from)
                .find(|start| self.text.get(*start..start + passage.len()) == Some(passage))?,
            Some(_) | None => from + self.text.get(from..)?.find(passage)?,
        };
        Some((start, start + passage.len()))
    }
}

/// Returns the words of a text, separated by white space, with their positions in bytes.
fn words_at(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let begin = text.as_ptr() as usize;
    text.split_whitespace()
        .map(move |word| (word.as_ptr() as usize - begin, word))
}

fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}
