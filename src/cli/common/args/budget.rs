//! Arguments that limit cost, calls and tokens, and give prices.

use super::number::parse_at_least_one;
use anyhow::Result;
use clap::Args;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::TypedPrice;
use elenchus_run::engine::check_budget;

/// Ceilings in dollars, calls and tokens, and prices where the configuration has none.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = super::LIMITS)]
pub struct BudgetArgs {
    /// Pause before it can cost more than this
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub budget_usd: Option<f64>,
    /// Pause before more requests than this are sent, tries again included; needs no price
    #[arg(long, value_name = "N", value_parser = parse_at_least_one::<u64>)]
    pub budget_calls: Option<u64>,
    /// Pause before more tokens than this can be read and written; needs no price
    #[arg(long, value_name = "N", value_parser = parse_at_least_one::<u64>)]
    pub budget_tokens: Option<u64>,
    /// US dollars for a million tokens read and written, of models without a configured price; with MODEL= of that one, whatever is configured (repeatable)
    #[arg(long, value_name = "[MODEL=]IN,OUT", allow_hyphen_values = true)]
    pub price: Vec<TypedPrice>,
}

impl BudgetArgs {
    /// Returns the ceilings that were typed.
    ///
    /// # Errors
    /// When one cannot be meant.
    pub(crate) fn typed_ceilings(&self) -> Result<Ceilings> {
        check_budget(self.budget_usd)?;
        Ok(Ceilings {
            cost_usd: self.budget_usd,
            calls: self.budget_calls,
            tokens: self.budget_tokens,
        })
    }
}
