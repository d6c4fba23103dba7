//! Estimate of one call outside of a debate, whose request is known.

use super::failed_call::WorstCase;
use crate::engine::dry_run::LIKELY_SHARE;
use elenchus_game::debate::{CostEstimate, ExpectedUse};
use elenchus_model::{CHARS_PER_TOKEN, ModelSettings, Request, input_tokens_bound};

/// Returns what a call uses: **likely** four characters are a token and the reply takes half of its limit,
/// or `reply_tokens` where they are known; **at most** every byte is a token and the reply takes all of its
/// limit. Calls that break and are made again are not in it.
pub fn estimate_call(
    settings: &ModelSettings,
    request: &Request,
    reply_tokens: Option<u64>,
) -> CostEstimate {
    let chars = request.messages.iter();
    let chars: usize = chars.map(|message| message.content.chars().count()).sum();
    let input_tokens = (chars as u64).div_ceil(CHARS_PER_TOKEN);
    let limit = request.sampling.max_tokens.map_or(0, u64::from);
    let output_tokens = reply_tokens.unwrap_or((limit as f64 * LIKELY_SHARE).ceil() as u64);
    CostEstimate {
        likely: ExpectedUse {
            calls: 1,
            input_tokens,
            output_tokens,
            cost_usd: settings.compute_price(input_tokens, output_tokens),
        },
        at_most: ExpectedUse {
            calls: 1,
            input_tokens: input_tokens_bound(request),
            output_tokens: limit,
            cost_usd: WorstCase::from_request(settings, request).usd,
        },
    }
}
