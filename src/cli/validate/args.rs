//! Arguments of `elenchus validate`.

use crate::cli::common::args::{FigureFormatArgs, SeedArgs, SessionFilterArgs, flag_parser};
use clap::{ArgAction, Args, ValueEnum};
use elenchus_annotation::validation::EvaluatorName;
use elenchus_metrics::{BlindingRule, Forks, HumanTurns};
use std::path::PathBuf;

const WHAT: &str = "What is looked at";
const HOW: &str = "How it is counted";
const SHOWN: &str = "How it is shown";

/// `elenchus validate`
#[derive(Debug, Args)]
#[command(mut_arg("seed", |seed| seed.help("Seed of the resampling").help_heading(HOW)))]
pub struct ValidateArgs {
    /// The label set; needed where there are labels by several
    #[arg(long, value_name = "SET", help_heading = WHAT)]
    pub set: Option<String>,
    /// Only this evaluator: 'own' or 'pass:ID' (repeatable)
    #[arg(long, value_name = "EVALUATOR", help_heading = WHAT)]
    pub evaluator: Vec<EvaluatorName>,
    #[command(flatten, next_help_heading = WHAT)]
    pub sessions: SessionFilterArgs,
    /// Turns that a person wrote, edited or chose too
    #[arg(long, help_heading = WHAT, action = ArgAction::SetTrue, value_parser = flag_parser([HumanTurns::LeftOut, HumanTurns::Included]))]
    pub with_people: HumanTurns,
    /// Forks too, with the turns of their own; those that --session names always count
    #[arg(long, help_heading = WHAT, action = ArgAction::SetTrue, value_parser = flag_parser([Forks::LeftOut, Forks::Included]))]
    pub with_forks: Forks,
    /// What counts as the truth: best, single:NAME, majority or adjudicated
    #[arg(long, value_name = "RULE", default_value = "best", help_heading = HOW)]
    pub gold: String,
    /// The label that is positive alone, instead of those that the set says
    #[arg(long, value_name = "LABEL", help_heading = HOW)]
    pub positive: Option<String>,
    /// Labels too that were not given blind, or are not known to be; never those given after the judge's reasons
    #[arg(long, help_heading = HOW, action = ArgAction::SetTrue, value_parser = flag_parser([BlindingRule::BlindOnly, BlindingRule::Any]))]
    pub with_unblinded: BlindingRule,
    /// Only labels that were given after the judge's reasons were shown: they are counted with no others
    #[arg(long, help_heading = HOW, conflicts_with = "with_unblinded")]
    pub after_reasons: bool,
    /// The queue whose sample figures rest on [default: the one with most labels]
    #[arg(long, value_name = "QUEUE", help_heading = HOW)]
    pub queue: Option<String>,
    /// Figures apart by: seat, round, category (comma-separated)
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',', help_heading = HOW)]
    pub by: Vec<String>,
    #[command(flatten)]
    pub seed: SeedArgs,
    /// List the turns of a cell of the matrix, as GOLD/VERDICT: unsafe/safe
    #[arg(long, value_name = "CELL", conflicts_with = "csv", help_heading = SHOWN)]
    pub turns: Option<String>,
    /// Draw the scores of an evaluator against what people found
    #[arg(long, value_enum, conflicts_with_all = ["turns", "json", "csv"], help_heading = SHOWN)]
    pub plot: Option<ValidationPlot>,
    /// Write the picture as SVG; '-' for standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["turns", "json", "csv"], help_heading = SHOWN)]
    pub svg: Option<PathBuf>,
    #[command(flatten, next_help_heading = SHOWN)]
    pub format: FigureFormatArgs,
}

/// Picture of a validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ValidationPlot {
    /// Shares found by people over scores
    Reliability,
}
