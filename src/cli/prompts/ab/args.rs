//! Arguments of `elenchus prompts ab`.

use crate::cli::common::args::{
    ExperimentArgs, GAME, GOING_ON, KeyArgs, SeedArgs, TopicFilterArgs, make_exclusive,
};
use crate::cli::common::completers::complete_models;
use crate::cli::prompts::trial_args::{AskAnew, RollForwardChoice};
use clap::Args;
use clap_complete::ArgValueCompleter;
use elenchus_run::experiments::prompt_ab::VerdictTruth;
use std::path::PathBuf;

/// Help heading of options that select recorded turns.
const RECORDED: &str = "Recorded turns";
/// Help heading of options on fresh debates.
const FRESH: &str = "Fresh debates";
/// Help heading of options on limits.
const ENDS: &str = "How far it goes";
/// Help heading of options on judging replies.
const JUDGED: &str = "Which reply is better";

/// `elenchus prompts ab`
#[derive(Debug, Args)]
#[command(
    defer(|command| make_exclusive(command, "resume", &[])),
    mut_arg("estimate", |estimate| estimate.conflicts_with_all(["show", "list"])),
    mut_arg("key", |key| key.conflicts_with_all(["show", "list"])),
    mut_arg("seed", |seed| seed.help("Fixes what is drawn, the order, and the resampling"))
)]
pub struct AbArgs {
    /// The one prompt: a file, 'built-in', 'recorded', or PROTOCOL/TEMPLATE as it is now
    #[arg(long, value_name = "PROMPT")]
    pub a: Option<String>,
    /// The other prompt
    #[arg(long, value_name = "PROMPT")]
    pub b: Option<String>,
    /// The seat whose prompt it is, as in socratic; for fresh debates also SEAT=MODEL (repeatable)
    #[arg(long, value_name = "SEAT[=MODEL]")]
    pub seat: Vec<String>,
    /// The template that it is, where the seat has several
    #[arg(long, help_heading = GAME, value_name = "NAME")]
    pub template: Option<String>,
    /// The game: only turns of this protocol; with --dataset the one that is played
    #[arg(long, value_name = "ID")]
    pub protocol: Option<String>,
    /// How often each prompt is asked on each turn or topic
    #[arg(long, visible_alias = "k", value_name = "K", default_value_t = 1)]
    pub samples: u32,
    #[command(flatten)]
    pub seed: SeedArgs,
    #[command(flatten)]
    pub recorded: RecordedArgs,
    #[command(flatten)]
    pub fresh: FreshArgs,
    #[command(flatten)]
    pub ends: EndsArgs,
    /// A model that says which of both replies is better, in both orders
    #[arg(long, help_heading = JUDGED, value_name = "MODEL", conflicts_with = "dataset")]
    pub preference: Option<String>,
    /// What it is asked by
    #[arg(
        long,
        help_heading = JUDGED,
        value_name = "NAME",
        requires = "preference",
        default_value = "preference"
    )]
    pub rubric: String,
    /// What a judge's verdicts are held against: labels:SET for what people said blind, pass:ID for what another
    /// judge found [default: what the game's grader found]
    #[arg(long, help_heading = JUDGED, value_name = "TRUTH", value_parser = parse_truth, conflicts_with = "dataset")]
    pub truth: Option<VerdictTruth>,
    /// Show a comparison as far as it was played
    #[arg(long, value_name = "ID", conflicts_with_all = ["a", "b", "resume"])]
    pub show: Option<String>,
    /// List comparisons
    #[arg(long, help_heading = GOING_ON, conflicts_with_all = ["a", "b", "resume", "show"])]
    pub list: bool,
    #[command(flatten)]
    pub experiment: ExperimentArgs,
    #[command(flatten)]
    pub repeat: KeyArgs,
}

/// Selection of recorded turns on which both prompts are tried.
#[derive(Debug, Args)]
pub struct RecordedArgs {
    /// Only turns of this run (repeatable) [default: of every debate in the store]
    #[arg(long, value_name = "RUN", help_heading = RECORDED)]
    pub run: Vec<String>,
    /// Only turns of this session (repeatable)
    #[arg(long, value_name = "SESSION", help_heading = RECORDED)]
    pub session: Vec<String>,
    /// Only turns of this round
    #[arg(long, value_name = "N", help_heading = RECORDED)]
    pub round: Option<u32>,
    /// So many turns, drawn by the seed [default: all that fit]
    #[arg(long, value_name = "N", help_heading = RECORDED)]
    pub turns: Option<usize>,
}

/// Fresh debates that are played with both prompts.
#[derive(Debug, Args)]
pub struct FreshArgs {
    /// Play a debate of each prompt for each topic of a file, as 'elenchus run' reads it
    #[arg(long, value_name = "[KIND:]FILE", requires = "protocol", conflicts_with = "RecordedArgs", help_heading = FRESH)]
    pub dataset: Option<String>,
    #[command(flatten, next_help_heading = FRESH)]
    pub topics: TopicFilterArgs,
    /// How many rounds a debate has
    #[arg(long, value_name = "N", requires = "dataset", help_heading = FRESH)]
    pub rounds: Option<u32>,
    /// A setting of the game (repeatable)
    #[arg(long, value_name = "NAME=VALUE", requires = "dataset", help_heading = FRESH)]
    pub set: Vec<String>,
    /// A cast file (TOML)
    #[arg(long, value_name = "FILE", requires = "dataset", help_heading = FRESH)]
    pub cast: Option<PathBuf>,
    /// The model of every seat that is not named
    #[arg(long, value_name = "MODEL", add = ArgValueCompleter::new(complete_models), requires = "dataset", help_heading = FRESH)]
    pub model: Option<String>,
    /// Models of the seat 'debater'
    #[arg(long, value_name = "MODEL,…", value_delimiter = ',', requires = "dataset", help_heading = FRESH)]
    pub debaters: Vec<String>,
}

/// Limits of a comparison.
#[derive(Debug, Args)]
pub struct EndsArgs {
    /// How far the debate goes on with each reply [default: turn, or next where turns of the seat are
    /// never judged themselves]
    #[arg(long, value_name = "HOW", value_enum, help_heading = ENDS)]
    pub roll_forward: Option<RollForwardChoice>,
    /// End as soon as a confidence sequence leaves no difference out, which errs with this chance
    #[arg(
        long,
        value_name = "ALPHA",
        num_args = 0..=1,
        default_missing_value = "0.05",
        conflicts_with = "resume",
        help_heading = ENDS
    )]
    pub until_settled: Option<f64>,
    #[command(flatten, next_help_heading = ENDS)]
    pub ask_anew: AskAnew,
}

/// Reads what verdicts are held against.
fn parse_truth(text: &str) -> Result<VerdictTruth, String> {
    match text.split_once(':') {
        Some(("labels", set)) if !set.is_empty() => Ok(VerdictTruth::Labels(set.to_owned())),
        Some(("pass", pass)) if !pass.is_empty() => Ok(VerdictTruth::Pass(pass.to_owned())),
        _ => Err(
            "name a label set or a pass, as in labels:safety or pass:last; without --truth, what the \
             grader found counts"
                .to_owned(),
        ),
    }
}
