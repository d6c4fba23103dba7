//! Filter of the session list: fuzzy, word by word, over a session's known texts. Pure.

use super::known_sessions::SessionEntry;
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32String};

/// Characters of a topic that the filter reads; the search over all sessions reads the whole.
const MAX_TOPIC_CHARS: usize = 400;
/// Distance between the letters of a word, at most: scattered letters are no match.
const MAX_SPAN_A_LETTER: usize = 2;

/// Searchable text of a session: topic, name, tags, protocol and id.
#[derive(Debug, Clone, Default)]
pub(super) struct Hay(Vec<Utf32String>);

impl Hay {
    /// Collects it.
    pub fn of(entry: &SessionEntry) -> Self {
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
pub(super) struct Sieve {
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
            if atom.negative {
                let mut lacks =
                    |field: &Utf32String| atom.score(field.slice(..), matcher).is_some();
                return hay.0.iter().all(&mut lacks);
            }
            let most = MAX_SPAN_A_LETTER * atom.needle_text().len() + MAX_SPAN_A_LETTER;
            hay.0.iter().any(|field| {
                let mut letters = Vec::new();
                let found = atom.indices(field.slice(..), matcher, &mut letters);
                let span = letters.iter().max().zip(letters.iter().min());
                found.is_some() && span.is_none_or(|(last, first)| (last - first) as usize <= most)
            })
        })
    }
}
