//! Amounts of money, and estimates of them, for display. The cost of a call to a model without a price is unknown, and
//! unknown is `?` on every screen and in every sum, never 0.

use elenchus_game::debate::{CostEstimate, ExpectedUse};

/// Sign for an unknown amount.
const UNKNOWN: &str = "?";

/// Returns an amount of US dollars: four decimals below ten, two above.
pub fn format_usd(usd: f64) -> String {
    if usd < 10.0 {
        format!("${usd:.4}")
    } else {
        format!("${usd:.2}")
    }
}

/// Returns a cost, or the sign for an unknown one.
pub fn format_cost(cost_usd: Option<f64>) -> String {
    cost_usd.map_or_else(|| UNKNOWN.to_owned(), format_usd)
}

/// Returns a sum of costs of which `unknown` are missing: the known part, marked as incomplete.
pub fn format_cost_sum(known_usd: f64, unknown: u64) -> String {
    match unknown {
        0 => format_usd(known_usd),
        _ if known_usd == 0.0 => UNKNOWN.to_owned(),
        _ => format!("{} + {UNKNOWN}", format_usd(known_usd)),
    }
}

/// Returns an estimate as one line: money, calls and tokens, as likely and at most.
pub fn describe_estimate(estimate: &CostEstimate) -> String {
    let CostEstimate { likely, at_most } = estimate;
    if at_most.calls == 0 {
        return "$0; no model is asked".to_owned();
    }
    let money = match (likely.cost_usd, at_most.cost_usd) {
        (Some(likely), Some(at_most)) if likely == at_most => format_usd(likely),
        (Some(likely), Some(at_most)) => {
            let (likely, at_most) = (format_usd(likely), format_usd(at_most));
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
        format_short_count(likely.total_tokens()),
        format_short_count(at_most.total_tokens())
    )
}

/// Returns what was used as a multiple of what was likely: in money, else in tokens.
pub fn compute_multiple(likely: &ExpectedUse, cost_usd: Option<f64>, tokens: u64) -> Option<f64> {
    let money = cost_usd.zip(likely.cost_usd);
    let (used, expected) = money
        .filter(|(_, expected)| *expected > 0.0)
        .unwrap_or((tokens as f64, likely.total_tokens() as f64));
    (expected > 0.0).then(|| used / expected)
}

/// Returns a count in at most four digits.
fn format_short_count(count: u64) -> String {
    let large = count as f64;
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{:.0}k", large / 1e3),
        1_000_000..10_000_000 => format!("{:.1}M", large / 1e6),
        _ => format!("{:.0}M", large / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::{format_cost, format_cost_sum, format_usd};

    #[test]
    fn what_is_unknown_is_never_shown_as_nothing() {
        assert_eq!(format_cost(None), "?");
        assert_eq!(format_cost(Some(0.0)), "$0.0000");
        assert_eq!(format_cost_sum(0.0, 0), "$0.0000");
        assert_eq!(format_cost_sum(0.0, 3), "?");
        assert_eq!(format_cost_sum(0.0012, 3), "$0.0012 + ?");
        assert_eq!(format_usd(12.345), "$12.35");
    }
}
