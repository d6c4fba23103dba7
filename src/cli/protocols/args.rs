//! Arguments of `elenchus protocols`.

use crate::cli::common::args::JsonArgs;
use clap::{Args, Subcommand};

/// What can be done with protocols.
#[derive(Debug, Subcommand)]
pub enum ProtocolsCommand {
    /// List the protocols
    List,
    /// Show a protocol: its round, who sees what, its settings
    Show {
        /// A protocol's id
        id: String,
        /// A setting (repeatable)
        #[arg(long = "set", value_name = "NAME=VALUE")]
        set: Vec<String>,
        /// Print the file instead
        #[arg(long)]
        raw: bool,
    },
    /// Say which levers differ between two games
    Diff(DiffArgs),
    /// Write down the hashes of a game's files as they are now
    Pin(PinArgs),
    /// Check a protocol file with its templates and rubrics
    Check {
        /// The path of a protocol.toml, or a protocol's id
        file: String,
    },
}

/// `elenchus protocols diff`
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// A protocol's id, 'built-in:ID', or the path of a protocol.toml
    pub a: String,
    /// The game that is set against it; the same one with other settings will do
    pub b: String,
    /// A setting of the first game (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    pub set_a: Vec<String>,
    /// A setting of the second game (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    pub set_b: Vec<String>,
    /// Print prompts that differ, line by line
    #[arg(long, conflicts_with = "json")]
    pub prompts: bool,
    #[command(flatten)]
    pub output: JsonArgs,
}

/// `elenchus protocols pin`
#[derive(Debug, Args)]
pub struct PinArgs {
    /// A protocol's id, or the path of a protocol.toml
    pub id: String,
    /// Write into the nearest project's prompts instead of the user's own
    #[arg(long)]
    pub project: bool,
    /// Pin every template, rubric and list of the game, not only those that must be
    #[arg(long)]
    pub all: bool,
}
