//! Class of a finish reason, by the words of servers.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::embedded_table::parse_embedded_table;
use crate::reply::Finish;

/// How a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishClass {
    Whole,
    CutByLength,
    Filtered,
    /// Something failed behind the server: no answer that could be judged.
    Broken,
    ToolCall,
    /// No reason yet.
    NoneYet,
    /// A word that is not known: the reply counts as whole.
    Unknown,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FinishReasons {
    classes: Vec<ReasonWords>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReasonWords {
    class: FinishClass,
    words: Vec<String>,
}

static FINISH_REASONS: LazyLock<FinishReasons> =
    LazyLock::new(|| parse_embedded_table(include_str!("finish_reasons.toml")));

/// Prefixes that some servers put before their words.
const PREFIXES: [&str; 2] = ["finishreason.", "finish_reason_"];

impl FinishClass {
    /// Classifies a server's finish reason.
    pub fn from_reason(reason: &str) -> Self {
        let mut word = reason.trim().to_lowercase().replace(['-', ' '], "_");
        for prefix in PREFIXES {
            if let Some(rest) = word.strip_prefix(prefix) {
                word = rest.to_owned();
            }
        }
        let mut classes = FINISH_REASONS.classes.iter();
        let reason_words = classes.find(|class| class.words.contains(&word));
        reason_words.map_or(Self::Unknown, |class| class.class)
    }
}

/// Returns why a reply ended that a server ended with this reason, if it gave one.
pub(super) fn finish_of(reason: Option<String>) -> Finish {
    let Some(reason) = reason else {
        return Finish::Unstated;
    };
    match FinishClass::from_reason(&reason) {
        FinishClass::Whole => Finish::Stop,
        FinishClass::CutByLength => Finish::Length,
        FinishClass::Filtered
        | FinishClass::Broken
        | FinishClass::ToolCall
        | FinishClass::NoneYet
        | FinishClass::Unknown => Finish::Other(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_read_in_every_spelling_and_no_word_has_two_classes() {
        for (reason, class) in [
            ("stop", FinishClass::Whole),
            ("COMPLETE", FinishClass::Whole),
            ("FinishReason.STOP", FinishClass::Whole),
            ("MAX_TOKENS", FinishClass::CutByLength),
            ("FINISH_REASON_SAFETY", FinishClass::Filtered),
            ("guardrail-intervened", FinishClass::Filtered),
            ("network_error", FinishClass::Broken),
            ("tool_calls", FinishClass::ToolCall),
            (" null ", FinishClass::NoneYet),
            ("eureka", FinishClass::Unknown),
        ] {
            assert_eq!(FinishClass::from_reason(reason), class, "{reason}");
        }
        let words = FINISH_REASONS.classes.iter().flat_map(|class| &class.words);
        let mut words: Vec<&String> = words.collect();
        let count = words.len();
        words.sort();
        words.dedup();
        assert_eq!(words.len(), count);
    }
}
