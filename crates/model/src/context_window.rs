//! Check that a request fits into a model's context window, before it is sent. Pure.
//!
//! The exact number of tokens is known to the tokenizer alone. A request is refused if even five
//! characters a token would be too many, and its token limit is lowered if four characters a token
//! leave less room than it asks for. In between the server decides.

use super::call::Request;
use super::reply::CHARS_PER_TOKEN;
use super::settings::TEMPLATE_TOKENS_PER_MESSAGE;

/// Factor by which the estimate must exceed the context: a text has at most about this many times
/// four characters a token.
const CLEARLY: f64 = 1.25;
/// A limit is not lowered further: a shorter reply would be cut in the middle of its first words.
pub const SHORTEST_REPLY_TOKENS: u32 = 64;

/// A request that is too long for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "about {estimated_tokens} tokens at {CHARS_PER_TOKEN} characters a token, and {} \
     {context_tokens}; it was not sent", source_of_context.describe()
)]
pub struct ContextOverflow {
    pub estimated_tokens: u64,
    pub context_tokens: u32,
    pub source_of_context: ContextSource,
}

/// Who says how long a model's context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextSource {
    /// The model's settings.
    Configured,
    /// Its server, in the list of models or in a refusal.
    Server,
}

impl ContextSource {
    fn describe(self) -> &'static str {
        match self {
            Self::Configured => "context_tokens is",
            Self::Server => "its server names a context of",
        }
    }
}

/// Returns the token limit to send instead of the request's own, where that leaves no room for the
/// request.
///
/// # Errors
/// When the request is clearly longer than the context.
pub fn fit_to_context(
    request: &Request,
    context_tokens: Option<u32>,
) -> Result<Option<u32>, ContextOverflow> {
    let Some(context_tokens) = context_tokens else {
        return Ok(None);
    };
    let estimated_tokens = estimate_input_tokens(request);
    if estimated_tokens as f64 > f64::from(context_tokens) * CLEARLY {
        return Err(ContextOverflow {
            estimated_tokens,
            context_tokens,
            source_of_context: ContextSource::Configured,
        });
    }
    let limit = request.sampling.max_tokens;
    Ok(limit.and_then(|limit| find_fitting_limit(estimated_tokens, limit, context_tokens)))
}

/// Returns the lower limit that fits beside a request of so many tokens, if this one does not and there
/// is room for a reply.
pub(super) fn find_fitting_limit(
    input_tokens: u64,
    limit: u32,
    context_tokens: u32,
) -> Option<u32> {
    let room = u64::from(context_tokens).saturating_sub(input_tokens);
    // No more than the context, which is a u32.
    let room = u32::try_from(room).unwrap_or(u32::MAX);
    (room < limit && room >= SHORTEST_REPLY_TOKENS).then_some(room)
}

/// Returns the most tokens that a request has by estimate: what is beyond them is clearly too long.
pub(super) fn most_input_tokens(request: &Request) -> u64 {
    (estimate_input_tokens(request) as f64 * CLEARLY).ceil() as u64
}

/// Returns the tokens of a request by estimate.
pub(super) fn estimate_input_tokens(request: &Request) -> u64 {
    let messages = request.messages.len() as u64;
    request.input_chars().div_ceil(CHARS_PER_TOKEN) + messages * TEMPLATE_TOKENS_PER_MESSAGE
}
