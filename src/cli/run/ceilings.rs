//! Ceilings and prices that were typed, and hints where they do not suffice.

use crate::cli::common::args::BudgetArgs;
use crate::cli::common::{Workshop, output, shell_word};
use crate::debate::event::ModelPlayer;
use crate::debate::protocol::Ceilings;
use crate::debate::{RunId, SessionId};
use crate::engine::check_budget;
use crate::workspace::{CastError, WorkspaceError};
use anyhow::Result;

/// Returns the ceilings that were typed.
///
/// # Errors
/// When one cannot be meant.
pub(crate) fn typed(args: &BudgetArgs) -> Result<Ceilings> {
    check_budget(args.cost.budget_usd)?;
    Ok(Ceilings {
        cost_usd: args.cost.budget_usd,
        calls: args.budget_calls,
        tokens: args.budget_tokens,
    })
}

/// Returns the ceilings of something that is begun: what was typed, else what is configured.
///
/// # Errors
/// When one cannot be meant.
pub(crate) fn beginning(args: &BudgetArgs, shop: &Workshop) -> Result<Ceilings> {
    let typed = typed(args)?;
    let cost_usd = typed.cost_usd.or(shop.config.defaults.budget_usd);
    check_budget(cost_usd)?;
    Ok(Ceilings { cost_usd, ..typed })
}

/// Prints which typed prices replace configured ones.
///
/// # Errors
/// When a typed price is for a model that does not play.
pub(crate) fn print_replaced_prices<'a>(
    shop: &Workshop,
    players: impl IntoIterator<Item = &'a ModelPlayer>,
) -> Result<()> {
    for replaced in shop.seats.check_prices(players)? {
        output::notice(&format!("notice: {}", output::clean(&replaced)));
    }
    Ok(())
}

/// What is begun or resumed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BegunOrResumed<'a> {
    Begins,
    Run(&'a RunId),
    Session(&'a SessionId),
    Sweep(&'a str),
}

/// Adds what `run` offers where models have no price.
pub(crate) fn with_ways(
    args: &BudgetArgs,
    error: anyhow::Error,
    going: BegunOrResumed<'_>,
) -> anyhow::Error {
    let Some(WorkspaceError::Cast(CastError::Unpriced(unpriced))) = error.downcast_ref() else {
        return error;
    };
    let mut ways = vec![
        "say what a million tokens read and written cost: --price IN,OUT (0,0 for a free model)"
            .to_owned(),
    ];
    let again = match going {
        BegunOrResumed::Begins => None,
        BegunOrResumed::Run(id) => Some(format!("elenchus run --resume {id}")),
        BegunOrResumed::Sweep(id) => Some(format!("elenchus sweep --resume {id}")),
        BegunOrResumed::Session(id) => Some(format!("elenchus run --resume-session {id}")),
    };
    if let Some(again) = again.filter(|_| !unpriced.recorded.is_empty()) {
        let prices = unpriced.recorded.iter();
        let prices: String = prices.map(|typed| price_flag(&typed.to_string())).collect();
        let again = format!("type the prices again that it was begun with: {again}{prices}");
        ways.insert(0, again);
    }
    // A run keeps the ceiling that it was begun with, and the configuration sets its own.
    let is_typed = args.cost.budget_usd.is_some()
        && !matches!(going, BegunOrResumed::Run(_) | BegunOrResumed::Sweep(_));
    if is_typed {
        ways.push(
            "count calls or tokens in the place of US dollars: --budget-calls N or \
             --budget-tokens N"
                .to_owned(),
        );
    }
    ways.push(unpriced.lines());
    anyhow::anyhow!(
        "{}; one of these helps:\n  {}",
        unpriced.complaint(),
        ways.join("\n  ")
    )
}

/// Returns the typed prices as they are typed again: they are kept in no configuration.
pub(crate) fn price_flags(args: &BudgetArgs) -> String {
    let prices = args.price.iter();
    prices.map(|typed| price_flag(&typed.to_string())).collect()
}

fn price_flag(typed: &str) -> String {
    format!(" --price {}", shell_word(typed))
}
