//! Word lists of the detectors and of the verdict parser: English words and phrases in lower case.
//!
//! The lists are the TOML files in this folder, embedded in the program. They are not read from
//! the user's folders.

use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

pub(super) static GENERAL: LazyLock<GeneralWords> =
    LazyLock::new(|| parse_lexicon(include_str!("general.toml")));
pub(super) static CRITIQUE: LazyLock<CritiqueWords> =
    LazyLock::new(|| parse_lexicon(include_str!("critique.toml")));
pub(super) static MATH: LazyLock<MathSpelling> =
    LazyLock::new(|| parse_lexicon(include_str!("math.toml")));
pub(super) static OWN_WORDS: LazyLock<OwnWordCues> =
    LazyLock::new(|| parse_lexicon(include_str!("own_words.toml")));
pub(super) static REFUSAL: LazyLock<RefusalCues> =
    LazyLock::new(|| parse_lexicon(include_str!("refusal.toml")));
pub(super) static STANCE: LazyLock<StanceCues> =
    LazyLock::new(|| parse_lexicon(include_str!("stance.toml")));
pub(super) static UNITS: LazyLock<UnitTable> =
    LazyLock::new(|| parse_lexicon(include_str!("units.toml")));
pub(super) static VERDICT_LINE: LazyLock<VerdictLineWords> =
    LazyLock::new(|| parse_lexicon(include_str!("verdict_line.toml")));

/// A list of words without an order.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct WordList(HashSet<String>);

impl WordList {
    pub(super) fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// Returns whether any of the words is in the list.
    pub(super) fn contains_any(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.contains(word))
    }
}

/// A list of phrases, each a sequence of words.
#[derive(Deserialize)]
#[serde(from = "Vec<String>")]
pub(super) struct PhraseList(Vec<Vec<String>>);

impl PhraseList {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[String]> {
        self.0.iter().map(Vec::as_slice)
    }

    /// Returns whether these words begin with a phrase of the list.
    pub(super) fn matches_start(&self, words: &[String]) -> bool {
        self.iter().any(|phrase| words.starts_with(phrase))
    }

    /// Returns whether a phrase of the list stands somewhere in these words.
    pub(super) fn occurs_in(&self, words: &[String]) -> bool {
        (0..words.len()).any(|at| self.matches_start(&words[at..]))
    }
}

impl From<Vec<String>> for PhraseList {
    fn from(phrases: Vec<String>) -> Self {
        let words = |phrase: &String| phrase.split(' ').map(str::to_owned).collect();
        Self(phrases.iter().map(words).collect())
    }
}

/// Parses an embedded list. Cannot fail in a released program, because a test parses every list.
fn parse_lexicon<T: serde::de::DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).expect("an embedded word list parses")
}

/// The lists of `general.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GeneralWords {
    pub stop_words: WordList,
    pub boilerplate: WordList,
    pub emotive: WordList,
    pub inadequate: WordList,
    pub inadequate_phrases: PhraseList,
    pub sweeping: WordList,
    pub sweeping_phrases: PhraseList,
    pub locations: WordList,
    pub objecting: WordList,
    pub abbreviations: WordList,
}

/// The lists of `critique.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CritiqueWords {
    pub generic: Vec<String>,
    pub ordinals: WordList,
    pub cardinals: WordList,
    pub wrong_there: WordList,
    pub wrong_there_phrases: PhraseList,
    pub vague: WordList,
    pub case_openers: WordList,
}

/// The tables of `math.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MathSpelling {
    pub final_answer: Vec<String>,
    pub separators: WordList,
    pub text_commands: WordList,
    pub plain_words: WordList,
    pub placeholders: WordList,
    pub meanings: HashMap<String, String>,
    pub multiples: HashMap<String, String>,
    pub functions: HashMap<String, String>,
    pub letters: HashMap<String, String>,
    pub commands: HashMap<String, String>,
    pub signs: HashMap<char, String>,
}

/// The table of `units.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitTable {
    pub unit: Vec<UnitEntry>,
    /// Words before a unit with the power that they raise it to.
    pub powers: HashMap<String, i32>,
    pub spelled_out: HashMap<String, String>,
    /// Words between a unit and the one that it is divided by.
    pub per: WordList,
}

/// A unit by its names, as a multiple of the unit of what it measures.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitEntry {
    pub names: Vec<String>,
    pub of: String,
    pub times: f64,
    #[serde(default = "first_power")]
    pub power: i32,
}

fn first_power() -> i32 {
    1
}

/// The lists of `refusal.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefusalCues {
    pub refusing: PhraseList,
    pub emphatic: WordList,
    pub disapproving: PhraseList,
    pub offering: PhraseList,
    pub admonishing: WordList,
}

/// The lists of `stance.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StanceCues {
    pub accepting: WordList,
    pub rejecting: WordList,
    pub adverbs: WordList,
    pub partial: WordList,
    pub copulas: WordList,
    pub negations: WordList,
    pub sweeping_negations: WordList,
    pub opinion: WordList,
    pub faults: WordList,
    pub absent_faults: WordList,
    pub quantities: WordList,
    pub minor_faults: WordList,
    pub additional: WordList,
    pub presence: WordList,
    pub failing: WordList,
    pub holding: WordList,
    pub not_holding: WordList,
    pub first_person_accepting: WordList,
    pub first_person_rejecting: WordList,
    pub hedges: WordList,
    pub reporting: WordList,
    pub determiners: WordList,
    pub contrasts: WordList,
    pub concessions: WordList,
    pub whole: WordList,
    pub parts: WordList,
    pub declaring: WordList,
    pub concluding: WordList,
    pub declared_accept: WordList,
    pub declared_reject: WordList,
    pub declared_mixed: WordList,
}

/// The lists of `own_words.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OwnWordCues {
    pub hypothetical: PhraseList,
    pub conditional: WordList,
    pub references: WordList,
    pub open_ends: WordList,
    pub reporting: WordList,
    pub quoting: WordList,
    pub disowning: PhraseList,
    pub listing: PhraseList,
    pub own: WordList,
    pub continuing: PhraseList,
    pub retracting: PhraseList,
    pub coordinating: WordList,
    pub correcting: PhraseList,
    pub elements: WordList,
}

/// The lists of `verdict_line.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VerdictLineWords {
    pub markers: WordList,
    pub fillers: WordList,
    pub decision_words: WordList,
    pub negations: WordList,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_list_parses() {
        assert!(GENERAL.stop_words.contains("the"));
        assert_eq!(REFUSAL.refusing.iter().next().unwrap(), ["i", "can't"]);
        assert!(STANCE.accepting.contains("correct"));
        assert!(MATH.separators.contains("and"));
        assert_eq!(UNITS.powers["square"], 2);
        assert!(OWN_WORDS.own.contains("my"));
        assert!(VERDICT_LINE.markers.contains("verdict"));
    }
}
