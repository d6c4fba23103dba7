//! Topics of rows: what they are, and one name for each within a report.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use elenchus_game::debate::{Topic, TopicKey};
use serde::{Deserialize, Serialize};

/// Digits of a key that tell two topics of one id apart.
const SHORT_DIGITS: usize = 6;

/// Topic of a row. Rows of one key are one topic, whatever their ids (FIGURES 1 and 19).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowTopic {
    /// Unit of independence: everything with the same key is resampled together.
    pub key: TopicKey,
    /// What its row of the dataset is called.
    pub id: String,
}

impl RowTopic {
    /// Returns the topic of a debate.
    pub fn from_topic(topic: &Topic) -> Self {
        Self {
            key: topic.compute_key(),
            id: topic.id.clone(),
        }
    }

    /// Returns a unit of its own of which nothing but a name is known.
    pub fn from_name(name: &str) -> Self {
        Self {
            key: TopicKey::from_name(name),
            id: name.to_owned(),
        }
    }
}

impl Default for RowTopic {
    fn default() -> Self {
        Self::from_name("")
    }
}

/// One name for each topic: the first of its ids, with digits of its key where another topic has that id too.
///
/// Figures go through topics in the order of their names, so that equal rows draw equal resamples.
#[derive(Debug, Clone, Default)]
pub(crate) struct TopicNames(HashMap<TopicKey, String>);

impl TopicNames {
    pub(crate) fn from_topics<'a>(topics: impl Iterator<Item = &'a RowTopic>) -> Self {
        let mut first_ids: BTreeMap<&TopicKey, &str> = BTreeMap::new();
        for topic in topics {
            let first = first_ids.entry(&topic.key).or_insert(&topic.id);
            *first = (*first).min(topic.id.as_str());
        }
        let mut keys_of: BTreeMap<&str, usize> = BTreeMap::new();
        for id in first_ids.values() {
            *keys_of.entry(id).or_default() += 1;
        }
        let mut used_names: BTreeSet<String> = BTreeSet::new();
        let mut names = HashMap::with_capacity(first_ids.len());
        for (key, id) in &first_ids {
            let short = key.as_str().get(..SHORT_DIGITS).unwrap_or_default();
            let name = match keys_of.get(id) {
                Some(1) => (*id).to_owned(),
                _ => format!("{id}#{short}"),
            };
            // Two names never mean one: an id may look like another's name.
            let name = match used_names.contains(&name) {
                true => format!("{id}#{key}"),
                false => name,
            };
            used_names.insert(name.clone());
            names.insert((*key).clone(), name);
        }
        Self(names)
    }

    /// Returns the name of a topic; of one that was not among those that names were given to, its id.
    pub(crate) fn name_of<'a>(&'a self, topic: &'a RowTopic) -> &'a str {
        self.0
            .get(&topic.key)
            .map_or(topic.id.as_str(), String::as_str)
    }
}

/// Says how many topics rows of the datasets hold, where several rows hold one.
pub(crate) fn topics_in_rows<'a>(topics: impl Iterator<Item = &'a RowTopic>) -> Option<String> {
    let rows: BTreeSet<(&TopicKey, &str)> = topics
        .map(|topic| (&topic.key, topic.id.as_str()))
        .collect();
    let keys: BTreeSet<&TopicKey> = rows.iter().map(|(key, _)| *key).collect();
    (keys.len() < rows.len()).then(|| {
        let topics = match keys.len() {
            1 => "1 topic".to_owned(),
            many => format!("{many} topics"),
        };
        format!(
            "{topics} in {} rows: rows of one text are one topic",
            rows.len()
        )
    })
}
