//! Search for quoted words in the given documents.

use super::normalize::{is_quotation_mark, normalize_text};
use super::passage_index::PassageIndex;
use crate::debate::Document;

/// A quotation with fewer words than this …
const MIN_WORDS: usize = 3;
/// … and fewer characters than this is too short to prove anything.
const MIN_CHARS: usize = 15;
/// Most fragments into which ellipses may divide a quotation.
const MAX_FRAGMENTS: usize = 20;
/// Longest file extension that may be missing from a document's name, in characters.
const MAX_EXTENSION_CHARS: usize = 5;
/// Shortest name that counts as a mention of a document, in characters.
const MIN_MENTIONED_CHARS: usize = 3;

/// Kind of match of a quotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum QuoteMatch {
    /// Character for character.
    Exact,
    /// Except for typography.
    Normalised,
    /// The parts between its ellipses, in their order.
    Fragments,
}

impl QuoteMatch {
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}

/// Result of the search for a quotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuoteSearch<'a> {
    /// In the document of that name.
    Found(&'a str, QuoteMatch),
    Nowhere,
    /// No words, too few words or too many fragments to search for.
    ProvesNothing,
}

/// The given documents, indexed for repeated search.
pub(crate) struct DocumentIndex<'a> {
    documents: Vec<IndexedDocument<'a>>,
}

struct IndexedDocument<'a> {
    document: &'a Document,
    plain: PassageIndex,
    exact: PassageIndex,
    /// The name without case and space, and the same without its file extension.
    key: String,
    stem: String,
    /// Words by which a text mentions it.
    mention: String,
}

impl<'a> DocumentIndex<'a> {
    pub(crate) fn new(documents: &'a [Document]) -> Self {
        let indexed_documents = documents
            .iter()
            .map(|document| {
                let key = name_key(&document.name);
                IndexedDocument {
                    plain: PassageIndex::new(normalize_text(&document.text)),
                    exact: PassageIndex::new(document.text.clone()),
                    stem: strip_extension(&key).to_owned(),
                    mention: normalize_text(strip_extension(document.name.trim())),
                    key,
                    document,
                }
            })
            .collect();
        Self {
            documents: indexed_documents,
        }
    }

    /// Returns the names of the documents that `name` may mean: those of exactly that name, else
    /// those that differ in case and space, else those that differ in the file extension.
    pub(crate) fn find_documents(&self, name: &str) -> Vec<&'a str> {
        let key = name_key(name);
        let stem = strip_extension(&key);
        let tiers: [&dyn Fn(&IndexedDocument<'a>) -> bool; 3] = [
            &|held| held.document.name == name,
            &|held| held.key == key,
            &|held| !stem.is_empty() && held.stem == stem && (held.stem == held.key || stem == key),
        ];
        tiers
            .iter()
            .map(|fits| {
                let matching_documents = self.documents.iter().filter(|held| fits(held));
                matching_documents
                    .map(|held| held.document.name.as_str())
                    .collect()
            })
            .find(|found: &Vec<&str>| !found.is_empty())
            .unwrap_or_default()
    }

    /// Returns the first document that a text mentions by name, with or without its extension.
    pub(super) fn find_mention(&self, text: &str) -> Option<&'a str> {
        if self.documents.is_empty() {
            return None;
        }
        let text = normalize_text(text);
        let mentioned_document = self.documents.iter().find(|held| {
            held.mention.chars().count() >= MIN_MENTIONED_CHARS && holds_words(&text, &held.mention)
        })?;
        Some(&mentioned_document.document.name)
    }

    /// Searches for quoted words, first in the documents that were `named`, then in all others.
    pub(crate) fn find_quote(&self, quote: &str, named: &[&str]) -> QuoteSearch<'a> {
        let exact = trim_quote(quote);
        let normal_quote = normalize_text(exact);
        let fragments = split_fragments(&normal_quote);
        if fragments.len() > MAX_FRAGMENTS || !fragments.iter().any(|part| is_long_enough(part)) {
            return QuoteSearch::ProvesNothing;
        }
        let is_named = |held: &&IndexedDocument<'a>| named.contains(&held.document.name.as_str());
        let first = self.documents.iter().filter(is_named);
        let then = self.documents.iter().filter(|held| !is_named(held));
        first
            .chain(then)
            .find_map(|held| {
                let how = held.match_quote(exact, &normal_quote, &fragments)?;
                Some(QuoteSearch::Found(held.document.name.as_str(), how))
            })
            .unwrap_or(QuoteSearch::Nowhere)
    }
}

impl IndexedDocument<'_> {
    fn match_quote(&self, exact: &str, wanted: &str, fragments: &[&str]) -> Option<QuoteMatch> {
        if self.plain.find_passage(wanted, 0).is_some() {
            return Some(match self.exact.find_passage(exact, 0) {
                Some(_) => QuoteMatch::Exact,
                None => QuoteMatch::Normalised,
            });
        }
        if fragments == [wanted] {
            return None;
        }
        let mut from = 0;
        for fragment in fragments {
            from = self.plain.find_passage(fragment, from)?.1;
        }
        Some(match fragments {
            // The only difference was an ellipsis at the end of the quotation.
            [_] => QuoteMatch::Normalised,
            _ => QuoteMatch::Fragments,
        })
    }
}

/// Removes white space and quotation marks around a quotation.
fn trim_quote(quote: &str) -> &str {
    quote.trim_matches(|c: char| c.is_whitespace() || is_quotation_mark(c))
}

/// Splits a plain quotation at its ellipses, into at most one fragment more than allowed, which
/// shows that there are too many.
fn split_fragments(wanted: &str) -> Vec<&str> {
    wanted
        .split("...")
        .map(|part| part.trim_matches(|c: char| matches!(c, ' ' | '.' | '[' | ']' | '(' | ')')))
        .filter(|part| !part.is_empty())
        .take(MAX_FRAGMENTS + 1)
        .collect()
}

fn is_long_enough(part: &str) -> bool {
    let words = part
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .count();
    words >= MIN_WORDS || (words > 0 && part.chars().count() >= MIN_CHARS)
}

fn name_key(name: &str) -> String {
    let mut key = normalize_text(name);
    key.retain(|c| !c.is_whitespace());
    key
}

/// Removes a file extension: a dot and a few letters and digits, a letter first.
fn strip_extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension))
            if !stem.is_empty()
                && extension.starts_with(|c: char| c.is_ascii_alphabetic())
                && extension.len() <= MAX_EXTENSION_CHARS
                && extension.chars().all(|c| c.is_ascii_alphanumeric()) =>
        {
            stem
        }
        Some(_) | None => name,
    }
}

/// Returns whether `words` occur in `text` with no letter or digit touching them.
fn holds_words(text: &str, words: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(at, found)| {
        !is_word(text[..at].chars().next_back())
            && !is_word(text[at + found.len()..].chars().next())
    })
}
