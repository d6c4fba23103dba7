//! Spend of a session: calls, tokens and cost, with what is in doubt.

use crate::debate::event::Reply;
use crate::debate::expense::Expense;

/// Cost of a session. A fork counts its own part only.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spend {
    /// Replies returned by a model.
    pub calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost_usd: f64,
    /// Calls of models without prices; with any of these `cost_usd` is a lower bound.
    pub unpriced_calls: u64,
    /// Cost of interrupted or failed calls: by the usage that the server reported, else the worst
    /// case.
    pub in_doubt_usd: f64,
    /// Calls that were interrupted, or failed after the server may have worked.
    pub in_doubt_calls: u64,
    /// Tokens of those calls (reported, else the worst case), and of tries that failed after the server may have worked.
    pub in_doubt_tokens: u64,
    /// Tries that reached a server and failed, except the calls in doubt.
    pub failed_tries: u64,
    pub retries: u64,
    pub failures: u64,
}

impl Spend {
    /// Returns what a reply used.
    pub fn from_reply(reply: &Reply) -> Self {
        Self {
            calls: 1,
            input_tokens: reply.usage.input_tokens,
            output_tokens: reply.usage.output_tokens,
            cost_usd: reply.cost_usd.unwrap_or(0.0),
            unpriced_calls: u64::from(reply.cost_usd.is_none()),
            ..Self::default()
        }
    }

    /// Returns the tokens read and written.
    pub fn total_tokens(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    fn combine_with(
        self,
        other: Self,
        count: fn(u64, u64) -> u64,
        sum: fn(f64, f64) -> f64,
    ) -> Self {
        Self {
            calls: count(self.calls, other.calls),
            input_tokens: count(self.input_tokens, other.input_tokens),
            output_tokens: count(self.output_tokens, other.output_tokens),
            cost_usd: sum(self.cost_usd, other.cost_usd),
            unpriced_calls: count(self.unpriced_calls, other.unpriced_calls),
            in_doubt_usd: sum(self.in_doubt_usd, other.in_doubt_usd),
            in_doubt_calls: count(self.in_doubt_calls, other.in_doubt_calls),
            in_doubt_tokens: count(self.in_doubt_tokens, other.in_doubt_tokens),
            failed_tries: count(self.failed_tries, other.failed_tries),
            retries: count(self.retries, other.retries),
            failures: count(self.failures, other.failures),
        }
    }

    /// Returns the sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.combine_with(other, u64::saturating_add, |one, more| one + more)
    }

    /// Returns what was spent since `before`.
    #[must_use]
    pub fn minus(self, before: Self) -> Self {
        self.combine_with(before, u64::saturating_sub, |one, less| one - less)
    }

    /// Returns the most that was used: calls in doubt and tries that failed count.
    pub fn to_expense(self) -> Expense {
        Expense {
            usd: self.cost_usd + self.in_doubt_usd,
            calls: self.calls + self.in_doubt_calls + self.failed_tries,
            tokens: self.input_tokens + self.output_tokens + self.in_doubt_tokens,
        }
    }
}
