//! Arguments of `elenchus export`.

use clap::Args;
use std::path::PathBuf;

/// `elenchus export`
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Sessions; all of them when none is named
    pub session: Vec<String>,
    /// All sessions of a run, and its journal
    #[arg(long, value_name = "RUN")]
    pub run: Vec<String>,
    /// Journals of every kind as well: passes, queues, annotations, memory, kept prompts, comparisons
    #[arg(long, conflicts_with_all = ["session", "run", "record"])]
    pub all: bool,
    /// The folder to write to; with --record a file, or '-' for standard output
    #[arg(
        long,
        short,
        value_name = "FOLDER|FILE",
        required_unless_present_any = ["record_schema", "turns", "debates"]
    )]
    pub output: Option<PathBuf>,
    /// Write round records (EAAPL-MAG005 §5.2), JSON Lines, instead of journals
    #[arg(long)]
    pub record: bool,
    /// After each debate's records, its outcome, flags, prompt hashes and models
    #[arg(long, requires = "record")]
    pub flags: bool,
    /// Write a table of turns, CSV, to a file ('-' for standard output) instead of journals: a row for each turn
    /// with its topic, arm, model, text, verdict, findings, findings of passes, labels, cost and how it was asked
    #[arg(long, value_name = "FILE", group = "table", conflicts_with_all = ["all", "output", "record", "flags"])]
    pub turns: Option<PathBuf>,
    /// Write a table of debates, CSV: a row for each debate with its decision, rewards, gauges, checkpoint, use and
    /// end
    #[arg(long, value_name = "FILE", group = "table", conflicts_with_all = ["all", "output", "record", "flags"])]
    pub debates: Option<PathBuf>,
    /// Leave texts of a table as they are that a spreadsheet would run (an apostrophe is put before them otherwise)
    #[arg(long, requires = "table")]
    pub raw: bool,
    /// Print the JSON Schema of records and flags
    #[arg(long, exclusive = true)]
    pub record_schema: bool,
}
