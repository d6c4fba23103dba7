//! Query on sessions as a person types it: words, and fields such as `state:failed` or `cost>0.1`. Pure.
//!
//! Every term must hold; a `-` before one means that it must not. A word that stands in a session is an
//! exact match, letters near each other a near one; exact matches are listed first.

use super::known_sessions::{SessionEntry, SessionOrigin};
use elenchus_records::workspace::{FilteredSession, SessionFilter, WorkspaceError, has_verdict};
use jiff::Timestamp;
use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32String};

/// Characters of a topic that the filter reads; the search over all sessions reads the whole.
const MAX_TOPIC_CHARS: usize = 400;
/// Distance between the letters of a word, at most: scattered letters are no match.
const MAX_SPAN_A_LETTER: usize = 2;
/// Letters of a word that may match near by, and of an id that is meant, at least.
const MIN_NEAR: usize = 3;
const MIN_ID: usize = 5;

/// How well a session fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    Exact,
    Near,
}

/// Searchable texts of a session: topic, protocol, name, tags and models.
#[derive(Debug, Clone, Default)]
pub(super) struct SearchableTexts {
    /// In lower case.
    texts: Vec<String>,
    near: Vec<Utf32String>,
}

impl SearchableTexts {
    /// Collects them.
    pub fn from_entry(entry: &SessionEntry) -> Self {
        let mut texts = Vec::new();
        match &entry.found {
            Ok(glance) => {
                texts.push(glance.summary.topic.chars().take(MAX_TOPIC_CHARS).collect());
                texts.push(glance.summary.protocol.clone());
                texts.extend(glance.models.iter().cloned());
            }
            Err(why) => texts.push(why.clone()),
        }
        texts.extend(entry.name.clone());
        texts.extend(entry.tags.iter().cloned());
        Self {
            near: texts.iter().map(|text| text.as_str().into()).collect(),
            texts: texts.iter().map(|text| text.to_lowercase()).collect(),
        }
    }
}

/// A query that is ready to be asked.
pub(super) struct SessionQuery {
    terms: Vec<Term>,
    matcher: Matcher,
    now: Option<Timestamp>,
}

/// One of the terms of a query.
enum Term {
    Field(SessionFilter),
    Word {
        is_wanted: bool,
        text: String,
        near: Atom,
    },
}

impl SessionQuery {
    /// Reads a query; ages are counted up to `now`. A field that is not finished yet holds for all, as
    /// does one that [`query_fault`] names.
    pub fn new(filter: &str, now: &str) -> Self {
        let terms = split_words(filter).into_iter();
        Self {
            terms: terms.filter_map(|word| read_term(&word).ok()?).collect(),
            matcher: Matcher::new(Config::DEFAULT),
            now: now.parse().ok(),
        }
    }

    /// Says whether replicates of ablations are listed: only where they or a run are asked for.
    pub fn shows_replicates(&self) -> bool {
        self.terms.iter().any(|term| match term {
            Term::Field(filter) => filter.asks_for_replicates(),
            Term::Word { .. } => false,
        })
    }

    /// Says how well a session fits; `None` where it does not.
    pub fn find_fit(&mut self, entry: &SessionEntry) -> Option<Fit> {
        let mut fit = Fit::Exact;
        for term in &self.terms {
            match term {
                Term::Field(filter) => {
                    let passes = filter.matches_session(FilteredSession {
                        id: &entry.id,
                        overview: entry.found.as_ref().ok(),
                        name: entry.name.as_deref(),
                        tags: &entry.tags,
                        is_example: entry.origin == SessionOrigin::Example,
                        now: self.now,
                    });
                    if !passes {
                        return None;
                    }
                }
                Term::Word {
                    is_wanted,
                    text,
                    near,
                } => match (is_wanted, fits_word(entry, text, near, &mut self.matcher)) {
                    (true, Some(found)) => fit = fit.max(found),
                    (true, None) | (false, Some(Fit::Exact)) => return None,
                    (false, Some(Fit::Near) | None) => {}
                },
            }
        }
        Some(fit)
    }
}

/// Says what is wrong with a query, and what can be written instead.
pub fn query_fault(filter: &str) -> Option<String> {
    let mut words = split_words(filter).into_iter();
    words
        .find_map(|word| read_term(&word).err())
        .map(|error| error.to_string())
}

/// Splits a query at blanks outside of quotes.
fn split_words(filter: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut is_quoted) = (String::new(), false);
    for c in filter.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c.is_whitespace() && !is_quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.trim_start_matches(['-', '!']).is_empty());
    words
}

/// Reads a term; `None` while a field has no value yet. `-` and `!` before one negate it.
fn read_term(term: &str) -> Result<Option<Term>, WorkspaceError> {
    if SessionFilter::compares_a_field(term) {
        return Ok(SessionFilter::parse_term(term)?.map(Term::Field));
    }
    let negated_word = term.strip_prefix(['-', '!']);
    let word = negated_word.unwrap_or(term);
    Ok(Some(Term::Word {
        is_wanted: negated_word.is_none(),
        text: word.to_lowercase(),
        near: Atom::new(
            word,
            CaseMatching::Ignore,
            Normalization::Smart,
            AtomKind::Fuzzy,
            false,
        ),
    }))
}

fn fits_word(entry: &SessionEntry, text: &str, near: &Atom, matcher: &mut Matcher) -> Option<Fit> {
    let stands = entry.texts.texts.iter().any(|hay| hay.contains(text));
    let is_id = text.len() >= MIN_ID && entry.id.as_str().starts_with(text);
    let is_state = entry
        .found
        .as_ref()
        .is_ok_and(|glance| glance.summary.state.as_word() == text || has_verdict(glance, text));
    if stands || is_id || is_state {
        return Some(Fit::Exact);
    }
    if text.chars().count() < MIN_NEAR {
        return None;
    }
    let most = MAX_SPAN_A_LETTER * near.needle_text().len() + MAX_SPAN_A_LETTER;
    let is_near = entry.texts.near.iter().any(|field| {
        let mut letters = Vec::new();
        let score = near.indices(field.slice(..), matcher, &mut letters);
        let span = letters.iter().max().zip(letters.iter().min());
        score.is_some() && span.is_none_or(|(last, first)| (last - first) as usize <= most)
    });
    is_near.then_some(Fit::Near)
}
