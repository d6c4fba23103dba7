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
pub fn select(topics: Vec<Topic>, selection: &Selection) -> Result<Vec<Topic>, DatasetError> {
    check_categories(&topics, &selection.categories)?;
    check_levels(&topics, &selection.levels)?;
    let mut kept: Vec<Topic> = topics
        .into_iter()
        .filter(|topic| selection.categories.is_empty() || is_in(topic, &selection.categories))
        .filter(|topic| {
            let of_these = |level| selection.levels.contains(&level);
            selection.levels.is_empty() || topic.level.is_some_and(of_these)
        })
        .collect();
    if let Some(asked) = selection.sample {
        if asked > kept.len() {
            let available = kept.len();
            return Err(DatasetError::SampleTooLarge { asked, available });
        }
        kept = draw(kept, asked, "sample", selection.seed).0;
    }
    kept.truncate(selection.limit.unwrap_or(usize::MAX));
    match kept.is_empty() {
        true => Err(DatasetError::NothingSelected),
        false => Ok(kept),
    }
}

/// Splits topics at random by `seed` into a training part of about `fraction` and the rest, both in
/// the order of the dataset and neither of them empty. Rows of one topic stay together: what one of
/// them taught would be tried on the other.
///
/// # Errors
/// When `fraction` is not between 0 and 1, or there are fewer than two topics.
pub fn split(
    topics: Vec<Topic>,
    fraction: f64,
    seed: u64,
) -> Result<(Vec<Topic>, Vec<Topic>), DatasetError> {
    if !(fraction > 0.0 && fraction < 1.0) {
        return Err(DatasetError::Fraction { given: fraction });
    }
    let keys: Vec<TopicKey> = topics.iter().map(Topic::key).collect();
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
    let ranked = first_ids.into_iter();
    let mut order: Vec<([u8; 32], &TopicKey)> = ranked
        .map(|(key, id)| (place("split", seed, id), key))
        .collect();
    order.sort_unstable();
    let drawn = order.into_iter().take(train.clamp(1, available - 1));
    let drawn: HashSet<TopicKey> = drawn.map(|(_, key)| key.clone()).collect();
    let parted = topics.into_iter().zip(keys);
    let (first, others): (Vec<_>, Vec<_>) = parted.partition(|(_, key)| drawn.contains(key));
    let bare = |part: Vec<(Topic, TopicKey)>| part.into_iter().map(|(topic, _)| topic).collect();
    Ok((bare(first), bare(others)))
}

/// Divides topics into the first `count` in the draw for `purpose`, and the others.
fn draw(topics: Vec<Topic>, count: usize, purpose: &str, seed: u64) -> (Vec<Topic>, Vec<Topic>) {
    let mut order: Vec<([u8; 32], usize)> = topics
        .iter()
        .enumerate()
        .map(|(at, topic)| (place(purpose, seed, &topic.id), at))
        .collect();
    order.sort_unstable();
    let drawn: HashSet<usize> = order.into_iter().take(count).map(|(_, at)| at).collect();
    let (first, others): (Vec<_>, Vec<_>) = topics
        .into_iter()
        .enumerate()
        .partition(|(at, _)| drawn.contains(at));
    let bare = |part: Vec<(usize, Topic)>| part.into_iter().map(|(_, topic)| topic).collect();
    (bare(first), bare(others))
}

/// Returns a topic's rank in a draw: different purposes draw independently from one seed.
pub(super) fn place(purpose: &str, seed: u64, id: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"elenchus/dataset/1/");
    hash.update(purpose.as_bytes());
    hash.update(b"/");
    hash.update(seed.to_le_bytes());
    hash.update(id.as_bytes());
    hash.finalize().into()
}

fn is_in(topic: &Topic, categories: &[String]) -> bool {
    topic
        .category
        .as_deref()
        .is_some_and(|own| categories.iter().any(|category| same(own, category)))
}

fn check_categories(topics: &[Topic], categories: &[String]) -> Result<(), DatasetError> {
    let known: BTreeSet<&str> = topics
        .iter()
        .filter_map(|topic| topic.category.as_deref())
        .collect();
    for given in categories {
        if known.iter().any(|own| same(own, given)) {
            continue;
        }
        let given = given.clone();
        return Err(match known.is_empty() {
            true => DatasetError::NoCategories { given },
            false => DatasetError::UnknownCategory {
                given,
                known: known.into_iter().map(str::to_owned).collect(),
            },
        });
    }
    Ok(())
}

fn check_levels(topics: &[Topic], levels: &[u8]) -> Result<(), DatasetError> {
    let known: BTreeSet<u8> = topics.iter().filter_map(|topic| topic.level).collect();
    let Some(given) = levels.iter().copied().find(|level| !known.contains(level)) else {
        return Ok(());
    };
    Err(match known.is_empty() {
        true => DatasetError::NoLevels { given },
        false => DatasetError::UnknownLevel {
            given,
            known: known.into_iter().collect(),
        },
    })
}

fn same(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}
