//! What a debate is shown of memory, and what is kept from it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::words::{jaccard, words};
use super::{Entry, EntryId, EntryStanding, Origin};

/// How many entries a debate is shown unless the experiment says otherwise.
pub const TOP_K: usize = 5;

/// From this [`similarity`](super::similarity) on, two topics are near-duplicates.
///
/// With it, no two of 70 HarmBench behaviours are, and of XSTest's prompts those are that differ in
/// the one word that makes the pair a contrast.
pub const NEAR_DUPLICATE_SIMILARITY: f64 = 0.6;

/// Ranks texts for a query.
///
/// At most `k` hits, best first, each id once and from `items`; equal input gives equal output.
pub trait Retriever: Send + Sync {
    /// Names the method and its version. A run keeps one name to its end.
    fn name(&self) -> &str;

    /// Returns the best items for `query`, with scores that compare within this answer only.
    ///
    /// # Errors
    /// When the method cannot rank these texts now; another one may.
    fn rank(&self, query: &str, items: &[Item<'_>], k: usize) -> Result<Vec<Hit>, RetrieveError>;
}

/// A text that can be retrieved, under an id that no other item of the same question has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a> {
    pub id: &'a str,
    pub text: &'a str,
}

/// A retrieved item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hit {
    /// [`Item::id`].
    pub id: String,
    pub score: f64,
}

/// A retriever that could not rank.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{retriever} cannot rank: {why}")]
pub struct RetrieveError {
    /// [`Retriever::name`].
    pub retriever: String,
    /// What went wrong, and what to do next.
    pub why: String,
}

/// The debate that asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asker<'a> {
    pub topic_id: &'a str,
    pub topic_text: &'a str,
    /// The session at the root of its fork tree.
    pub root_session: &'a str,
    /// The run and the batch that it plays in. Of its own run it sees only earlier batches.
    pub run: Option<(&'a str, u32)>,
}

impl Asker<'_> {
    /// Says whether an origin has taught anything as far as the asker is concerned: of its own run
    /// only earlier batches have. So what it sees never depends on which debate was over first.
    pub fn knows(&self, origin: &Origin) -> bool {
        match (self.run, origin.run.as_deref(), origin.batch) {
            (Some((run, now)), Some(own), Some(batch)) => run != own || batch < now,
            (None, _, _) | (_, None, _) | (_, _, None) => true,
        }
    }
}

/// Whether something is kept from the asker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    Exclude,
    Allow,
}

/// Which origins are kept from the asker besides disabled entries and later batches, which always are.
///
/// The rules hold side by side: a topic allowed by `same_topic` is still its own near-duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// Origins with the same topic id, or with a text of the same words. Ids of two datasets may
    /// meet by chance: that keeps out too much, never too little.
    pub same_topic: Rule,
    /// Origins whose topic's text is at least so similar, from 0 to 1; `None` keeps none out.
    pub near_duplicate: Option<f64>,
    /// Origins in the same fork tree.
    pub forks: Rule,
}

impl Default for Exclusion {
    fn default() -> Self {
        Exclusion {
            same_topic: Rule::Exclude,
            near_duplicate: Some(NEAR_DUPLICATE_SIMILARITY),
            forks: Rule::Exclude,
        }
    }
}

/// Why an entry was kept from the asker.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Why {
    Disabled,
    Deleted,
    /// Taught in this batch of the asker's run, or in a later one.
    NotEarlierBatch,
    Fork,
    SameTopicId,
    SameTopicText,
    NearDuplicate {
        similarity: f64,
    },
}

/// An entry that was kept from the asker, whatever its rank would have been.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Excluded {
    pub id: EntryId,
    pub why: Why,
    /// The session that taught it and must not teach the asker; `None` where the entry itself is
    /// not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// What was retrieved, and what was kept out before ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retrieved {
    /// [`Retriever::name`].
    pub retriever: String,
    /// Best first; every score is above zero.
    pub hits: Vec<Hit>,
    pub excluded: Vec<Excluded>,
}

/// Retrieves at most `k` entries for the asker's topic.
///
/// Entries that are kept out are taken away before ranking, so that they do not even move the
/// scores of the others. Without hits the debate is simply shown none.
///
/// # Errors
/// When the retriever cannot rank now.
pub fn retrieve(
    retriever: &dyn Retriever,
    asker: &Asker<'_>,
    entries: &[Entry],
    k: usize,
    exclusion: &Exclusion,
) -> Result<Retrieved, RetrieveError> {
    let mut gate = Gate::new(asker, exclusion);
    let mut open = Vec::new();
    let mut excluded = Vec::new();
    for entry in entries {
        match gate.why(entry) {
            Some((why, origin)) => excluded.push(Excluded {
                id: entry.id.clone(),
                why,
                origin: origin.map(|origin| origin.session.clone()),
            }),
            None => open.push(Item {
                id: &entry.id.0,
                text: &entry.text,
            }),
        }
    }
    let mut hits = retriever.rank(asker.topic_text, &open, k)?;
    hits.retain(|hit| hit.score.is_finite() && hit.score > 0.0);
    hits.truncate(k);
    Ok(Retrieved {
        retriever: retriever.name().to_owned(),
        hits,
        excluded,
    })
}

/// Decides entry by entry; remembers topics, which many entries share.
struct Gate<'a> {
    asker: &'a Asker<'a>,
    exclusion: &'a Exclusion,
    asked: Vec<String>,
    similarities: HashMap<&'a str, f64>,
}

impl<'a> Gate<'a> {
    fn new(asker: &'a Asker<'a>, exclusion: &'a Exclusion) -> Self {
        Gate {
            asker,
            exclusion,
            asked: words(asker.topic_text),
            similarities: HashMap::new(),
        }
    }

    /// Why the asker is not shown an entry, and which of its origins is the reason: one is enough.
    fn why(&mut self, entry: &'a Entry) -> Option<(Why, Option<&'a Origin>)> {
        match entry.standing() {
            EntryStanding::Deleted => return Some((Why::Deleted, None)),
            EntryStanding::Disabled => return Some((Why::Disabled, None)),
            EntryStanding::Live => {}
        }
        let first = entry.origins.first()?;
        if !self.asker.knows(first) {
            return Some((Why::NotEarlierBatch, Some(first)));
        }
        let asker = self.asker;
        let mut known = entry.origins.iter().filter(|origin| asker.knows(origin));
        known.find_map(|origin| Some((self.why_not_of(origin)?, Some(origin))))
    }

    fn why_not_of(&mut self, origin: &'a Origin) -> Option<Why> {
        match self.exclusion.forks {
            Rule::Exclude if origin.root_session == self.asker.root_session => {
                return Some(Why::Fork);
            }
            Rule::Exclude | Rule::Allow => {}
        }
        let similarity = self.similarity(&origin.topic_text);
        match self.exclusion.same_topic {
            Rule::Exclude if origin.topic_id == self.asker.topic_id => {
                return Some(Why::SameTopicId);
            }
            Rule::Exclude if similarity >= 1.0 => return Some(Why::SameTopicText),
            Rule::Exclude | Rule::Allow => {}
        }
        let threshold = self.exclusion.near_duplicate?;
        (similarity >= threshold).then_some(Why::NearDuplicate { similarity })
    }

    fn similarity(&mut self, text: &'a str) -> f64 {
        let asked = &self.asked;
        let found = self.similarities.entry(text);
        *found.or_insert_with(|| jaccard(asked, &words(text)))
    }
}
