//! What a debate was expected to cost before it was played, as its first event keeps it.

use serde::{Deserialize, Serialize};

/// What a debate costs if all goes well, and at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub likely: ExpectedUse,
    pub at_most: ExpectedUse,
}

/// Calls, tokens and money that are expected.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ExpectedUse {
    pub calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// In US dollars; `None` when a model that is called has no price.
    #[serde(default)]
    pub cost_usd: Option<f64>,
}

impl Estimate {
    /// Returns what two debates cost together.
    pub fn with(self, other: Estimate) -> Estimate {
        Estimate {
            likely: self.likely.with(other.likely),
            at_most: self.at_most.with(other.at_most),
        }
    }
}

impl ExpectedUse {
    /// Returns both together; the cost is known where both are.
    pub fn with(self, other: ExpectedUse) -> ExpectedUse {
        ExpectedUse {
            calls: self.calls.saturating_add(other.calls),
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost_usd: self.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b),
        }
    }

    /// Returns the tokens of requests and replies together.
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}
