//! Estimated cost of a debate before it is played, as its first event records it.

use serde::{Deserialize, Serialize};
use std::iter::Sum;

/// Expected and worst-case use of one debate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CostEstimate {
    pub likely: ExpectedUse,
    pub at_most: ExpectedUse,
}

/// Expected calls, tokens and money.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ExpectedUse {
    pub calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// In US dollars; `None` when a model that is called has no price.
    #[serde(default)]
    pub cost_usd: Option<f64>,
}

impl CostEstimate {
    /// Returns the estimate of what asks no model.
    pub fn zero() -> CostEstimate {
        let zero_use = ExpectedUse {
            cost_usd: Some(0.0),
            ..ExpectedUse::default()
        };
        CostEstimate {
            likely: zero_use,
            at_most: zero_use,
        }
    }

    /// Returns the sum of two estimates.
    pub fn plus(self, other: CostEstimate) -> CostEstimate {
        CostEstimate {
            likely: self.likely.plus(other.likely),
            at_most: self.at_most.plus(other.at_most),
        }
    }
}

impl Sum for CostEstimate {
    fn sum<I: Iterator<Item = Self>>(estimates: I) -> Self {
        estimates.fold(Self::zero(), Self::plus)
    }
}

impl ExpectedUse {
    /// Returns the sum; the cost is known where both are.
    pub fn plus(self, other: ExpectedUse) -> ExpectedUse {
        ExpectedUse {
            calls: self.calls.saturating_add(other.calls),
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost_usd: self.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b),
        }
    }

    /// Returns input and output tokens together.
    pub fn total_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}
