//! Arguments that `elenchus memory` and `elenchus memory guardrails` share.

use crate::cli::common::args::NamespaceArgs;
use clap::Args;

/// `elenchus memory show` and `elenchus memory guardrails show`
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

/// `elenchus memory disable`, `enable`, `delete` and `restore`, and these of `elenchus memory guardrails`
#[derive(Debug, Args)]
pub struct MemoryEntriesArgs {
    /// Ids of entries, or the beginnings or ends of them
    #[arg(required = true)]
    pub entry: Vec<String>,
    #[command(flatten)]
    pub place: NamespaceArgs,
}
