//! Arguments that several commands of `elenchus memory` share.

use crate::cli::common::args::NamespaceArgs;
use clap::Args;

/// `elenchus memory show`
#[derive(Debug, Args)]
pub struct MemoryShowArgs {
    /// An entry's id, or the beginning or end of one
    pub entry: String,
    #[command(flatten)]
    pub place: NamespaceArgs,
    /// As JSON: one object
    #[arg(long)]
    pub json: bool,
}

/// `elenchus memory disable`, `delete`, `restore`, `reject` and `reopen`
#[derive(Debug, Args)]
pub struct MemoryEntriesArgs {
    /// Ids of entries, or the beginnings or ends of them
    #[arg(required = true)]
    pub entry: Vec<String>,
    #[command(flatten)]
    pub place: NamespaceArgs,
}
