//! The command line of `elenchus labels`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

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
    /// Take in answers and debates of other people's files with their labels, or exported labels
    Import(LabelImportArgs),
    /// Write labels to a file, with who gave them, when, how blind and how they were drawn
    Export(LabelExportArgs),
}

/// `elenchus labels import`
#[derive(Debug, Args)]
pub struct LabelImportArgs {
    /// XSTest's completions, a table of prompts and completions (CSV, JSONL), RedDebate's JSON or a folder of it, or what 'labels export' wrote
    #[arg(required = true, value_name = "FILE")]
    pub path: Vec<PathBuf>,
    /// Columns that people filled, where the file does not say
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub human: Vec<String>,
    /// Columns that a program filled, where the file does not say
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    pub automatic: Vec<String>,
    /// The label set that people labelled by
    #[arg(long, value_name = "SET")]
    pub set: Option<String>,
    /// Take the rest where some rows cannot be taken
    #[arg(long)]
    pub skip_bad_rows: bool,
    /// Say what would be taken, and take nothing
    #[arg(long)]
    pub check: bool,
}

/// `elenchus labels export`
#[derive(Debug, Args)]
pub struct LabelExportArgs {
    /// The file to write; it must not be there
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// CSV or JSON Lines [default: by the file's name]
    #[arg(long, value_enum)]
    pub format: Option<LabelFormat>,
    /// Only labels by this set
    #[arg(long, value_name = "SET")]
    pub set: Option<String>,
    /// Only this person's
    #[arg(long, value_name = "NAME")]
    pub annotator: Option<String>,
}

/// How labels are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LabelFormat {
    Csv,
    Jsonl,
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
