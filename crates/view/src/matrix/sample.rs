//! Recorded draw of topics: the same topics for the same seed, whatever else is listed with them.

use super::debate::MatrixDebate;
use elenchus_game::debate::TopicKey;
use elenchus_game::debate::seeded_random::seeded_number;
use serde::Serialize;
use std::collections::BTreeSet;

/// Names the draw, so that other draws of the same seed are others.
const PLACE: &str = "matrix-topics";

/// How many topics are drawn, and by which seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TopicSample {
    pub topics: usize,
    pub seed: u64,
}

/// A draw that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DrawnTopics {
    pub drawn: usize,
    pub of: usize,
    pub seed: u64,
}

impl DrawnTopics {
    /// Says what was drawn.
    pub fn describe(&self) -> String {
        let Self { drawn, of, seed } = self;
        format!("{drawn} of {of} topics, drawn with seed {seed}")
    }
}

impl TopicSample {
    /// Draws topics of debates. Each topic's place in the draw depends on the seed and its own text alone, so a
    /// topic that is added or left out displaces one other at most.
    pub(super) fn draw_topics<'a>(
        self,
        debates: impl Iterator<Item = &'a MatrixDebate>,
    ) -> (BTreeSet<&'a TopicKey>, DrawnTopics) {
        let all: BTreeSet<&TopicKey> = debates.map(|debate| &debate.topic).collect();
        let of = all.len();
        let mut places: Vec<(u64, &TopicKey)> = all
            .into_iter()
            .map(|key| (seeded_number(self.seed, &[PLACE, key.as_str()]), key))
            .collect();
        places.sort_unstable();
        let drawn: BTreeSet<&TopicKey> = places
            .into_iter()
            .take(self.topics)
            .map(|(_, key)| key)
            .collect();
        let told = DrawnTopics {
            drawn: drawn.len(),
            of,
            seed: self.seed,
        };
        (drawn, told)
    }
}
