//! Words on what something would cost, said before it begins. Pure.

use crate::debate::{CostEstimate, ExpectedUse};
use crate::exchange::cost;
use crate::tui::widgets::{counted, thousands};

/// Returns what is likely spent, and at most.
pub(super) fn price(all: &CostEstimate) -> String {
    in_words(all, used)
}

/// Returns what is likely spent, and at most, with tokens.
pub(super) fn price_with_tokens(all: &CostEstimate) -> String {
    in_words(all, |one| {
        format!("{}, {} tokens", used(one), thousands(one.tokens()))
    })
}

/// Says whether it pauses before too much is spent.
pub(super) fn ceiling(usd: Option<f64>) -> String {
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
    format!("{money}, {}", counted(used.calls as usize, "call"))
}
