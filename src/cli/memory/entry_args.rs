//! Arguments that several commands of `elenchus memory` share.

use crate::cli::common::args::{NamespaceArgs, ReplacedFileArgs};
use clap::Args;
use std::path::PathBuf;

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

/// `elenchus memory export`
#[derive(Debug, Args)]
pub struct MemoryExportArgs {
    /// The file to write, with everything that ever happened to the entries; '-' is standard output
    #[arg(long, short, value_name = "FILE", required_unless_present = "colang")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub existing: ReplacedFileArgs,
    /// Write accepted guardrails instead, as a NeMo Guardrails configuration: the folder for config.yml and guardrails.co
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub colang: Option<PathBuf>,
    /// With --colang: proposed guardrails too
    #[arg(long, requires = "colang")]
    pub proposed: bool,
    #[command(flatten)]
    pub place: NamespaceArgs,
}

/// `elenchus memory import`
#[derive(Debug, Args)]
pub struct MemoryImportArgs {
    /// Files that 'memory export' wrote, each taken in as a whole or not at all; Colang flows (.co) or RedDebate's JSON, whose guardrails are proposed and whose lessons wait, disabled
    #[arg(required = true)]
    pub file: Vec<PathBuf>,
    /// Take it into this namespace [default: what an export was called where it comes from; 'default' for other files]
    #[arg(long, short, value_name = "NAME")]
    pub namespace: Option<String>,
}
