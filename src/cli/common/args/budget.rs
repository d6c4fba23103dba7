//! What is counted of a run: calls and tokens under a ceiling, and prices that are typed.

use super::args::{GAME, at_least_one};
use crate::driver::TypedPrice;
use clap::Args;

/// Ceilings that need no price, and prices where the configuration has none.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = GAME)]
pub struct CountedArgs {
    /// Pause before more requests than this are sent, tries again included; needs no price
    #[arg(long, value_name = "N", value_parser = at_least_one::<u64>)]
    pub budget_calls: Option<u64>,
    /// Pause before more tokens than this can be read and written; needs no price
    #[arg(long, value_name = "N", value_parser = at_least_one::<u64>)]
    pub budget_tokens: Option<u64>,
    /// US dollars for a million tokens read and written, of models without a configured price; with MODEL= of that one, whatever is configured (repeatable)
    #[arg(long, value_name = "[MODEL=]IN,OUT", allow_hyphen_values = true)]
    pub price: Vec<TypedPrice>,
}
