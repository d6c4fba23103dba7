//! Arguments that select topics of a dataset.

use super::number::at_least_one;
use clap::Args;
use elenchus_dataset::Selection;

/// Topics of a dataset to play; all of them by default.
#[derive(Debug, Clone, Default, Args)]
pub struct TopicFilterArgs {
    /// Only topics of this category (repeatable)
    #[arg(long, value_name = "NAME", requires = "dataset")]
    pub category: Vec<String>,
    /// Only topics of these levels (repeatable), as in MATH: 4,5
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        value_parser = at_least_one::<u8>,
        requires = "dataset"
    )]
    pub level: Vec<u8>,
    /// Only the first N topics
    #[arg(
        long,
        value_name = "N",
        requires = "dataset",
        conflicts_with = "sample"
    )]
    pub limit: Option<usize>,
    /// N topics drawn by the seed
    #[arg(long, value_name = "N", requires = "dataset")]
    pub sample: Option<usize>,
}

impl TopicFilterArgs {
    /// Returns the selection that they ask for; a sample is drawn by the seed.
    pub(crate) fn selection(&self, seed: u64) -> Selection {
        Selection {
            categories: self.category.clone(),
            levels: self.level.clone(),
            limit: self.limit,
            sample: self.sample,
            seed,
        }
    }
}
