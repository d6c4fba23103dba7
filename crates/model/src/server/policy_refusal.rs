//! Refusals by a provider's policy, in its own words, under whatever status they come.

use std::sync::LazyLock;

use crate::embedded_table::parse_embedded_table;
use serde::Deserialize;
use serde_json::Value;

/// Status of a text that is withheld for legal reasons.
const LEGAL_REASONS: u16 = 451;

/// The embedded `policy_refusals.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyWords {
    codes: Vec<String>,
    numbers: Vec<String>,
    words: Vec<String>,
    together: Vec<Vec<String>>,
}

static POLICY_WORDS: LazyLock<PolicyWords> =
    LazyLock::new(|| parse_embedded_table(include_str!("policy_refusals.toml")));

/// Returns whether an error says that the provider's policy refused. `code` holds its codes and types in
/// lower case, separated by white space.
pub(super) fn is_policy_refusal(status: Option<u16>, code: &str, message: &str) -> bool {
    let policy_words = &*POLICY_WORDS;
    let message = message.to_lowercase();
    status == Some(LEGAL_REASONS)
        || policy_words.codes.iter().any(|known| code.contains(known))
        || code
            .split_whitespace()
            .any(|code| policy_words.numbers.iter().any(|known| known == code))
        || policy_words
            .words
            .iter()
            .any(|words| message.contains(words))
        || policy_words
            .together
            .iter()
            .any(|all| all.iter().all(|word| message.contains(word)))
}

/// Returns why an answer without a reply was blocked, where it names a reason as Gemini does.
pub(super) fn block_reason(answer: &Value) -> Option<&str> {
    let feedback = ["promptFeedback", "prompt_feedback"];
    let feedback = feedback.iter().find_map(|name| answer.get(*name))?;
    let reason = feedback
        .get("blockReason")
        .or_else(|| feedback.get("block_reason"))?;
    reason.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_policy_refused_is_told_from_other_refusals() {
        for message in [
            "Content violates usage guidelines. Failed check: X",
            "Output blocked by content filtering policy",
            "系统检测到输入或生成内容可能包含不安全或敏感内容",
            "The request was rejected because it was considered high risk",
            "Your request was rejected as a result of our safety system.",
            "Input data may contain inappropriate content.",
        ] {
            assert!(is_policy_refusal(Some(400), "", message), "{message}");
        }
        for message in [
            "You are not allowed to request logprobs from this model",
            "JSON schema violation: 'seed' is not of type integer",
            "Incorrect API key provided",
            "Rate limit reached for requests",
            "maximum context length is 4096 tokens",
            "No endpoints found that can handle the requested parameters.",
            "response_format is not supported",
            "This model does not support the content type",
        ] {
            assert!(
                !is_policy_refusal(Some(400), "invalid_request_error", message),
                "{message}"
            );
        }
        assert!(is_policy_refusal(Some(451), "", ""));
        assert!(is_policy_refusal(Some(400), "1301", "x"));
        assert!(!is_policy_refusal(Some(400), "13010", "x"));
    }
}
