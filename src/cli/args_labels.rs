//! The command line of `elenchus labels`.

use clap::{Args, Subcommand};

/// `elenchus labels`
#[derive(Debug, Args)]
pub struct LabelsArgs {
    #[command(subcommand)]
    pub command: LabelsCommand,
}

/// What can be done with labels.
#[derive(Debug, Subcommand)]
pub enum LabelsCommand {
    /// List the label sets, or print one with its codebook
    Sets(LabelSetsArgs),
    /// List who labelled how much, by which set
    List(LabelListArgs),
}

/// `elenchus labels sets`
#[derive(Debug, Args)]
pub struct LabelSetsArgs {
    /// The set to print
    #[arg(value_name = "SET")]
    pub set: Option<String>,
}

/// `elenchus labels list`
#[derive(Debug, Args)]
pub struct LabelListArgs {
    /// Only labels by this set
    #[arg(long, value_name = "SET")]
    pub set: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
