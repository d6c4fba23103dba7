//! Arguments of `elenchus golden`.

use crate::cli::common::args::{
    BudgetArgs, CastArgs, GAME, JsonArgs, PlayArgs, UnlistedArgs, at_least_one,
};
use crate::cli::common::completers::models;
use clap::{Args, Subcommand};
use clap_complete::ArgValueCompleter;

/// What can be done with a golden set.
#[derive(Debug, Subcommand)]
pub enum GoldenCommand {
    /// Play debate and single answer on every question, and compare them by task type
    Run(Box<GoldenRunArgs>),
    /// Go on with a golden set, as it was begun
    Resume(GoldenResumeArgs),
    /// Compare the two runs of a golden set once more
    Show(GoldenShowArgs),
}

/// `elenchus golden run`
#[derive(Debug, Args)]
pub struct GoldenRunArgs {
    /// Labelled questions: [KIND:]FILE, each with a reference answer; the category is its task type
    #[arg(value_name = "SET")]
    pub golden: String,
    /// The debate: a protocol's id, or the path of a protocol.toml
    #[arg(long, value_name = "ID|FILE", default_value = "moderated")]
    pub protocol: String,
    /// What it is compared with: a protocol in which one agent answers
    #[arg(long, value_name = "ID|FILE", default_value = "single")]
    pub single: String,
    /// The model that answers alone [default: the model of the debate's graded speaker]
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(models))]
    pub single_model: Option<String>,
    #[command(flatten)]
    pub cast: CastArgs,
    #[command(flatten)]
    pub names: UnlistedArgs,
    /// Say what both would cost, and play and write nothing
    #[arg(long)]
    pub estimate: bool,
    /// A setting of the debate (repeatable)
    #[arg(long = "set", help_heading = GAME, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// A setting of the single answer (repeatable)
    #[arg(long = "single-set", help_heading = GAME, value_name = "NAME=VALUE")]
    pub single_set: Vec<String>,
    /// Only questions of this task type (repeatable)
    #[arg(long, help_heading = GAME, value_name = "NAME")]
    pub category: Vec<String>,
    /// Only the first N questions
    #[arg(long, help_heading = GAME, value_name = "N", conflicts_with = "sample")]
    pub limit: Option<usize>,
    /// N questions drawn by the seed
    #[arg(long, help_heading = GAME, value_name = "N")]
    pub sample: Option<usize>,
    /// Play every question K times, by each
    #[arg(long, help_heading = GAME, value_name = "K", default_value_t = 1, value_parser = at_least_one::<u32>)]
    pub rollouts: u32,
    #[command(flatten)]
    pub play: PlayArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Print nothing but the ids of the two runs, debates first
    #[arg(long, help_heading = GAME, short)]
    pub quiet: bool,
    /// The comparison as JSON
    #[arg(long, help_heading = GAME, conflicts_with = "quiet")]
    pub json: bool,
}

/// `elenchus golden resume`
#[derive(Debug, Args)]
pub struct GoldenResumeArgs {
    /// The golden set
    #[arg(value_name = "GOLDEN")]
    pub golden: String,
    #[command(flatten)]
    pub budget: BudgetArgs,
    #[command(flatten)]
    pub names: UnlistedArgs,
    /// Debates that are played side by side [default: 16]
    #[arg(long, value_name = "N")]
    pub concurrency: Option<usize>,
    #[command(flatten)]
    pub output: JsonArgs,
}

/// `elenchus golden show`
#[derive(Debug, Args)]
pub struct GoldenShowArgs {
    /// The run of debates
    #[arg(value_name = "DEBATES")]
    pub debates: String,
    /// The run of single answers
    #[arg(value_name = "SINGLES")]
    pub singles: String,
    #[command(flatten)]
    pub output: JsonArgs,
}
