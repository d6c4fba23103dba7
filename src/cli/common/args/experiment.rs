//! Arguments that every experiment takes.

use super::number::parse_at_least_one;
use super::{BudgetArgs, UnlistedArgs};
use clap::Args;
use elenchus_records::workspace::RepeatKey;

/// Limits of an experiment, how it goes on, and what is printed of it.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = super::LIMITS)]
pub struct ExperimentArgs {
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Debates, samples, verdicts or decisions that are asked for side by side [default: 16]
    #[arg(long, value_name = "N", value_parser = parse_at_least_one::<usize>)]
    pub concurrency: Option<usize>,
    #[command(flatten, next_help_heading = super::LIMITS)]
    pub names: UnlistedArgs,
    /// Say what it would take, and ask and write nothing
    #[arg(long, conflicts_with = "resume", help_heading = super::GOING_ON)]
    pub estimate: bool,
    /// Go on with one that was begun: what is done is not asked again, and what failed is tried again
    #[arg(long, value_name = "ID", help_heading = super::GOING_ON)]
    pub resume: Option<String>,
    /// Print nothing but its id, or with --json what was found
    #[arg(long, short, help_heading = super::GOING_ON)]
    pub quiet: bool,
    /// What was found, or the estimate, as JSON
    #[arg(long, help_heading = super::GOING_ON)]
    pub json: bool,
    /// The key that it begins under.
    #[arg(skip)]
    pub repeat: Option<Box<RepeatKey>>,
}

/// A key that makes a command one that may be repeated.
#[derive(Debug, Clone, Default, Args)]
pub struct KeyArgs {
    /// Begin it under this name, or go on with what this command began under it: for jobs that a scheduler starts again
    #[arg(long, value_name = "NAME", help_heading = super::GOING_ON)]
    pub key: Option<String>,
}
