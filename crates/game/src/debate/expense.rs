//! Use of calls: money, requests and tokens.

use serde::{Deserialize, Serialize};

/// Quantities that a ceiling can limit, for one call or many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Expense {
    /// US dollars; calls of models without prices are not included.
    pub usd: f64,
    /// Requests sent, each retry included.
    pub calls: u64,
    /// Input and output tokens.
    pub tokens: u64,
}

impl Expense {
    /// Returns an expense of money alone.
    pub fn from_usd(usd: f64) -> Self {
        Self {
            usd,
            ..Self::default()
        }
    }

    /// Returns the sum. Counts come from files and servers, so they saturate.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            usd: self.usd + other.usd,
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }

    /// Returns the difference, never negative.
    #[must_use]
    pub fn minus(self, part: Self) -> Self {
        Self {
            usd: self.usd - part.usd,
            calls: self.calls.saturating_sub(part.calls),
            tokens: self.tokens.saturating_sub(part.tokens),
        }
    }
}

impl std::iter::Sum for Expense {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Self::plus)
    }
}
