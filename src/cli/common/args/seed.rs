//! Seed of random draws.

use super::GAME;
use clap::Args;

/// The seed of an experiment.
#[derive(Debug, Clone, Default, Args)]
pub struct SeedArgs {
    /// Every random draw derives from it
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true,
        help_heading = GAME
    )]
    pub seed: u64,
}
