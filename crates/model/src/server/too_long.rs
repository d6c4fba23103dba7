//! Refusals of requests that are too long, in any server's words: recognised by pattern, with the
//! numbers that they name. Pure.
//!
//! Two kinds of words stand near each other in all of them, one for what is too long and one for the
//! excess. Numbers get their roles (context, request, both together) from the words around them; what
//! the words leave open is decided by the sum that a refusal implies: request and reply together exceed
//! the context.

use std::sync::LazyLock;

use serde::Deserialize;

use super::numbers_in_words::{self, NumberInWords};
use crate::embedded_table::parse_embedded_table;

/// The embedded `too_long.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TooLongWords {
    subjects: Vec<String>,
    excess: Vec<String>,
    other: Vec<String>,
    phrases: Vec<String>,
    limits: Vec<String>,
    requests: Vec<String>,
    spans: Vec<String>,
    numbers: NumberRoles,
}

/// Words around a number that give it a role.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NumberRoles {
    context_before: Vec<String>,
    context_after: Vec<String>,
    input_before: Vec<String>,
    input_after: Vec<String>,
    total_before: Vec<String>,
    total_after: Vec<String>,
    reply_before: Vec<String>,
    reply_after: Vec<String>,
}

static WORDS: LazyLock<TooLongWords> =
    LazyLock::new(|| parse_embedded_table(include_str!("too_long.toml")));

/// The largest distance between what is too long and the excess, in bytes.
const NEAR_BYTES: usize = 100;
/// The smallest number that is taken for a context.
const LEAST_CONTEXT: u32 = 128;

/// What a refusal says of the request that it refuses, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TooLong {
    /// The most tokens of request and reply together.
    pub context_tokens: Option<u32>,
    /// Those of the request alone.
    pub input_tokens: Option<u32>,
}

/// Returns whether a message refuses a request because it is too long.
pub(super) fn is_too_long(message: &str) -> bool {
    let message = message.to_lowercase();
    let words = &*WORDS;
    let has = |list: &[String]| list.iter().any(|word| message.contains(word));
    if has(&words.phrases) {
        return true;
    }
    if has(&words.spans) {
        return exceeds_span_limit(&message);
    }
    if has(&words.other) || (has(&words.limits) && !has(&words.requests)) {
        return false;
    }
    let message_with_spaces = message.replace('_', " ");
    let says = |text: &str| {
        let mut subjects = words.subjects.iter();
        subjects.any(|subject| is_near(text, subject, &words.excess))
    };
    says(&message) || says(&message_with_spaces)
}

/// Returns whether one request alone exceeds a limit for a span of time: waiting does not help then.
fn exceeds_span_limit(message: &str) -> bool {
    let numbers = numbers_in_words::find_numbers(message);
    let last = |word: &str| {
        let has_word = |number: &&NumberInWords<'_>| number.before.trim_end().ends_with(word);
        numbers
            .iter()
            .rev()
            .find(has_word)
            .map(|number| number.value)
    };
    match (last("limit"), last("requested")) {
        (Some(limit), Some(requested)) => requested > limit,
        _ => false,
    }
}

fn is_near(message: &str, subject: &str, excess: &[String]) -> bool {
    message.match_indices(subject).any(|(at, _)| {
        let mut from = at.saturating_sub(NEAR_BYTES);
        while !message.is_char_boundary(from) {
            from -= 1;
        }
        let mut to = (at + subject.len() + NEAR_BYTES).min(message.len());
        while !message.is_char_boundary(to) {
            to += 1;
        }
        let near = message.get(from..to).unwrap_or_default();
        excess.iter().any(|word| near.contains(word))
    })
}

