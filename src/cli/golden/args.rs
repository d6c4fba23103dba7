//! Arguments of `elenchus golden`.

use crate::cli::common::args::{
    CastArgs, ExperimentArgs, GAME, JsonArgs, KeyArgs, SeedArgs, TopicFilterArgs,
    parse_at_least_one,
};
use crate::cli::common::completers::complete_models;
use clap::{Args, Subcommand};
use clap_complete::ArgValueCompleter;

const USAGE: &str = "\
elenchus golden run <SET> [OPTIONS]
       elenchus golden --resume <GOLDEN>
       elenchus golden show <DEBATES> <SINGLES>";

/// `elenchus golden`
#[derive(Debug, Args)]
#[command(
    override_usage = USAGE,
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true
)]
pub struct GoldenArgs {
    #[command(subcommand)]
    pub command: Option<GoldenCommand>,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
}

/// What can be done with a golden set.
#[derive(Debug, Subcommand)]
pub enum GoldenCommand {
    /// Play debate and single answer on every question, and compare them by task type
    Run(Box<GoldenRunArgs>),
    /// The same as 'golden --resume'
    #[command(hide = true)]
    Resume(GoldenResumeArgs),
    /// Compare the two runs of a golden set once more
    Show(GoldenShowArgs),
}

/// `elenchus golden run`
#[derive(Debug, Args)]
#[command(mut_arg("resume", |resume| resume.hide(true).conflicts_with("key")))]
pub struct GoldenRunArgs {
    /// Labelled questions: [KIND:]FILE, each with a reference answer; the category is its task type
    #[arg(id = "dataset", value_name = "SET", required_unless_present = "resume")]
    pub golden: Option<String>,
    /// The debate: a protocol's id, or the path of a protocol.toml
    #[arg(long, value_name = "ID|FILE", default_value = "moderated")]
    pub protocol: String,
    /// What it is compared with: a protocol in which one agent answers
    #[arg(long, value_name = "ID|FILE", default_value = "single")]
    pub single: String,
    /// The model that answers alone [default: the model of the debate's graded speaker]
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models))]
    pub single_model: Option<String>,
    #[command(flatten)]
    pub cast: CastArgs,
    /// A setting of the debate (repeatable)
    #[arg(long = "set", help_heading = GAME, value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// A setting of the single answer (repeatable)
    #[arg(long = "single-set", help_heading = GAME, value_name = "NAME=VALUE")]
    pub single_set: Vec<String>,
    #[command(flatten, next_help_heading = GAME)]
    pub topics: TopicFilterArgs,
    /// Play every question K times, by each
    #[arg(long, help_heading = GAME, value_name = "K", default_value_t = 1, value_parser = parse_at_least_one::<u32>)]
    pub rollouts: u32,
    #[command(flatten)]
    pub seed: SeedArgs,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    #[command(flatten)]
    pub repeat: KeyArgs,
}

/// `elenchus golden resume`
#[derive(Debug, Args)]
pub struct GoldenResumeArgs {
    /// The golden set
    #[arg(value_name = "GOLDEN")]
    pub golden: String,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
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
