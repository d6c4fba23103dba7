//! Retrieval of entries for a debate, and the rules that exclude entries.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::embed::FailureReach;
use super::text_similarity::{jaccard_index, split_words};
use super::{EntryId, EntryKind, EntryOrigin, EntryStatus, MemoryEntry};

/// Number of entries for a debate unless the experiment sets another: what RedDebate shows.
pub const DEFAULT_TOP_K: usize = 5;

/// How many entries a look-up returns, and from which score on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookupLimits {
    pub k: usize,
    pub least: LeastScore,
    /// The examples of a guardrail that count, the first ones.
    pub examples: usize,
}

impl LookupLimits {
    /// Returns those of a look-up for what matches at all.
    pub fn matches_only(k: usize, examples: usize) -> Self {
        let least = LeastScore::AboveZero;
        Self { k, least, examples }
    }
}

/// The score that an entry needs to be returned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LeastScore {
    /// None: `k` entries wherever there are as many.
    Any,
    /// Above zero: with a search by words, an entry that shares one.
    AboveZero,
    AtLeast(f64),
}

impl LeastScore {
    fn allows_score(self, score: f64) -> bool {
        match self {
            LeastScore::Any => score.is_finite(),
            LeastScore::AboveZero => score.is_finite() && score > 0.0,
            LeastScore::AtLeast(least) => score.is_finite() && score >= least,
        }
    }
}

/// Similarity ([`compute_similarity`](super::compute_similarity)) from which two topics are near-duplicates.
///
/// No two of 70 HarmBench behaviours reach it; of XSTest's prompts those do that differ in the one
/// word that makes the pair a contrast.
pub(super) const NEAR_DUPLICATE_SIMILARITY: f64 = 0.6;

/// Ranks texts for a query.
///
/// At most `k` hits, best first, each id once and from `items`; equal input gives equal output.
pub trait Retriever: Send + Sync {
    /// Returns the method's name and version. A run keeps one name to its end.
    fn name(&self) -> &str;

    /// Returns the best items for `query`, with scores that compare within this answer only.
    ///
    /// # Errors
    /// When the method cannot rank these texts now; another one may.
    fn rank_items(
        &self,
        query: &str,
        items: &[RetrievalItem<'_>],
        k: usize,
    ) -> Result<Vec<RetrievalHit>, RetrieveError>;
}

/// A text that can be retrieved, under an id that is unique within the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetrievalItem<'a> {
    pub id: &'a str,
    pub text: &'a str,
}

/// A retrieved item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetrievalHit {
    /// [`RetrievalItem::id`].
    pub id: String,
    pub score: f64,
}

/// Returns the `k` items with the highest scores, the best first; where scores are equal, in the order of
/// their texts, so that the order in which items are kept decides nothing.
pub(super) fn select_best(
    mut scored_items: Vec<(f64, &RetrievalItem<'_>)>,
    k: usize,
) -> Vec<RetrievalHit> {
    scored_items.sort_by(|(one, a), (other, b)| {
        other
            .total_cmp(one)
            .then_with(|| (a.text, a.id).cmp(&(b.text, b.id)))
    });
    scored_items.truncate(k);
    let hits = scored_items.into_iter().map(|(score, item)| RetrievalHit {
        id: item.id.to_owned(),
        score,
    });
    hits.collect()
}

/// A retriever that could not rank.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{retriever} cannot rank: {why}")]
pub struct RetrieveError {
    /// [`Retriever::name`].
    pub retriever: String,
    /// The error, and what to do next.
    pub why: String,
    /// The texts that it concerns.
    pub reach: FailureReach,
}

/// The debate that retrieves entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetrievingDebate<'a> {
    pub topic_id: &'a str,
    pub topic_text: &'a str,
    /// What the user said before the topic, where that is part of the query; empty otherwise.
    pub said_before: &'a str,
    /// The session at the root of its fork tree.
    pub root_session: &'a str,
    /// Its run and batch. Of its own run it sees only earlier batches.
    pub run: Option<(&'a str, u32)>,
}

impl RetrievingDebate<'_> {
    /// Returns the text that entries are ranked by.
    fn query_text(&self) -> Cow<'_, str> {
        whole_text(self.said_before, self.topic_text)
    }

    /// Returns whether an origin is visible to the asker: of its own run only earlier batches are.
    /// So the result never depends on which debate finished first.
    pub fn can_see(&self, origin: &EntryOrigin) -> bool {
        match (self.run, origin.run.as_deref(), origin.batch) {
            (Some((run, now)), Some(own), Some(batch)) => run != own || batch < now,
            (None, _, _) | (_, None, _) | (_, _, None) => true,
        }
    }
}

/// Effect of a rule on the origins that match it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExclusionRule {
    Exclude,
    Allow,
}

