//! The command line of `elenchus memory`.

use crate::driver::DEFAULT_NAMESPACE;
use clap::{Args, Subcommand};

/// `elenchus memory`
#[derive(Debug, Args)]
pub struct MemoryArgs {
    #[command(subcommand)]
    pub command: MemoryCommand,
}

/// What can be done with long-term memory.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// List the entries of a namespace
    List(MemoryListArgs),
}

/// Which memory is meant.
#[derive(Debug, Clone, Args)]
pub struct NamespaceArgs {
    /// Which memory is meant; simulated debates have one of their own, NAME.sim
    #[arg(long, short, value_name = "NAME", default_value = DEFAULT_NAMESPACE)]
    pub namespace: String,
}

/// `elenchus memory list`
#[derive(Debug, Args)]
pub struct MemoryListArgs {
    #[command(flatten)]
    pub place: NamespaceArgs,
    /// As JSON, one object a line
    #[arg(long)]
    pub json: bool,
}
