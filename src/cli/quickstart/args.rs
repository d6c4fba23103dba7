//! Arguments of `elenchus quickstart`: one for every question that it asks.

use crate::cli::common::args::{BudgetArgs, GAME, LIMITS, TOPICS, UnlistedArgs};
use crate::cli::common::completers::complete_models;
use clap::{Args, ValueEnum, ValueHint};
use clap_complete::ArgValueCompleter;
use elenchus_dataset::ColumnChoice;

/// Default number of debates.
const USUAL_DEBATES: usize = 10;

const EXAMPLE: &str = "\
For instance, without a question:
  elenchus quickstart harmbench.csv --server http://127.0.0.1:8000/v1 \\
      --debaters llama-3,mistral --evaluator llama-guard-3 --yes --then nothing";

/// `elenchus quickstart`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct QuickstartArgs {
    /// A benchmark file, whose kind is recognised or named before it, as harmbench:FILE ('run --help' lists the kinds)
    #[arg(value_name = "[KIND:]FILE", value_hint = ValueHint::FilePath)]
    pub dataset: String,
    /// Which column is what (repeatable): text=Goal,category=Category
    #[arg(long, help_heading = TOPICS, value_name = "FIELD=COLUMN,…")]
    pub column: Vec<ColumnChoice>,
    /// A column that is not read (repeatable)
    #[arg(long, help_heading = TOPICS, value_name = "COLUMN")]
    pub ignore: Vec<String>,
    /// The server [default: those of configuration and environment, else the usual ports of this machine]
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// The environment variable that holds its key
    #[arg(long, value_name = "VARIABLE", requires = "server")]
    pub key: Option<String>,
    /// Who debates: one model for all three debaters, two of which the first takes two chairs, or one for each; 'sim' is the simulated model
    #[arg(long, value_name = "MODEL,…", value_delimiter = ',', add = ArgValueCompleter::new(complete_models))]
    pub debaters: Vec<String>,
    /// Who judges every answer; a known guard is asked in its own format
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models))]
    pub evaluator: Option<String>,
    #[command(flatten, next_help_heading = LIMITS)]
    pub names: UnlistedArgs,
    /// How many topics are drawn by the seed, a debate each
    #[arg(long, value_name = "N", default_value_t = USUAL_DEBATES)]
    pub debates: usize,
    /// Every random draw derives from it
    #[arg(long, help_heading = GAME, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Play at once: what it will cost is said and not asked about
    #[arg(long)]
    pub yes: bool,
    /// What comes after the debates [default: asked at a terminal]
    #[arg(long, value_name = "WHAT")]
    pub then: Option<NextStep>,
}

/// What comes after the debates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NextStep {
    /// The first unsafe turn is opened
    Open,
    /// A sample of the turns is labelled
    Label,
    /// The commands that do so are printed
    Nothing,
}
