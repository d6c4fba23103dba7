//! Bounds of the tokens that a call can have used, whatever its server claims. Pure.
//!
//! A ceiling must hold against a server that counts badly: what is charged is at least what was read
//! and at most what was asked for. An honest count lies between the bounds and is taken as it is.

use super::call::Request;
use super::reply::{CHARS_PER_TOKEN, ClaimedTokens, Usage};
use super::settings::{UNLIMITED_REPLY_TOKENS, input_tokens_bound};

/// The most characters that a token has on average over a whole text: half of it is usual, and
/// tokenizers with long tokens of white space or code come near it.
pub const MOST_CHARS_PER_TOKEN: u64 = 8;

/// Bounds of the usage of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UsageBounds {
    least_input: u64,
    most_input: u64,
    /// Token limit of the reply.
    most_output: u64,
}

impl UsageBounds {
    /// Bounds what a request can use, sent with this token limit to a model with this context.
    pub(super) fn from_request(
        request: &Request,
        sent_limit: Option<u32>,
        context_tokens: Option<u32>,
    ) -> Self {
        let context = context_tokens.map_or(u64::MAX, u64::from);
        let most_input = input_tokens_bound(request).min(context);
        let limit = sent_limit.map_or(UNLIMITED_REPLY_TOKENS, u64::from);
        Self {
            least_input: (request.input_chars() / MOST_CHARS_PER_TOKEN).min(most_input),
            most_input,
            most_output: limit.min(context),
        }
    }

    /// Returns the usage to charge where the server claims this one, and `read_chars` characters of
    /// text and reasoning have arrived. A server that ignores the limit is charged what arrived.
    pub(super) fn clamp_usage(&self, claimed: Usage, read_chars: u64) -> Usage {
        let most_output = self.most_output.max(read_chars.div_ceil(CHARS_PER_TOKEN));
        let least_output = read_chars / MOST_CHARS_PER_TOKEN;
        let input_tokens = claimed
            .input_tokens
            .clamp(self.least_input, self.most_input);
        let output_tokens = claimed.output_tokens.clamp(least_output, most_output);
        let agrees = (input_tokens, output_tokens) == (claimed.input_tokens, claimed.output_tokens);
        Usage {
            input_tokens,
            output_tokens,
            reasoning_tokens: claimed
                .reasoning_tokens
                .map(|tokens| tokens.min(output_tokens)),
            cached_tokens: claimed.cached_tokens.map(|tokens| tokens.min(input_tokens)),
            counted: claimed.counted,
            claimed: (!agrees).then_some(ClaimedTokens {
                input_tokens: claimed.input_tokens,
                output_tokens: claimed.output_tokens,
            }),
            sent_tokens: claimed.sent_tokens,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TokenSource;

    const BOUNDS: UsageBounds = UsageBounds {
        least_input: 10,
        most_input: 100,
        most_output: 50,
    };

    fn claimed(input_tokens: u64, output_tokens: u64) -> Usage {
        Usage {
            input_tokens,
            output_tokens,
            reasoning_tokens: Some(output_tokens),
            cached_tokens: Some(input_tokens),
            counted: TokenSource::Server,
            claimed: None,
            sent_tokens: None,
        }
    }

    #[test]
    fn an_honest_count_is_taken_as_it_is() {
        let honest = claimed(25, 30);
        assert_eq!(BOUNDS.clamp_usage(honest, 100), honest);
    }

    #[test]
    fn a_count_beyond_the_bounds_is_charged_at_the_bound_and_kept_as_claimed() {
        let charged = BOUNDS.clamp_usage(claimed(1_000_000_000_000_000_000, u64::MAX), 100);
        assert_eq!((charged.input_tokens, charged.output_tokens), (100, 50));
        assert_eq!(charged.reasoning_tokens, Some(50));
        assert_eq!(charged.cached_tokens, Some(100));
        let claims = charged.claimed.map(|claimed| claimed.output_tokens);
        assert_eq!(claims, Some(u64::MAX));
        let charged = BOUNDS.clamp_usage(claimed(1, 1), 160);
        assert_eq!((charged.input_tokens, charged.output_tokens), (10, 20));
    }

    #[test]
    fn a_reply_beyond_its_limit_is_charged_by_what_arrived() {
        let charged = BOUNDS.clamp_usage(claimed(25, 1_000), 4_000);
        assert_eq!((charged.output_tokens, charged.claimed), (1_000, None));
    }
}
