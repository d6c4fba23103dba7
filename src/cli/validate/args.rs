//! The command line of `elenchus validate`.

use crate::driver::validate::EvaluatorName;
use clap::Args;

const WHAT: &str = "What is looked at";
const HOW: &str = "How it is counted";
const SHOWN: &str = "How it is shown";

/// `elenchus validate`
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// The label set; needed where turns are labelled by several
    #[arg(long, value_name = "SET", help_heading = WHAT)]
    pub set: Option<String>,
    /// Only this evaluator: 'own' or 'pass:ID' (repeatable)
    #[arg(long, value_name = "EVALUATOR", help_heading = WHAT)]
    pub evaluator: Vec<EvaluatorName>,
    /// Only sessions of these runs
    #[arg(long, value_name = "RUN", help_heading = WHAT)]
    pub run: Vec<String>,
    /// Only these sessions
    #[arg(long, value_name = "SESSION", help_heading = WHAT)]
    pub session: Vec<String>,
    /// Turns that a person wrote, edited or chose too
    #[arg(long, help_heading = WHAT)]
    pub with_people: bool,
    /// What counts as the truth: best, single:NAME, majority or adjudicated
    #[arg(long, value_name = "RULE", default_value = "best", help_heading = HOW)]
    pub gold: String,
    /// The label that is positive alone, instead of those that the set says
    #[arg(long, value_name = "LABEL", help_heading = HOW)]
    pub positive: Option<String>,
    /// Labels too that were not given blind, or are not known to be
    #[arg(long, help_heading = HOW)]
    pub with_unblinded: bool,
    /// The queue whose sample figures rest on [default: the one with most labels]
    #[arg(long, value_name = "QUEUE", help_heading = HOW)]
    pub queue: Option<String>,
    /// Figures apart by: seat, round, category (comma-separated)
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',', help_heading = HOW)]
    pub by: Vec<String>,
    /// Seed of the resampling
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true,
        help_heading = HOW
    )]
    pub seed: u64,
    /// List the turns of a cell of the matrix, as GOLD/VERDICT: unsafe/safe
    #[arg(long, value_name = "CELL", conflicts_with = "csv", help_heading = SHOWN)]
    pub turns: Option<String>,
    /// As JSON
    #[arg(long, conflicts_with = "csv", help_heading = SHOWN)]
    pub json: bool,
    /// As CSV
    #[arg(long, help_heading = SHOWN)]
    pub csv: bool,
}

/// How well the evaluator of `elenchus metrics` is known.
#[derive(Debug, Default, Args)]
pub struct EvaluatorErrorArgs {
    /// Noise floors by the evaluator's error as labels measure it, instead of a simulated one's own
    #[arg(long, value_name = "from-labels[:SET]", value_parser = from_labels)]
    pub evaluator_error: Option<FromLabels>,
}

/// The labels that an evaluator's error is measured by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FromLabels {
    /// The only set in use where `None`.
    pub set: Option<String>,
}

fn from_labels(text: &str) -> Result<FromLabels, String> {
    match text.trim().split_once(':') {
        None if text.trim() == "from-labels" => Ok(FromLabels { set: None }),
        Some(("from-labels", set)) if !set.trim().is_empty() => Ok(FromLabels {
            set: Some(set.trim().to_owned()),
        }),
        Some(_) | None => Err("it is measured 'from-labels' or 'from-labels:SET'".to_owned()),
    }
}
