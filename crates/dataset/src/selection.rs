//! Selection of topics for a run: by category and level, random sample, limit, and split.

use std::collections::{BTreeSet, HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::DatasetError;
use elenchus_game::debate::{Topic, TopicKey};

/// Part of a dataset. Categories and levels apply first, then the sample, then the limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Categories to keep, ignoring case; empty keeps all.
    pub categories: Vec<String>,
    /// Levels to keep; empty keeps all.
    pub levels: Vec<u8>,
    /// Number of topics to keep, from the first.
    pub limit: Option<usize>,
    /// Number of topics to draw at random by `seed`, in the order of the dataset.
    pub sample: Option<usize>,
    pub seed: u64,
}

impl Selection {
    /// Returns how many topics from the first are enough to select from.
    pub fn first_topics(&self) -> usize {
        let whole = self.sample.is_some() || !self.categories.is_empty() || !self.levels.is_empty();
        match self.limit {
            Some(limit) if !whole => limit,
            Some(_) | None => usize::MAX,
        }
    }
}

/// Selects topics, in the order of the dataset.
///
/// A topic's rank in the draw is SHA-256 over the seed and its id. So a draw does not depend on the
/// order of the file or on any library's generator, and a larger sample of the same seed contains
/// the smaller one.
///
/// # Errors
/// When a category or level is unknown, the sample is larger than the remaining topics, or no topic
/// remains.
pub fn select_topics(
    topics: Vec<Topic>,
    selection: &Selection,
) -> Result<Vec<Topic>, DatasetError> {
    check_categories(&topics, &selection.categories)?;
    check_levels(&topics, &selection.levels)?;
    let mut remaining_topics: Vec<Topic> = topics
        .into_iter()
        .filter(|topic| selection.categories.is_empty() || is_in(topic, &selection.categories))
        .filter(|topic| {
            let of_these = |level| selection.levels.contains(&level);
            selection.levels.is_empty() || topic.level.is_some_and(of_these)
        })
        .collect();
    if let Some(sample_size) = selection.sample {
        if sample_size > remaining_topics.len() {
            let available = remaining_topics.len();
            return Err(DatasetError::SampleTooLarge {
                asked: sample_size,
                available,
            });
        }
        remaining_topics = sample_topics(remaining_topics, sample_size, "sample", selection.seed).0;
    }
    remaining_topics.truncate(selection.limit.unwrap_or(usize::MAX));
    match remaining_topics.is_empty() {
        true => Err(DatasetError::NothingSelected),
        false => Ok(remaining_topics),
    }
}

/// Splits topics at random by `seed` into a training part of about `fraction` and the rest, both in
/// the order of the dataset and neither of them empty. Rows of one topic stay together: what one of
/// them taught would be tried on the other.
///
/// # Errors
/// When `fraction` is not between 0 and 1, or there are fewer than two topics.
pub fn split_topics(
    topics: Vec<Topic>,
    fraction: f64,
    seed: u64,
) -> Result<(Vec<Topic>, Vec<Topic>), DatasetError> {
    if !(fraction > 0.0 && fraction < 1.0) {
        return Err(DatasetError::Fraction { given: fraction });
    }
    let keys: Vec<TopicKey> = topics.iter().map(Topic::compute_key).collect();
    let mut first_ids: HashMap<&TopicKey, &str> = HashMap::new();
    for (key, topic) in keys.iter().zip(&topics) {
        let first = first_ids.entry(key).or_insert(&topic.id);
        *first = (*first).min(topic.id.as_str());
    }
    let available = first_ids.len();
    if available < 2 {
        return Err(DatasetError::TooFewToSplit { available });
    }
    // Rounded and clamped, so the cast is exact.
    let train = (available as f64 * fraction).round() as usize;
    let key_ids = first_ids.into_iter();
    let mut order: Vec<([u8; 32], &TopicKey)> = key_ids
        .map(|(key, id)| (compute_rank("split", seed, id), key))
        .collect();
    order.sort_unstable();
    let training_keys = order.into_iter().take(train.clamp(1, available - 1));
    let training_keys: HashSet<TopicKey> = training_keys.map(|(_, key)| key.clone()).collect();
    let pairs = topics.into_iter().zip(keys);
    let (first, others): (Vec<_>, Vec<_>) = pairs.partition(|(_, key)| training_keys.contains(key));
    let bare = |part: Vec<(Topic, TopicKey)>| part.into_iter().map(|(topic, _)| topic).collect();
    Ok((bare(first), bare(others)))
}

/// Divides topics into the first `count` in the draw for `purpose`, and the others.
fn sample_topics(
    topics: Vec<Topic>,
    count: usize,
    purpose: &str,
    seed: u64,
) -> (Vec<Topic>, Vec<Topic>) {
    let mut order: Vec<([u8; 32], usize)> = topics
        .iter()
        .enumerate()
        .map(|(at, topic)| (compute_rank(purpose, seed, &topic.id), at))
        .collect();
    order.sort_unstable();
    let positions: HashSet<usize> = order.into_iter().take(count).map(|(_, at)| at).collect();
    let (first, others): (Vec<_>, Vec<_>) = topics
        .into_iter()
        .enumerate()
        .partition(|(at, _)| positions.contains(at));
    let bare = |part: Vec<(usize, Topic)>| part.into_iter().map(|(_, topic)| topic).collect();
    (bare(first), bare(others))
}

/// Returns a topic's rank in a draw: different purposes draw independently from one seed.
pub(super) fn compute_rank(purpose: &str, seed: u64, id: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"elenchus/dataset/1/");
    hash.update(purpose.as_bytes());
    hash.update(b"/");
    hash.update(seed.to_le_bytes());
    hash.update(id.as_bytes());
    hash.finalize().into()
}

fn is_in(topic: &Topic, categories: &[String]) -> bool {
    topic.category.as_deref().is_some_and(|own| {
        categories
            .iter()
            .any(|category| is_same_category(own, category))
    })
}

fn check_categories(topics: &[Topic], categories: &[String]) -> Result<(), DatasetError> {
    let known_categories: BTreeSet<&str> = topics
        .iter()
        .filter_map(|topic| topic.category.as_deref())
        .collect();
    for given in categories {
        if known_categories
            .iter()
            .any(|own| is_same_category(own, given))
        {
            continue;
        }
        let unknown_category = given.clone();
        return Err(match known_categories.is_empty() {
            true => DatasetError::NoCategories {
                given: unknown_category,
            },
            false => DatasetError::UnknownCategory {
                given: unknown_category,
                known: known_categories.into_iter().map(str::to_owned).collect(),
            },
        });
    }
    Ok(())
}

fn check_levels(topics: &[Topic], levels: &[u8]) -> Result<(), DatasetError> {
    let known_levels: BTreeSet<u8> = topics.iter().filter_map(|topic| topic.level).collect();
    let Some(unknown_level) = levels
        .iter()
        .copied()
        .find(|level| !known_levels.contains(level))
    else {
        return Ok(());
    };
    Err(match known_levels.is_empty() {
        true => DatasetError::NoLevels {
            given: unknown_level,
        },
        false => DatasetError::UnknownLevel {
            given: unknown_level,
            known: known_levels.into_iter().collect(),
        },
    })
}

fn is_same_category(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}
