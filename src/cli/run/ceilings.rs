//! Ceilings and prices of `run`: what was typed of them, and what to type when they do not do.

use super::args::RunArgs;
use super::page::{self, shell_word};
use super::workshop::Workshop;
use crate::debate::event::{CeilingKind, ModelPlayer};
use crate::debate::protocol::Ceilings;
use crate::debate::{RunId, SessionId};
use crate::driver::{CastError, DriverError, check_budget};
use crate::exchange::text::{Keep, visible};

/// Returns the ceilings that were typed.
///
/// # Errors
/// When one cannot be meant.
pub(super) fn typed(args: &RunArgs) -> anyhow::Result<Ceilings> {
    check_budget(args.budget_usd)?;
    Ok(Ceilings {
        cost_usd: args.budget_usd,
        calls: args.counted.budget_calls,
        tokens: args.counted.budget_tokens,
    })
}

/// Returns the ceilings of something that is begun: what was typed, else what is configured.
///
/// # Errors
/// When one cannot be meant.
pub(super) fn beginning(args: &RunArgs, shop: &Workshop) -> anyhow::Result<Ceilings> {
    let typed = typed(args)?;
    let cost_usd = typed.cost_usd.or(shop.config.defaults.budget_usd);
    check_budget(cost_usd)?;
    Ok(Ceilings { cost_usd, ..typed })
}

/// Says which typed prices stand in the place of configured ones.
///
/// # Errors
/// When a typed price is for nobody who plays.
pub(super) fn tell_of_prices<'a>(
    shop: &Workshop,
    players: impl IntoIterator<Item = &'a ModelPlayer>,
) -> anyhow::Result<()> {
    for replaced in shop.seats.check_prices(players)? {
        page::notice(&format!("notice: {}", visible(&replaced, Keep::Nothing)));
    }
    Ok(())
}

/// What models are wanted for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Going<'a> {
    Begins,
    Run(&'a RunId),
    Session(&'a SessionId),
}

/// Adds what `run` offers where models have no price.
pub(super) fn with_ways(args: &RunArgs, error: anyhow::Error, going: Going<'_>) -> anyhow::Error {
    let Some(DriverError::Cast(CastError::Unpriced(unpriced))) = error.downcast_ref() else {
        return error;
    };
    let mut ways = vec![
        "say what a million tokens read and written cost: --price IN,OUT (0,0 for a free model)"
            .to_owned(),
    ];
    let again = match going {
        Going::Begins => None,
        Going::Run(id) => Some(format!("elenchus run --resume {id}")),
        Going::Session(id) => Some(format!("elenchus run --resume-session {id}")),
    };
    if let Some(again) = again.filter(|_| !unpriced.recorded.is_empty()) {
        let prices = unpriced.recorded.iter();
        let prices: String = prices.map(|typed| price_flag(&typed.to_string())).collect();
        let again = format!("type the prices again that it was begun with: {again}{prices}");
        ways.insert(0, again);
    }
    // A run keeps the ceiling that it was begun with, and the configuration sets its own.
    let is_typed = args.budget_usd.is_some() && !matches!(going, Going::Run(_));
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

/// Returns the option that raises a ceiling that was met.
pub(super) fn raising(met: Option<CeilingKind>) -> &'static str {
    match met {
        Some(CeilingKind::CostUsd) => " --budget-usd MORE",
        Some(CeilingKind::Calls) => " --budget-calls MORE",
        Some(CeilingKind::Tokens) => " --budget-tokens MORE",
        None => "",
    }
}

/// Returns the typed prices as they are typed again: they are kept in no configuration.
pub(super) fn price_flags(args: &RunArgs) -> String {
    let prices = args.counted.price.iter();
    prices.map(|typed| price_flag(&typed.to_string())).collect()
}

fn price_flag(typed: &str) -> String {
    format!(" --price {}", shell_word(typed))
}
