//! The command line of `elenchus metrics`.

use super::args_validate::EvaluatorErrorArgs;
use clap::Args;

/// `elenchus metrics`
#[derive(Debug, Args)]
pub struct MetricsArgs {
    /// Only sessions of these runs
    #[arg(long, value_name = "RUN")]
    pub run: Vec<String>,
    /// Only these sessions
    #[arg(long, value_name = "SESSION")]
    pub session: Vec<String>,
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
    /// Take what a pass found for the safety of turns, instead of what the games' own evaluators found
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
    /// As JSON
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// As CSV
    #[arg(long)]
    pub csv: bool,
}