/// Reads the numbers of a refusal of a request that was sent with this limit for its reply, and has about
/// this many tokens.
pub(super) fn parse_too_long(
    message: &str,
    sent_limit: Option<u32>,
    estimated_tokens: u64,
) -> TooLong {
    let message = message.to_lowercase().replace('\\', "");
    if WORDS.spans.iter().any(|word| message.contains(word)) {
        return TooLong::default();
    }
    let numbers = numbers_in_words::find_numbers(&message);
    let sizes: Vec<NumberInWords<'_>> = (numbers.into_iter())
        .filter(|number| number.value >= LEAST_CONTEXT)
        .collect();
    let is_reply = |number: &NumberInWords<'_>| {
        Some(number.value) == sent_limit
            || Role::Reply.score_number(number) > Role::best_other_score(number)
    };
    let others: Vec<&NumberInWords<'_>> = sizes.iter().filter(|number| !is_reply(number)).collect();
    let Some(context) = find_context(&others) else {
        return TooLong::default();
    };
    let limit = sent_limit.unwrap_or(0);
    let input = find_input(&others, context, limit, estimated_tokens);
    // Together they exceed the context, else this is no such refusal.
    let input = input.filter(|input| input.saturating_add(limit) > context);
    TooLong {
        context_tokens: Some(context),
        input_tokens: input,
    }
}

