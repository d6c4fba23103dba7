//! Words on what something would cost, said before it begins. Pure.

use super::cost;
use super::{format_grouped_count, format_thousands};
use elenchus_game::debate::{CostEstimate, ExpectedUse};

/// Returns what is likely spent, and at most.
pub fn describe_price(all: &CostEstimate) -> String {
    describe_range(all, describe_use)
}

/// Returns what is likely spent, and at most, with tokens.
pub fn describe_price_with_tokens(all: &CostEstimate) -> String {
    describe_range(all, |one| {
        format!(
            "{}, {} tokens",
            describe_use(one),
            format_thousands(one.total_tokens())
        )
    })
}

/// Says whether it pauses before too much is spent.
pub fn describe_ceiling(usd: Option<f64>) -> String {
    match usd {
        Some(usd) => format!("it pauses before ${usd:.2}"),
        None => "there is no ceiling".to_owned(),
    }
}

fn describe_range(all: &CostEstimate, used: impl Fn(&ExpectedUse) -> String) -> String {
    format!(
        "likely {}; at most {}",
        used(&all.likely),
        used(&all.at_most)
    )
}

fn describe_use(used: &ExpectedUse) -> String {
    let money = cost::format_cost(used.cost_usd);
    format!(
        "{money}, {}",
        format_grouped_count(used.calls as usize, "call")
    )
}
