//! Arguments of how debates are drawn and how many are played at once.

use super::GAME;
use super::number::at_least_one;
use clap::Args;

/// The seed, and the limit of debates played at once.
#[derive(Debug, Clone, Default, Args)]
pub struct PlayArgs {
    /// Every random draw derives from it
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true,
        help_heading = GAME
    )]
    pub seed: u64,
    /// Debates played side by side [default: 16]
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>, help_heading = GAME)]
    pub concurrency: Option<usize>,
}
