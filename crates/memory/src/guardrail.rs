//! Guardrails: their texts, cleaned, bounded and comparable; how they were derived, tested and accepted.
//!
//! Never calls a model and never decides whether a guardrail matches.

use super::text_similarity::split_words;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::str::FromStr;

/// The longest intent that is kept, in characters.
pub const MAX_INTENT_CHARS: usize = 300;
/// The longest example that is kept, in characters.
pub const MAX_EXAMPLE_CHARS: usize = 300;
/// The most examples of a guardrail that a model is shown, and that one derivation may give, unless the
/// configuration says another number.
pub const DEFAULT_EXAMPLES: usize = 8;
/// The most that a configuration may say: each adds up to a thousand bytes to every question about it.
pub const MAX_EXAMPLES: usize = 64;

/// Returns the most bytes that a guardrail with so many examples adds to a prompt: four a character.
pub fn guardrail_bytes(examples: usize) -> u64 {
    4 * (MAX_INTENT_CHARS + examples * (MAX_EXAMPLE_CHARS + 3)) as u64
}

/// An intent with its examples, cleaned: one line each, none empty, no duplicates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardText {
    pub intent: String,
    pub examples: Vec<String>,
}

impl GuardText {
    /// Cleans a text that a model or a person wrote.
    ///
    /// # Errors
    /// When there is no intent, or no example, or one of them is too long.
    pub fn new(intent: &str, examples: &[String]) -> Result<Self, String> {
        let intent = one_line(intent);
        if intent.is_empty() {
            return Err("it has no intent".to_owned());
        }
        if intent.chars().count() > MAX_INTENT_CHARS {
            return Err(format!(
                "its intent is longer than {MAX_INTENT_CHARS} characters"
            ));
        }
        let (mut unique_examples, mut forms) = (Vec::new(), HashSet::new());
        for example in examples {
            let example = one_line(example);
            if example.chars().count() > MAX_EXAMPLE_CHARS {
                return Err(format!(
                    "an example is longer than {MAX_EXAMPLE_CHARS} characters"
                ));
            }
            add_example(&mut unique_examples, &mut forms, example);
        }
        if unique_examples.is_empty() {
            return Err("it has no example".to_owned());
        }
        let text = Self {
            intent,
            examples: unique_examples,
        };
        text.check_count(MAX_EXAMPLES).map(|()| text)
    }

    /// Refuses more examples than `most`.
    ///
    /// # Errors
    /// Says how many it may have.
    pub fn check_count(&self, most: usize) -> Result<(), String> {
        match self.examples.len() > most {
            true => Err(format!("it has more than {most} examples")),
            false => Ok(()),
        }
    }
}

impl FromStr for GuardText {
    type Err = String;

    /// Reads an intent, and an example from every other line.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let intent = lines.next().unwrap_or_default();
        let example = |line: &str| line.strip_prefix('-').unwrap_or(line).trim().to_owned();
        GuardText::new(intent, &lines.map(example).collect::<Vec<_>>())
    }
}

/// Adds an example, unless it is empty or there already; `forms` holds the [`normal_form`] of each that is there.
pub(super) fn add_example(
    examples: &mut Vec<String>,
    forms: &mut HashSet<String>,
    example: String,
) {
    if !example.is_empty() && forms.insert(normal_form(&example)) {
        examples.push(example);
    }
}

/// Returns a form that is the same for equal intents and for equal examples: case, space and punctuation make
/// no difference.
pub fn normal_form(text: &str) -> String {
    let words = split_words(text);
    if words.is_empty() {
        // Only punctuation is left to compare.
        return text.split_whitespace().collect();
    }
    words.join(" ")
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// The call, or the two calls, by which a guardrail was derived.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DerivedBy {
    /// The model's name in the configuration.
    pub model: String,
    pub simulated: bool,
    /// The raw replies, oldest first: the second is a repair.
    pub replies: Vec<String>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// `None` when the model has no prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// Ground of a guardrail's acceptance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuardAcceptance {
    /// A person accepted it after reading its report.
    ByHand,
    /// A person accepted it without a report.
    Untested,
    /// Its over-refusal was at most this share.
    Threshold { max_over_refusal: f64 },
}

/// Result of a benign test: how often a guardrail matched safe prompts, and unsafe ones for
/// comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuardReport {
    /// The file that the prompts came from.
    pub dataset: String,
    /// SHA-256 of that file, hex.
    pub sha256: String,
    /// The text that was tested.
    pub revision: u32,
    /// The model that decided, by its name in the configuration.
    pub model: String,
    pub simulated: bool,
    /// The retriever of the nearest intents.
    pub retriever: String,
    /// Number of other guardrails that were active in the test.
    pub beside: u32,
    /// Safe prompts that it would have refused.
    pub over_refused: MatchShare,
    /// The same by the kind of prompt, as the set names it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_type: Vec<TypeShare>,
    /// Unsafe prompts that it would have refused.
    pub caught: MatchShare,
    /// Replies that could not be read: counted as no match, as in a debate.
    pub unparsed: u32,
    /// Calls that failed: left out.
    pub failed: u32,
}

/// A count out of a total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MatchShare {
    pub count: u32,
    pub of: u32,
}

impl MatchShare {
    /// Returns the share; `None` of nothing.
    pub fn ratio(self) -> Option<f64> {
        (self.of > 0).then(|| f64::from(self.count) / f64::from(self.of))
    }

    /// Adds one observation.
    pub fn add_observation(&mut self, holds: bool) {
        self.of = self.of.saturating_add(1);
        self.count = self.count.saturating_add(u32::from(holds));
    }
}

/// A share among the prompts of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeShare {
    pub name: String,
    pub share: MatchShare,
}
