//! How many topics rows of data sets hold.

use elenchus_game::debate::{Topic, TopicKey};
use std::collections::BTreeSet;
use std::fmt;

/// Numbers of topics, and of the rows that hold them: rows of one text are one topic (FIGURES 19).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicCount {
    pub topics: usize,
    pub rows: usize,
}

impl TopicCount {
    /// Counts topics; one that is played several times is one row.
    pub fn from_topics<'a>(topics: impl IntoIterator<Item = &'a Topic>) -> Self {
        let mut rows = BTreeSet::new();
        let mut keys: BTreeSet<TopicKey> = BTreeSet::new();
        for topic in topics {
            if rows.insert(topic.id.as_str()) {
                keys.insert(topic.compute_key());
            }
        }
        Self {
            topics: keys.len(),
            rows: rows.len(),
        }
    }

    /// Returns what a person should know, where several rows are one topic.
    pub fn duplicate_notice(self) -> Option<String> {
        (self.topics < self.rows).then(|| {
            format!("{self}: rows of one text are each played, and are one topic in every figure")
        })
    }
}

impl fmt::Display for TopicCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.topics == 1 { "topic" } else { "topics" };
        write!(f, "{} {noun}", self.topics)?;
        match self.topics < self.rows {
            true => write!(f, " in {} rows", self.rows),
            false => Ok(()),
        }
    }
}
