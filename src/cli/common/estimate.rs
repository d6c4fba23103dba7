//! Estimates of cost as text.

use crate::debate::{CostEstimate, ExpectedUse};
use crate::exchange::cost;

/// Returns an estimate as one line: money, calls and tokens, as likely and at most.
pub fn line(estimate: &CostEstimate) -> String {
    let CostEstimate { likely, at_most } = estimate;
    let money = match (likely.cost_usd, at_most.cost_usd) {
        (Some(likely), Some(at_most)) if likely == at_most => cost::usd(likely),
        (Some(likely), Some(at_most)) => {
            let (likely, at_most) = (cost::usd(likely), cost::usd(at_most));
            format!("{likely} likely, {at_most} at most")
        }
        (Some(_) | None, _) => "? (a model has no price)".to_owned(),
    };
    let calls = if likely.calls == at_most.calls {
        likely.calls.to_string()
    } else {
        format!("{} to {}", likely.calls, at_most.calls)
    };
    format!(
        "{money}; {calls} calls, {} to {} tokens",
        short(likely.tokens()),
        short(at_most.tokens())
    )
}

/// Returns what was used as a multiple of what was likely: in money, else in tokens.
pub fn multiple(likely: &ExpectedUse, cost_usd: Option<f64>, tokens: u64) -> Option<f64> {
    let money = cost_usd.zip(likely.cost_usd);
    let (used, expected) = money
        .filter(|(_, expected)| *expected > 0.0)
        .unwrap_or((tokens as f64, likely.tokens() as f64));
    (expected > 0.0).then(|| used / expected)
}

/// Returns a count in at most four digits.
fn short(count: u64) -> String {
    let large = count as f64;
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{:.0}k", large / 1e3),
        1_000_000..10_000_000 => format!("{:.1}M", large / 1e6),
        _ => format!("{:.0}M", large / 1e6),
    }
}
