//! Filtering while a person types: fuzzy, word by word, over what a session is known by. Pure.

use super::stock::Entry;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32String};

/// How much of a topic is looked at; the search over all sessions reads the whole.
const MAX_TOPIC_CHARS: usize = 400;
/// What a letter must score at least, on average: letters strewn over a topic are no match.
const MIN_SCORE_A_LETTER: usize = 16;

/// What a session is found by: topic, name, tags, protocol and id.
#[derive(Debug, Clone, Default)]
pub struct Hay(Vec<Utf32String>);

impl Hay {
    /// Collects it.
    pub fn of(entry: &Entry) -> Self {
        let mut hay = vec![Utf32String::from(entry.id.as_str())];
        match &entry.found {
            Ok(glance) => {
                let topic: String = glance.summary.topic.chars().take(MAX_TOPIC_CHARS).collect();
                hay.push(topic.into());
                hay.push(glance.summary.protocol.as_str().into());
            }
            Err(why) => hay.push(why.as_str().into()),
        }
        hay.extend(entry.name.as_deref().map(Utf32String::from));
        hay.extend(entry.tags.iter().map(|tag| Utf32String::from(tag.as_str())));
        Self(hay)
    }
}

/// A filter that is ready to be asked.
pub struct Sieve {
    pattern: Pattern,
    matcher: Matcher,
}

impl Sieve {
    /// Reads a filter; every word of it must be found somewhere.
    pub fn new(filter: &str) -> Self {
        Self {
            pattern: Pattern::parse(filter, CaseMatching::Ignore, Normalization::Smart),
            matcher: Matcher::new(Config::DEFAULT),
        }
    }

    /// Says whether a session is let through.
    pub fn passes(&mut self, hay: &Hay) -> bool {
        let matcher = &mut self.matcher;
        self.pattern.atoms.iter().all(|atom| {
            let least = MIN_SCORE_A_LETTER * atom.needle_text().len();
            let mut fits = |field: &Utf32String| {
                let score = atom.score(field.slice(..), matcher);
                score.is_some_and(|score| atom.negative || usize::from(score) >= least)
            };
            if atom.negative {
                hay.0.iter().all(&mut fits)
            } else {
                hay.0.iter().any(&mut fits)
            }
        })
    }
}
