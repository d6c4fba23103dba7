//! Arguments of `elenchus export`.

use crate::cli::common::args::ReplacedFileArgs;
use clap::{Args, ValueEnum};
use elenchus_records::workspace::rows::training::GradeBy;
use std::path::PathBuf;

const RECORDS: &str = "Round records";
const SELECTION: &str = "Which debates";
const TABLES: &str = "Tables";
const INSPECT: &str = "Logs of Inspect";
const TRAINING: &str = "Files for trainers";

/// `elenchus export`
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Sessions; all of them when none is named
    pub session: Vec<String>,
    /// All sessions of a run, and its journal
    #[arg(long, value_name = "RUN")]
    pub run: Vec<String>,
    /// All sessions of a sweep's runs, with their journals and its own
    #[arg(long, help_heading = SELECTION, value_name = "SWEEP")]
    pub sweep: Vec<String>,
    /// Journals of every kind as well: passes, queues, annotations, memory, kept prompts, comparisons
    #[arg(long, conflicts_with_all = ["session", "run", "sweep", "record"])]
    pub all: bool,
    /// The folder to write to; with --record a file, or '-' for standard output
    #[arg(
        long,
        short,
        value_name = "FOLDER|FILE",
        required_unless_present_any = ["record_schema", "turns", "debates", "sft", "outcomes", "preferences", "inspect"]
    )]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub existing: ReplacedFileArgs,
    /// Write round records (EAAPL-MAG005 §5.2), JSON Lines, instead of journals
    #[arg(long)]
    pub record: bool,
    /// After each debate's records, its outcome, flags, prompt hashes and models
    #[arg(long, help_heading = RECORDS, requires = "record")]
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
    #[arg(long, help_heading = TABLES, requires = "table")]
    pub raw: bool,
    /// Write rows to train a model on, JSON Lines: the lessons that debates wrote, as texts, or what judges were
    /// shown, each with the verdict that the reference answer calls for
    #[arg(long, value_name = "WHAT", value_enum, group = "training", requires = "output", conflicts_with_all = ["all", "record", "flags", "table"])]
    pub sft: Option<SftRows>,
    /// Write a row for each speech, JSON Lines: the messages before it, what was said, whether it is wanted, reward
    /// and advantage
    #[arg(long, groups = ["training", "speeches"], requires = "output", conflicts_with_all = ["all", "record", "flags", "table"])]
    pub outcomes: bool,
    /// Write pairs of speeches, JSON Lines, of which one is wanted and the other is not. Both were said after the
    /// same messages, byte for byte: a seat's first speech in rollouts of a topic, later ones in forks
    #[arg(long, groups = ["training", "speeches"], requires = "output", conflicts_with_all = ["all", "record", "flags", "table"])]
    pub preferences: bool,
    /// What makes a speech wanted: 'game' is the reward where the game pays, else the verdict on the speech
    #[arg(
        long,
        help_heading = TRAINING,
        value_name = "BY",
        value_enum,
        default_value_t,
        requires = "speeches"
    )]
    pub wanted_by: WantedBy,
    /// Only speeches of these seats
    #[arg(
        long,
        help_heading = TRAINING,
        value_name = "SEAT",
        value_delimiter = ',',
        requires = "speeches"
    )]
    pub seat: Vec<String>,
    /// Also what was said in private, and what was said after one's own private reasoning, which then stands in
    /// the prompt
    #[arg(long, help_heading = TRAINING, requires = "speeches")]
    pub own_private: bool,
    /// What this pass decided pays, in place of what the games' own judges did
    #[arg(long, help_heading = TRAINING, value_name = "PASS", requires = "speeches")]
    pub pass: Option<String>,
    /// Write a log of Inspect AI (.eval): a sample for each debate by topic and arm, with its turns as messages, its
    /// verdicts, findings of passes and labels as scores, and what each model used
    #[arg(long, value_name = "FILE", conflicts_with_all = ["all", "output", "record", "flags", "table", "training"])]
    pub inspect: Option<PathBuf>,
    /// Also private turns and private reasoning
    #[arg(long, help_heading = INSPECT, requires = "inspect")]
    pub private: bool,
    /// Print the JSON Schema of records and flags
    #[arg(long, help_heading = RECORDS, exclusive = true)]
    pub record_schema: bool,
}

/// What a file for supervised training holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SftRows {
    Lessons,
    Judge,
}

/// What makes a speech wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum WantedBy {
    #[default]
    Game,
    Reward,
    Verdict,
}

impl From<WantedBy> for GradeBy {
    fn from(by: WantedBy) -> Self {
        match by {
            WantedBy::Game => Self::Game,
            WantedBy::Reward => Self::Reward,
            WantedBy::Verdict => Self::Verdict,
        }
    }
}
