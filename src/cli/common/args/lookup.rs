//! Arguments of how long-term memory is looked up.

use anyhow::Context;
use clap::Args;
use elenchus_game::debate::event::{DEFAULT_LESSONS, MAX_LESSONS, MemoryLookup, MemoryQuery};

/// How a debate looks memory up.
#[derive(Debug, Clone, Default, Args)]
pub struct LookupArgs {
    /// Show this many lessons, where memory holds as many [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_LESSONS)))]
    pub memory_k: Option<u32>,
    /// Show only lessons with at least this score, as the search has it [default: any score, so always N]
    #[arg(long, value_name = "SCORE", value_parser = parse_finite, allow_negative_numbers = true)]
    pub memory_min_score: Option<f64>,
    /// Search by the 'conversation' (all that its user said, and the topic) or by the 'topic' alone [default: conversation]
    #[arg(long, value_name = "TEXT", value_parser = MemoryQuery::from_name)]
    pub memory_query: Option<MemoryQuery>,
}

impl LookupArgs {
    pub(crate) fn memory_lookup(&self) -> MemoryLookup {
        MemoryLookup {
            k: self.memory_k.unwrap_or(DEFAULT_LESSONS),
            min_score: self.memory_min_score,
            query: self.memory_query.unwrap_or_default(),
        }
    }
}

fn parse_finite(text: &str) -> anyhow::Result<f64> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.context("a number is needed")
}
