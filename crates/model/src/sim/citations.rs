//! Simulated citations: quotes of documents in view, and invented ones. Pure.
//!
//! Never quotes a document whose text is not in the messages.

use super::seeded_draws::SeededDraws;
use super::word_spans;
use crate::call::Request;
use crate::call_context::DocumentHint;

/// The field of a citation that names the document.
pub(super) const DOCUMENT_FIELD: &str = "document";
/// The field of a citation that quotes it.
pub(super) const QUOTE_FIELD: &str = "quote";
/// Document name of a citation that a schema requires where there is nothing to cite.
const NOTHING: &str = "none";
const MIN_WORDS: u64 = 6;
const MAX_WORDS: u64 = 12;
/// Syllables of invented words: no two of them make a word of a document that people wrote.
const SYLLABLES: [&str; 12] = [
    "zor", "quem", "vax", "thul", "brix", "yond", "plov", "gwer", "skiv", "mraf", "dwoz", "jelf",
];
const SYLLABLES_PER_WORD: usize = 3;
/// The most redraws of an invented word that a document in view happens to hold.
const MAX_REDRAWS: u32 = 8;

/// The documents in view of a request.
#[derive(Debug)]
pub(super) struct Citable<'a> {
    documents: Vec<&'a DocumentHint>,
    fabricate_rate: f64,
}

/// A citation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Citation {
    pub document: String,
    pub quote: String,
}

impl<'a> Citable<'a> {
    /// Finds the documents whose whole text is in the messages.
    pub(super) fn from_request(request: &'a Request, fabricate_rate: f64) -> Self {
        let is_shown = |document: &&DocumentHint| {
            let text = document.text.trim();
            let mut messages = request.messages.iter();
            !text.is_empty() && messages.any(|message| message.content.contains(text))
        };
        Self {
            documents: request.context.documents.iter().filter(is_shown).collect(),
            fabricate_rate,
        }
    }

    /// Returns whether no document is in view.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Cites a document in view, with a real or an invented quote; empty with nothing in view.
    /// `path` keys the draws.
    pub fn cite_document(&self, draws: &SeededDraws, path: &str) -> Citation {
        let at = draws.draw_below(&format!("document {path}"), self.documents.len() as u64);
        let Some(document) = self.documents.get(at as usize) else {
            return Citation {
                document: NOTHING.to_owned(),
                quote: String::new(),
            };
        };
        let span = MAX_WORDS - MIN_WORDS + 1;
        let count = (MIN_WORDS + draws.draw_below(&format!("words {path}"), span)) as usize;
        let quote = if draws.draw_bool(&format!("fabricate {path}"), self.fabricate_rate) {
            let words = (0..count).map(|word| self.invent_word(draws, &format!("{path} {word}")));
            words.collect::<Vec<_>>().join(" ")
        } else {
            let places = word_spans::find_words(&document.text)
                .len()
                .saturating_sub(count)
                + 1;
            let first = draws.draw_below(&format!("quote {path}"), places as u64);
            word_spans::cut_words(&document.text, first as usize, count).to_owned()
        };
        Citation {
            document: document.name.clone(),
            quote,
        }
    }

    /// Invents a word that no document in view holds.
    fn invent_word(&self, draws: &SeededDraws, path: &str) -> String {
        let mut word = String::new();
        for redraw in 0..=MAX_REDRAWS {
            word = (0..SYLLABLES_PER_WORD)
                .map(|at| draws.draw_item(&format!("syllable {path} {redraw} {at}"), &SYLLABLES))
                .collect();
            let is_held = |document: &&DocumentHint| document.text.to_lowercase().contains(&word);
            if !self.documents.iter().any(is_held) {
                break;
            }
        }
        word
    }
}
