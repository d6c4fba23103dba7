//! Arguments that select topics of a dataset.

use super::number::parse_at_least_one;
use anyhow::Result;
use clap::Args;
use elenchus_dataset::{ColumnChoice, Selection};

/// Topics of a dataset to play; all of them by default.
#[derive(Debug, Clone, Default, Args)]
pub struct TopicFilterArgs {
    /// Which column is what (repeatable): text=Goal,category=Category. Fields: text, reference, category, label, context, id, aliases, options, conversation, documents, level
    #[arg(long, value_name = "FIELD=COLUMN,…", requires = "dataset")]
    pub column: Vec<ColumnChoice>,
    /// A column that is not read (repeatable)
    #[arg(long, value_name = "COLUMN", requires = "dataset")]
    pub ignore: Vec<String>,
    /// Only topics of this category (repeatable)
    #[arg(long, value_name = "NAME", requires = "dataset")]
    pub category: Vec<String>,
    /// Only topics of these levels (repeatable), as in MATH: 4,5
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        value_parser = parse_at_least_one::<u8>,
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
    /// Returns what they say of the columns.
    ///
    /// # Errors
    /// When a field is named twice, or a column for two fields, or both named and ignored.
    pub(crate) fn column_choice(&self) -> Result<ColumnChoice> {
        ColumnChoice::join_choices(&self.column, self.ignore.iter().cloned())
            .map_err(anyhow::Error::msg)
    }

    /// Returns the selection that they ask for; a sample is drawn by the seed.
    pub(crate) fn topic_selection(&self, seed: u64) -> Selection {
        Selection {
            categories: self.category.clone(),
            levels: self.level.clone(),
            limit: self.limit,
            sample: self.sample,
            seed,
        }
    }
}
