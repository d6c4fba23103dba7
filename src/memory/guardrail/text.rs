//! Text of a guardrail: cleaned, bounded, and comparable.

use crate::memory::text_similarity::words;
use serde::{Deserialize, Serialize};

/// The longest intent that is kept, in characters.
pub const MAX_INTENT_CHARS: usize = 300;
/// The longest example that is kept, in characters.
pub const MAX_EXAMPLE_CHARS: usize = 300;
/// The most examples of a guardrail that a model is shown, and that one derivation may give.
pub const MAX_EXAMPLES: usize = 8;
/// The most bytes that a guardrail adds to a prompt: four a character.
pub const MAX_GUARDRAIL_BYTES: u64 =
    4 * (MAX_INTENT_CHARS + MAX_EXAMPLES * (MAX_EXAMPLE_CHARS + 3)) as u64;

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
        let mut kept: Vec<String> = Vec::new();
        for example in examples {
            let example = one_line(example);
            if example.chars().count() > MAX_EXAMPLE_CHARS {
                return Err(format!(
                    "an example is longer than {MAX_EXAMPLE_CHARS} characters"
                ));
            }
            add_example(&mut kept, example);
        }
        if kept.is_empty() {
            return Err("it has no example".to_owned());
        }
        if kept.len() > MAX_EXAMPLES {
            return Err(format!("it has more than {MAX_EXAMPLES} examples"));
        }
        Ok(Self {
            intent,
            examples: kept,
        })
    }
}

/// Adds an example, unless it is empty or there already.
pub(super) fn add_example(kept: &mut Vec<String>, example: String) {
    let form = normal_form(&example);
    let known = kept.iter().any(|one| normal_form(one) == form);
    if !example.is_empty() && !known {
        kept.push(example);
    }
}

/// Returns a form that is the same for equal intents: case, space and punctuation make no
/// difference.
pub fn normal_form(intent: &str) -> String {
    let words = words(intent);
    if words.is_empty() {
        // Only punctuation is left to compare.
        return intent.split_whitespace().collect();
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