/// Rules that exclude origins, in addition to disabled entries and later batches, which are always
/// excluded.
///
/// Each rule applies by itself: a topic allowed by `same_topic` is still its own near-duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// Origins with the same topic id, or with a text of the same words. Ids of two datasets may
    /// coincide: that excludes too much, never too little.
    pub same_topic: ExclusionRule,
    /// Origins whose topic's text has at least this similarity, from 0 to 1; `None` excludes none.
    pub near_duplicate: Option<f64>,
    /// Origins in the same fork tree.
    pub forks: ExclusionRule,
}

impl Default for Exclusion {
    fn default() -> Self {
        Exclusion {
            same_topic: ExclusionRule::Exclude,
            near_duplicate: Some(NEAR_DUPLICATE_SIMILARITY),
            forks: ExclusionRule::Exclude,
        }
    }
}

/// Reason of an exclusion.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ExclusionReason {
    Disabled,
    Deleted,
    /// From this batch of the asker's run, or a later one.
    NotEarlierBatch,
    Fork,
    SameTopicId,
    SameTopicText,
    NearDuplicate {
        similarity: f64,
    },
}

/// An excluded entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Excluded {
    pub id: EntryId,
    pub why: ExclusionReason,
    /// The excluded session of origin; `None` where the entry itself is unavailable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// Retrieved entries, and those that were excluded before ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retrieval {
    /// [`Retriever::name`].
    pub retriever: String,
    /// Best first.
    pub hits: Vec<RetrievalHit>,
    pub excluded: Vec<Excluded>,
}

/// Retrieves entries for the asker's topic, at most `k`.
///
/// Excluded entries are removed before ranking, so that they do not even affect the scores of the
/// others. Where no score is needed, those that the retriever does not rank (by words: they share none
/// with the query) follow with a score of 0, in an order that depends on query and text alone, so that
/// no entry comes first in every debate.
///
/// # Errors
/// When the retriever cannot rank now.
pub fn retrieve_entries<'a>(
    retriever: &dyn Retriever,
    asker: &RetrievingDebate<'_>,
    entries: impl IntoIterator<Item = &'a MemoryEntry>,
    limits: LookupLimits,
    exclusion: &Exclusion,
) -> Result<Retrieval, RetrieveError> {
    let mut gate = ExclusionGate::new(asker, exclusion);
    let mut open = Vec::new();
    let mut exclusions = Vec::new();
    for entry in entries {
        match gate.exclusion_of(entry) {
            Some((why, origin)) => exclusions.push(Excluded {
                id: entry.id.clone(),
                why,
                origin: origin.map(|origin| origin.session.clone()),
            }),
            None => open.push(entry),
        }
    }
    let query = asker.query_text();
    let mut hits = rank_entries(retriever, &query, &open, limits.k, limits.examples)?;
    if limits.least.allows_score(0.0) {
        let hit_ids: HashSet<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
        open.retain(|entry| !hit_ids.contains(entry.id.0.as_str()));
        let missing = limits.k.saturating_sub(hits.len());
        hits.extend(list_unranked_hits(&query, open, missing));
    }
    hits.retain(|hit| limits.least.allows_score(hit.score));
    Ok(Retrieval {
        retriever: retriever.name().to_owned(),
        hits,
        excluded: exclusions,
    })
}

/// Says whether one of these origins is the asker's topic, a near-duplicate of it or a fork.
pub fn is_taught_by_topic<'a>(
    asker: &'a RetrievingDebate<'a>,
    origins: impl IntoIterator<Item = &'a EntryOrigin>,
    exclusion: &'a Exclusion,
) -> bool {
    let mut gate = ExclusionGate::new(asker, exclusion);
    let mut origins = origins.into_iter();
    origins.any(|origin| gate.exclusion_by_origin(origin).is_some())
}

/// Returns entries that no retriever ranked, with a score of 0.
fn list_unranked_hits(
    query: &str,
    mut entries: Vec<&MemoryEntry>,
    count: usize,
) -> Vec<RetrievalHit> {
    if count == 0 {
        return Vec::new();
    }
    let place = |entry: &&MemoryEntry| {
        let hash = Sha256::new().chain_update(query).chain_update([0]);
        let hash: [u8; 32] = hash.chain_update(&entry.text).finalize().into();
        (hash, entry.id.0.clone())
    };
    entries.sort_by_cached_key(place);
    let first_entries = entries.into_iter().take(count);
    let hits = first_entries.map(|entry| RetrievalHit {
        id: entry.id.0.clone(),
        score: 0.0,
    });
    hits.collect()
}

/// Returns what the user said, with the topic last.
fn whole_text<'a>(said_before: &str, topic_text: &'a str) -> Cow<'a, str> {
    match said_before {
        "" => Cow::Borrowed(topic_text),
        before => Cow::Owned(format!("{before}\n{topic_text}")),
    }
}