/// Returns the number whose words speak most for the context; of equal ones the smaller.
fn find_context(numbers: &[&NumberInWords<'_>]) -> Option<u32> {
    let scores = numbers.iter().map(|number| {
        let against = Role::Input
            .score_number(number)
            .max(Role::Total.score_number(number));
        (
            Role::Context.score_number(number) * 2 - against,
            number.value,
        )
    });
    let best = scores.max_by_key(|(score, value)| (*score, std::cmp::Reverse(*value)))?;
    Some(best.1)
}

/// Returns the tokens of the request alone.
fn find_input(
    numbers: &[&NumberInWords<'_>],
    context: u32,
    limit: u32,
    estimated_tokens: u64,
) -> Option<u32> {
    let others: Vec<&&NumberInWords<'_>> = numbers
        .iter()
        .filter(|number| number.value != context)
        .collect();
    // Of two numbers that differ by the limit, the smaller is the request alone.
    let is_total = |value: u32| others.iter().any(|other| other.value == value);
    let part = others
        .iter()
        .map(|number| number.value)
        .find(|value| limit > 0 && value.checked_add(limit).is_some_and(is_total));
    if part.is_some() {
        return part;
    }
    let by_role = |role: Role| {
        let scores = others
            .iter()
            .map(|number| (role.score_number(number), number.value));
        scores
            .filter(|(score, _)| *score > 0)
            .max()
            .map(|(_, value)| value)
    };
    let (input, total) = (by_role(Role::Input), by_role(Role::Total));
    // Request and reply exceed the context together, else there was nothing to refuse.
    let without_reply = |total: u32| total.checked_sub(limit).filter(|_| total > context);
    match (input, total) {
        (Some(input), Some(total)) if input == total => {
            pick_nearer(input, without_reply(total), estimated_tokens)
        }
        (Some(input), _) => Some(input),
        (None, Some(total)) => pick_nearer(total, without_reply(total), estimated_tokens),
        (None, None) => {
            let largest = others.iter().map(|number| number.value).max()?;
            pick_nearer(largest, without_reply(largest), estimated_tokens)
        }
    }
}

/// Returns the number that is nearer to the estimate: with the reply, or without it.
fn pick_nearer(whole: u32, without_reply: Option<u32>, estimated_tokens: u64) -> Option<u32> {
    let distance = |value: u32| {
        (f64::from(value.max(1)) / (estimated_tokens.max(1) as f64))
            .ln()
            .abs()
    };
    let Some(without) = without_reply.filter(|value| *value > 0) else {
        return Some(whole);
    };
    Some(match distance(without) < distance(whole) {
        true => without,
        false => whole,
    })
}

#[derive(Clone, Copy)]
enum Role {
    Context,
    Input,
    Total,
    Reply,
}

impl Role {
    /// Returns how much the words around a number speak for this role.
    fn score_number(self, number: &NumberInWords<'_>) -> i32 {
        let roles = &WORDS.numbers;
        let (before, after) = match self {
            Self::Context => (&roles.context_before, &roles.context_after),
            Self::Input => (&roles.input_before, &roles.input_after),
            Self::Total => (&roles.total_before, &roles.total_after),
            Self::Reply => (&roles.reply_before, &roles.reply_after),
        };
        let count = |list: &[String], text: &str| {
            i32::try_from(
                list.iter()
                    .filter(|word| text.contains(word.as_str()))
                    .count(),
            )
            .unwrap_or(i32::MAX)
        };
        // What follows a number at once belongs to it; what precedes it may belong to the one before.
        let following_words = first_words(number.after).trim_start();
        let at_once = following_words
            .trim_start_matches("tokens")
            .trim_start_matches("token")
            .trim_start();
        let follows = match self {
            Self::Context => i32::from(after.iter().any(|word| at_once.starts_with(word.as_str()))),
            Self::Input | Self::Total | Self::Reply => count(after, following_words).min(1),
        };
        count(before, number.before).min(2) + 2 * follows + self.score_in_a_sum(number)
    }

    /// Returns the same for a number in `input + reply > context`.
    fn score_in_a_sum(self, number: &NumberInWords<'_>) -> i32 {
        let is_addend = number.after.trim_start().starts_with('+');
        let before = number.before.trim_end();
        let is_bound = before.ends_with('>') || before.ends_with("<=") || before.ends_with(">=");
        match self {
            Self::Context => 2 * (i32::from(is_bound) - i32::from(is_addend)),
            Self::Input => 2 * i32::from(is_addend),
            Self::Total | Self::Reply => 0,
        }
    }

    fn best_other_score(number: &NumberInWords<'_>) -> i32 {
        let others = [Self::Context, Self::Input, Self::Total];
        others
            .map(|role| role.score_number(number))
            .into_iter()
            .max()
            .unwrap_or(0)
    }
}

/// Returns what follows a number up to the next mark of punctuation.
fn first_words(after: &str) -> &str {
    let end = after.find([',', ';', ')', ']', '>', '<', '+']);
    after.get(..end.unwrap_or(after.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages with the limit that was sent, the context and the request that a careful reader finds.
    const REFUSALS: [(&str, u32, Option<u32>, Option<u32>); 38] = [
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9400 tokens (7352 in the messages, 2048 in the completion). Please reduce the length.",
            2048,
            Some(8192),
            Some(7352),
        ),
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9100 tokens.",
            2048,
            Some(8192),
            Some(9100),
        ),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 2048. This model's maximum context length is 8192 tokens and your request has 7000 input tokens (2048 > 8192 - 7000).",
            2048,
            Some(8192),
            Some(7000),
        ),
        (
            "This model's maximum context length is 8192 tokens. However, you requested 2048 output tokens and your prompt contains at least 6145 input tokens, for a total of at least 8193 tokens.",
            2048,
            Some(8192),
            Some(6145),
        ),
        (
            "The decoder prompt (length 9001) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.",
            2048,
            Some(8192),
            Some(9001),
        ),
        (
            "The input (9001 tokens) is longer than the model's context length (8192 tokens).",
            2048,
            Some(8192),
            Some(9001),
        ),
        (
            "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9000 tokens: 6952 tokens from the input messages and 2048 tokens for the completion.",
            2048,
            Some(8192),
            Some(6952),
        ),
        (
            "request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it",
            2048,
            Some(8192),
            Some(9001),
        ),
        (
            "Trying to keep the first 9001 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens, which is not enough.",
            2048,
            Some(8192),
            Some(9001),
        ),
        (
            "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9001>= n_ctx: 8192)",
            2048,
            Some(8192),
            Some(9001),
        ),
        (
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 7000 `inputs` tokens and 2048 `max_new_tokens`",
            2048,
            Some(8192),
            Some(7000),
        ),
        (
            "Input validation error: `inputs` must have less than 8192 tokens. Given: 9001",
            2048,
            Some(8192),
            Some(9001),
        ),
        (
            "Please reduce the length of the messages or completion.",
            2048,
            None,
            None,
        ),
        (
            "Please reduce the length of the messages or completion. Current length is 9001 while limit is 8192",
            2048,
            Some(8192),
            Some(9001),
        ),
        (
            "prompt is too long: 205001 tokens > 200000 maximum",
            2048,
            Some(200_000),
            Some(205_001),
        ),
        (
            "input length and `max_tokens` exceed context limit: 199000 + 2048 > 200000, decrease input length or `max_tokens` and try again",
            2048,
            Some(200_000),
            Some(199_000),
        ),
        (
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            2048,
            Some(1_048_576),
            Some(1_200_000),
        ),
        (
            "This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens (6952 of text input, 2048 in the output).",
            2048,
            Some(8192),
            Some(6952),
        ),
        (
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            2048,
            Some(32_768),
            Some(40_000),
        ),
        (
            "The prompt is too long: 9001, model maximum context length: 8192",
            2048,
            Some(8192),
            Some(9001),
        ),
        (
            "too many tokens: total number of tokens in the prompt cannot exceed 8192 - received 9001. Try using a shorter prompt",
            2048,
            Some(8192),
            Some(9001),
        ),
        ("Input is too long for requested model.", 2048, None, None),
        ("Prompt exceeds max length", 2048, None, None),
        (
            "Range of input length should be [1, 30720]",
            2048,
            Some(30_720),
            None,
        ),
        (
            "Invalid request: Your request exceeded model token limit: 8192 (requested: 9448)",
            2048,
            Some(8192),
            Some(7400),
        ),
        (
            "Requested tokens (9001) exceed context window of 8192",
            2048,
            Some(8192),
            Some(9001),
        ),
        (
            "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
            2048,
            Some(131_072),
            Some(150_000),
        ),
        (
            "Prompt length 9001 is greater than max_seq_len 8192",
            2048,
            Some(8192),
            Some(9001),
        ),
        (
            "the sum of prompt length (7000.0), query length (0) max_tokens (2048) should not exceed max_num_tokens (8192)",
            2048,
            Some(8192),
            Some(7000),
        ),
        (
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            2048,
            None,
            None,
        ),
        (
            "The prompt could not be submitted: this model supports up to 8192 tokens",
            2048,
            Some(8192),
            None,
        ),
        (
            "Request body too large for m model. Max size: 8000 tokens.",
            2048,
            Some(8000),
            None,
        ),
        (
            "total tokens (9001) > max (8192)",
            2048,
            Some(8192),
            Some(9001),
        ),
        (
            "The engine prompt length 9001 exceeds the max_model_len 8192. Please reduce prompt.",
            2048,
            Some(8192),
            Some(9001),
        ),
        (
            "Input length (9001 tokens) exceeds the maximum allowed length (8192 tokens). Use a shorter input.",
            2048,
            Some(8192),
            Some(9001),
        ),
        ("PROMPT_TOO_LONG", 2048, None, None),
        (
            "Malformed input request: expected maxLength: 8192, actual: 9001, please reformat your input",
            2048,
            Some(8192),
            Some(9001),
        ),
        ("Prompt 超长", 2048, None, None),
    ];

    #[test]
    fn a_request_that_is_too_long_is_recognised_with_its_numbers() {
        for (message, limit, context, input) in REFUSALS {
            assert!(is_too_long(message), "{message}");
            let estimate = f64::from(input.unwrap_or(9000)) * 0.9;
            let read = parse_too_long(message, Some(limit), estimate as u64);
            assert_eq!(
                (read.context_tokens, read.input_tokens),
                (context, input),
                "{message}"
            );
        }
    }

    #[test]
    fn refusals_of_other_things_are_not_taken_for_it() {
        let others = [
            "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
            "max_tokens: 99999 > 4096, which is the maximum allowed number of output tokens",
            "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
            "Rate limit reached for m on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.",
            "Too many tokens, please wait before trying again.",
            "Input should be greater than 0",
            "You exceeded your current quota",
            "Too many requests: please reduce your request rate",
            "Your prompt was flagged as it goes beyond our usage policy",
            "The model `x` does not exist",
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
            "Unsupported parameter: 'max_tokens' is not supported with this model.",
            "This model does not support more than 4 stop sequences in a prompt",
            "Loading model",
            "The max_tokens parameter may be up to 8192",
            "You reached your limit of concurrent requests",
        ];
        for message in others {
            assert!(!is_too_long(message), "{message}");
        }
    }

    #[test]
    fn a_request_above_a_limit_for_a_minute_is_too_long_and_names_no_context() {
        let message = "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 7024, please reduce your message size and try again.";
        assert!(is_too_long(message));
        assert_eq!(
            parse_too_long(message, Some(2048), 5000),
            TooLong::default()
        );
        let unnamed = "tokens per minute: Limit 6000, Requested 7024";
        assert!(is_too_long(unnamed));
        assert!(!is_too_long(
            "tokens per minute: Limit 6000, Used 5000, Requested 1024"
        ));
    }
}
