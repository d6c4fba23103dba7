//! Citations of documents in view, and invented ones. Pure.
//!
//! Never: quotes a document whose text is not in the messages.

use super::draw::Draws;
use super::spans;
use crate::model::call::Request;
use crate::model::hint::DocumentHint;

/// The field of a citation that names the document.
pub(super) const DOCUMENT_FIELD: &str = "document";
/// The field of a citation that quotes it.
pub(super) const QUOTE_FIELD: &str = "quote";
/// What a citation names that a schema demands where there is nothing to cite.
const NOTHING: &str = "none";
const MIN_WORDS: u64 = 6;
const MAX_WORDS: u64 = 12;
/// Syllables of invented words: no two make a word of any document that people wrote.
const SYLLABLES: [&str; 12] = [
    "zor", "quem", "vax", "thul", "brix", "yond", "plov", "gwer", "skiv", "mraf", "dwoz", "jelf",
];
const SYLLABLES_PER_WORD: usize = 3;
/// How often a word is drawn anew that a document in view holds.
const MAX_REDRAWS: u32 = 8;

/// What a request gives to cite.
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
    /// Finds the documents whose text is shown.
    pub fn of(request: &'a Request, fabricate_rate: f64) -> Self {
        let is_shown = |document: &&DocumentHint| {
            let text = document.text.trim();
            let mut messages = request.messages.iter();
            !text.is_empty() && messages.any(|message| message.content.contains(text))
        };
        Self {
            documents: request.hint.documents.iter().filter(is_shown).collect(),
            fabricate_rate,
        }
    }

    /// Whether nothing is in view that could be cited.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Cites a document in view, or invents what it says; empty with nothing in view. `path` keys
    /// the draws.
    pub fn cite(&self, draws: &Draws, path: &str) -> Citation {
        let at = draws.below(&format!("document {path}"), self.documents.len() as u64);
        let Some(document) = self.documents.get(at as usize) else {
            return Citation {
                document: NOTHING.to_owned(),
                quote: String::new(),
            };
        };
        let span = MAX_WORDS - MIN_WORDS + 1;
        let count = (MIN_WORDS + draws.below(&format!("words {path}"), span)) as usize;
        let quote = if draws.happens(&format!("fabricate {path}"), self.fabricate_rate) {
            let words = (0..count).map(|word| self.invent(draws, &format!("{path} {word}")));
            words.collect::<Vec<_>>().join(" ")
        } else {
            let places = spans::words(&document.text).len().saturating_sub(count) + 1;
            let first = draws.below(&format!("quote {path}"), places as u64);
            spans::cut(&document.text, first as usize, count).to_owned()
        };
        Citation {
            document: document.name.clone(),
            quote,
        }
    }

    /// Invents a word that no document in view holds.
    fn invent(&self, draws: &Draws, path: &str) -> String {
        let mut word = String::new();
        for redraw in 0..=MAX_REDRAWS {
            word = (0..SYLLABLES_PER_WORD)
                .map(|at| draws.pick(&format!("syllable {path} {redraw} {at}"), &SYLLABLES))
                .collect();
            let is_held = |document: &&DocumentHint| document.text.to_lowercase().contains(&word);
            if !self.documents.iter().any(is_held) {
                break;
            }
        }
        word
    }
}
