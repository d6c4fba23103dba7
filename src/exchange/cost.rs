//! Amounts of money for display. The cost of a call to a model without a price is unknown, and
//! unknown is `?` on every screen and in every sum, never 0.

/// Sign for an unknown amount.
const UNKNOWN: &str = "?";

/// Returns an amount of US dollars: four decimals below ten, two above.
pub fn usd(usd: f64) -> String {
    if usd < 10.0 {
        format!("${usd:.4}")
    } else {
        format!("${usd:.2}")
    }
}

/// Returns a cost, or the sign for an unknown one.
pub fn known(cost_usd: Option<f64>) -> String {
    cost_usd.map_or_else(|| UNKNOWN.to_owned(), usd)
}

/// Returns a sum of costs of which `unknown` are missing: the known part, marked as incomplete.
pub fn sum(known_usd: f64, unknown: u64) -> String {
    match unknown {
        0 => usd(known_usd),
        _ if known_usd == 0.0 => UNKNOWN.to_owned(),
        _ => format!("{} + {UNKNOWN}", usd(known_usd)),
    }
}

#[cfg(test)]
mod tests {
    use super::{known, sum, usd};

    #[test]
    fn what_is_unknown_is_never_shown_as_nothing() {
        assert_eq!(known(None), "?");
        assert_eq!(known(Some(0.0)), "$0.0000");
        assert_eq!(sum(0.0, 0), "$0.0000");
        assert_eq!(sum(0.0, 3), "?");
        assert_eq!(sum(0.0012, 3), "$0.0012 + ?");
        assert_eq!(usd(12.345), "$12.35");
    }
}
