//! What calls use up: money, requests and tokens.

/// Everything that a ceiling can hold, of one call or of many.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Expense {
    /// In US dollars; what models without prices cost is not in it.
    pub usd: f64,
    /// Requests that were sent: every try of a call is one.
    pub calls: u64,
    /// Read and written.
    pub tokens: u64,
}

impl Expense {
    /// Returns an expense of money alone.
    pub fn of_usd(usd: f64) -> Self {
        Self {
            usd,
            ..Self::default()
        }
    }

    /// Returns both together. Counts come from files and servers: they stop at the largest.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            usd: self.usd + other.usd,
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }

    /// Returns what is left without a part of it.
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
