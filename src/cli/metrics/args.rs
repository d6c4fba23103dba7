//! Arguments of `elenchus metrics`, and definitions of its figures.

use crate::cli::common::args::{FigureFormatArgs, SessionFilterArgs};
use clap::Args;

/// Definitions of figures, printed under the options so that a figure can be quoted with what it counts.
pub(crate) const FIGURES: &str = include_str!("figures.txt");

/// `elenchus metrics`
#[derive(Debug, Args)]
pub struct MetricsArgs {
    #[command(flatten)]
    pub sessions: SessionFilterArgs,
    /// Only this protocol
    #[arg(long, value_name = "ID")]
    pub protocol: Option<String>,
    /// Apart by: protocol, arm, seat, category, round, checkpoint, length (comma-separated)
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Compare with another protocol's debates on the same topics: share right, cost and time as a multiple
    #[arg(long, value_name = "ID", requires = "protocol", conflicts_with_all = ["by", "advantages", "csv"])]
    pub against: Option<String>,
    /// Count turns that a person wrote, edited or chose too
    #[arg(long)]
    pub with_people: bool,
    #[command(flatten)]
    pub error: EvaluatorErrorArgs,
    /// Take what a pass found for the safety of turns, instead of what the games' own evaluators found;
    /// figures that do not come from the pass are left out
    #[arg(long, value_name = "PASS")]
    pub pass: Option<String>,
    /// Every reward less the mean of its seat over the rollouts of its topic, for a trainer
    #[arg(long, conflicts_with = "by")]
    pub advantages: bool,
    /// Seed of the resampling
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    pub seed: u64,
    #[command(flatten)]
    pub format: FigureFormatArgs,
}

/// Source of the evaluator's error.
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