/// Returns the `k` entries nearest to a text, the best first. A guardrail is as near as the nearest
/// of its texts: the intent, or one of its first examples, of which this many count.
///
/// # Errors
/// When the retriever cannot rank now.
pub fn rank_entries(
    retriever: &dyn Retriever,
    query: &str,
    entries: &[&MemoryEntry],
    k: usize,
    examples: usize,
) -> Result<Vec<RetrievalHit>, RetrieveError> {
    let texts = entries.iter().flat_map(|entry| {
        let texts = std::iter::once(&entry.text).chain(entry.examples.iter().take(examples));
        texts.enumerate().map(move |(number, text)| {
            let id = match entry.kind() {
                EntryKind::Lesson => Cow::Borrowed(entry.id.0.as_str()),
                EntryKind::Guardrail => Cow::Owned(format!("{}/{number}", entry.id)),
            };
            (id, &entry.id, text)
        })
    });
    let texts: Vec<(Cow<'_, str>, &EntryId, &String)> = texts.collect();
    let items: Vec<RetrievalItem<'_>> = texts
        .iter()
        .map(|(id, _, text)| RetrievalItem { id, text })
        .collect();
    // Several texts of one guardrail may be nearest: then all texts are ranked, and entries counted.
    let all = match items.len() == entries.len() {
        true => k,
        false => items.len(),
    };
    let owners: HashMap<&str, &EntryId> = texts.iter().map(|(id, of, _)| (&**id, *of)).collect();
    let (mut nearest, mut counted) = (Vec::new(), HashSet::new());
    for hit in retriever.rank_items(query, &items, all)? {
        let Some(entry) = owners.get(hit.id.as_str()) else {
            continue;
        };
        if nearest.len() < k && counted.insert(*entry) {
            nearest.push(RetrievalHit {
                id: entry.0.clone(),
                score: hit.score,
            });
        }
    }
    Ok(nearest)
}

/// Decides entry by entry, with a cache of similarities, since many entries share a topic.
struct ExclusionGate<'a> {
    asker: &'a RetrievingDebate<'a>,
    exclusion: &'a Exclusion,
    /// Words of the topic, and of all that the user said.
    topic_words: Vec<String>,
    conversation_words: Vec<String>,
    similarities: HashMap<(&'a str, &'a str), f64>,
}

impl<'a> ExclusionGate<'a> {
    fn new(asker: &'a RetrievingDebate<'a>, exclusion: &'a Exclusion) -> Self {
        ExclusionGate {
            asker,
            exclusion,
            topic_words: split_words(asker.topic_text),
            conversation_words: split_words(&asker.query_text()),
            similarities: HashMap::new(),
        }
    }

    /// Returns the reason to exclude an entry, and the origin that causes it: one is enough.
    fn exclusion_of(
        &mut self,
        entry: &'a MemoryEntry,
    ) -> Option<(ExclusionReason, Option<&'a EntryOrigin>)> {
        match entry.availability() {
            EntryStatus::Deleted => return Some((ExclusionReason::Deleted, None)),
            EntryStatus::Disabled => return Some((ExclusionReason::Disabled, None)),
            EntryStatus::Live => {}
        }
        let first = entry.origins.first()?;
        if !self.asker.can_see(first) {
            return Some((ExclusionReason::NotEarlierBatch, Some(first)));
        }
        let asker = self.asker;
        let mut visible_origins = entry.origins.iter().filter(|origin| asker.can_see(origin));
        visible_origins.find_map(|origin| Some((self.exclusion_by_origin(origin)?, Some(origin))))
    }

    fn exclusion_by_origin(&mut self, origin: &'a EntryOrigin) -> Option<ExclusionReason> {
        match self.exclusion.forks {
            ExclusionRule::Exclude if origin.root_session == self.asker.root_session => {
                return Some(ExclusionReason::Fork);
            }
            ExclusionRule::Exclude | ExclusionRule::Allow => {}
        }
        let similarity = self.compare_with_origin(origin);
        match self.exclusion.same_topic {
            ExclusionRule::Exclude if origin.topic_id == self.asker.topic_id => {
                return Some(ExclusionReason::SameTopicId);
            }
            ExclusionRule::Exclude if similarity >= 1.0 => {
                return Some(ExclusionReason::SameTopicText);
            }
            ExclusionRule::Exclude | ExclusionRule::Allow => {}
        }
        let threshold = self.exclusion.near_duplicate?;
        (similarity >= threshold).then_some(ExclusionReason::NearDuplicate { similarity })
    }

    /// Compares conversations as a whole where both are known: the last message of one may refer to
    /// what only came before. Otherwise the topics alone, which excludes too much, never too little.
    fn compare_with_origin(&mut self, origin: &'a EntryOrigin) -> f64 {
        let text = origin.topic_text.as_str();
        let (own_words, before) = match (self.asker.said_before, origin.said_before.as_str()) {
            ("", _) | (_, "") => (&self.topic_words, ""),
            (_, before) => (&self.conversation_words, before),
        };
        let cache_entry = self.similarities.entry((before, text));
        *cache_entry
            .or_insert_with(|| jaccard_index(own_words, &split_words(&whole_text(before, text))))
    }
}
