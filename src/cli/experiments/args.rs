//! Arguments of `elenchus experiments`.

use crate::cli::common::args::{JsonArgs, JsonLinesArgs};
use clap::{Args, Subcommand};

/// What can be done with experiments of any kind.
#[derive(Debug, Subcommand)]
pub enum ExperimentsCommand {
    /// List runs, passes, comparisons, golden sets and all other experiments, the newest first
    List(ExperimentsListArgs),
    /// Show how far an experiment is, what failed, and how to go on
    Show(ExperimentsShowArgs),
    /// Go on with an experiment of any kind, as it was begun
    Resume(ExperimentsResumeArgs),
}

/// `elenchus experiments list`
#[derive(Debug, Args)]
pub struct ExperimentsListArgs {
    /// Only those that can be resumed
    #[arg(long)]
    pub open: bool,
    /// At most N, the newest [default: all]
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub output: JsonLinesArgs,
}

/// `elenchus experiments show`
#[derive(Debug, Args)]
pub struct ExperimentsShowArgs {
    /// Its id, or the beginning or end of it
    #[arg(value_name = "EXPERIMENT")]
    pub experiment: String,
    #[command(flatten)]
    pub output: JsonArgs,
}

/// `elenchus experiments resume`
#[derive(Debug, Args)]
pub struct ExperimentsResumeArgs {
    /// Its id, or the beginning or end of it
    #[arg(value_name = "EXPERIMENT")]
    pub experiment: String,
    /// Options of the command that goes on with experiments of its kind, such as --budget-usd 5
    #[arg(
        value_name = "OPTION",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub options: Vec<String>,
}
