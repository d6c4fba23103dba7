//! Arguments of `elenchus rollout`.

use crate::cli::common::args::{
    BudgetArgs, CastArgs, ExperimentArgs, GAME, LIMITS, SeedArgs, UnlistedArgs, parse_at_least_one,
};
use crate::cli::common::completers::complete_games;
use crate::cli::run::{LearningArgs, RunArgs};
use clap::{Args, ValueHint};
use clap_complete::ArgValueCompleter;
use elenchus_records::workspace::memory::DEFAULT_NAMESPACE;
use std::path::PathBuf;

/// `elenchus rollout`
#[derive(Debug, Default, Args)]
pub struct RolloutArgs {
    /// Topics, JSON Lines: a file, or '-' for standard input
    #[arg(value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub topics: PathBuf,
    /// The game: a protocol's id ('protocols list'), or the path of a protocol.toml
    #[arg(long, value_name = "ID|FILE", add = ArgValueCompleter::new(complete_games))]
    pub protocol: String,
    /// Play every topic K times: its group
    #[arg(long, value_name = "K", default_value_t = 8, value_parser = parse_at_least_one::<u32>)]
    pub rollouts: u32,
    #[command(flatten)]
    pub cast: CastArgs,
    /// A setting of the protocol (repeatable); 'protocols show ID' lists them
    #[arg(long = "set", value_name = "NAME=VALUE", help_heading = GAME)]
    pub set: Vec<String>,
    /// Rounds, the same as --set rounds=N
    #[arg(long, value_name = "N", help_heading = GAME)]
    pub rounds: Option<u32>,
    #[command(flatten)]
    pub seed: SeedArgs,
    #[command(flatten, next_help_heading = LIMITS)]
    pub budget: BudgetArgs,
    /// Debates that are played side by side [default: 16]
    #[arg(long, value_name = "N", value_parser = parse_at_least_one::<usize>, help_heading = LIMITS)]
    pub concurrency: Option<usize>,
    #[command(flatten, next_help_heading = LIMITS)]
    pub names: UnlistedArgs,
    /// Say nothing on standard error but warnings and what failed
    #[arg(long, short)]
    pub quiet: bool,
}

impl RolloutArgs {
    /// Returns the arguments of the run that a batch of topics becomes.
    pub(super) fn run_args(&self) -> RunArgs {
        RunArgs {
            protocol: Some(self.protocol.clone()),
            rollouts: self.rollouts,
            cast: self.cast.clone(),
            set: self.set.clone(),
            rounds: self.rounds,
            seed: self.seed.clone(),
            experiment: ExperimentArgs {
                budget: self.budget.clone(),
                concurrency: self.concurrency,
                names: self.names,
                quiet: self.quiet,
                ..ExperimentArgs::default()
            },
            learning: LearningArgs {
                memory_namespace: DEFAULT_NAMESPACE.to_owned(),
                ..LearningArgs::default()
            },
            ..RunArgs::default()
        }
    }
}
