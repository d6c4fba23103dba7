//! Estimates of cost and time as text and JSON.

use super::output::counted;
use crate::debate::{CostEstimate, ExpectedUse};
use crate::exchange::cost;
use crate::experiments::run::ExpectedTime;
use indicatif::HumanDuration;
use serde_json::{Value, json};
use std::time::Duration;

/// Longest time that is estimated: a century, in seconds.
const MAX_SECONDS: f64 = 3.2e9;

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

/// Returns a time as one line, with the earlier replies that it rests on.
pub fn time_line(time: &ExpectedTime, at_once: usize) -> String {
    match time {
        ExpectedTime::Unknown(why) => format!("unknown: {why}"),
        ExpectedTime::About { seconds, replies } => {
            let of: Vec<String> = replies
                .iter()
                .map(|(model, count)| format!("{} of {model}", counted(*count, "earlier reply")))
                .collect();
            let rests_on = match of.is_empty() {
                true => String::new(),
                false => format!("; by {}", of.join(", ")),
            };
            let about = match *seconds {
                ..1.0 => "under a second".to_owned(),
                seconds => {
                    let whole = Duration::from_secs_f64(seconds.min(MAX_SECONDS));
                    format!("about {}", HumanDuration(whole))
                }
            };
            let debates = counted(at_once, "debate");
            format!("{about}, {debates} side by side{rests_on}")
        }
    }
}

/// Returns cost and time for programs; what is not known is `null`, with the reason where there is one.
pub fn json(estimate: Option<&CostEstimate>, time: &ExpectedTime, at_once: usize) -> Value {
    let time = match time {
        ExpectedTime::About { seconds, replies } => json!({
            "seconds": seconds,
            "side_by_side": at_once,
            "earlier_replies": replies,
        }),
        ExpectedTime::Unknown(why) => json!({
            "seconds": null,
            "side_by_side": at_once,
            "unknown": why.to_string(),
        }),
    };
    json!({ "estimate": estimate, "time": time })
}

/// Returns an estimate as one line, or that there is none.
pub fn line_or_none(estimate: Option<&CostEstimate>) -> String {
    let none = || "unknown: the game is too large to be walked".to_owned();
    estimate.map_or_else(none, line)
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
