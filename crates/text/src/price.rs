//! Words on what something would cost, said before it begins. Pure.

use super::cost;
use super::{grouped_count, thousands};
use elenchus_game::debate::{CostEstimate, ExpectedUse};

/// Returns what is likely spent, and at most.
pub fn price(all: &CostEstimate) -> String {
    in_words(all, used)
}

/// Returns what is likely spent, and at most, with tokens.
pub fn price_with_tokens(all: &CostEstimate) -> String {
    in_words(all, |one| {
        format!("{}, {} tokens", used(one), thousands(one.tokens()))
    })
}

/// Says whether it pauses before too much is spent.
pub fn ceiling(usd: Option<f64>) -> String {
    match usd {
        Some(usd) => format!("it pauses before ${usd:.2}"),
        None => "there is no ceiling".to_owned(),
    }
}

fn in_words(all: &CostEstimate, used: impl Fn(&ExpectedUse) -> String) -> String {
    format!(
        "likely {}; at most {}",
        used(&all.likely),
        used(&all.at_most)
    )
}

fn used(used: &ExpectedUse) -> String {
    let money = cost::known(used.cost_usd);
    format!("{money}, {}", grouped_count(used.calls as usize, "call"))
}
