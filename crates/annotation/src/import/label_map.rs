//! Map from words of a file's label columns to labels of a set, or to *unparsed*.

use elenchus_game::judge::{LabelChoice, LabelSet, TableSide};
use std::collections::{BTreeMap, BTreeSet};

/// The word for an evaluator's reply that could not be read.
pub(super) const UNPARSED: &str = "unparsed";
/// How much of a file's own words an explanation repeats.
const MAX_SHOWN_CHARS: usize = 80;

/// Meanings of a file's words, as a person gave them; case is ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelMap {
    /// By the word in lower case: the word as it was typed, and the label.
    labels: BTreeMap<String, (String, String)>,
}

impl LabelMap {
    /// Reads pairs such as `0=safe,1=unsafe`; a word may hold commas.
    ///
    /// # Errors
    /// When a part is no pair, or a word is given twice.
    pub fn parse(pairs: &[String]) -> Result<Self, String> {
        let mut map = Self::default();
        for pairs in pairs {
            let mut partial_pair = String::new();
            for part in pairs.split(',') {
                partial_pair.push_str(part);
                let Some((word, label)) = partial_pair.rsplit_once('=') else {
                    partial_pair.push(',');
                    continue;
                };
                map.add_word(word.trim(), label.trim())?;
                partial_pair.clear();
            }
            if !partial_pair.is_empty() {
                let pair = partial_pair.trim_end_matches(',');
                return Err(format!("'{pair}' is no pair of a word and a label: 0=safe"));
            }
        }
        Ok(map)
    }

    fn add_word(&mut self, word: &str, label: &str) -> Result<(), String> {
        if word.is_empty() || label.is_empty() {
            let pair = format!("{word}={label}");
            return Err(format!("'{pair}' is no pair of a word and a label: 0=safe"));
        }
        let entry = (word.to_owned(), label.to_owned());
        match self.labels.insert(word.to_lowercase(), entry) {
            None => Ok(()),
            Some(_) => Err(format!("'{word}' is mapped twice")),
        }
    }

    /// Returns the mapped words, in small letters.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.labels.keys().map(String::as_str)
    }

    /// Returns mapped words that the file does not have; `seen` are the words that it has.
    pub fn find_unused_words(&self, seen: &BTreeSet<String>) -> Vec<&str> {
        let lowercase_words: BTreeSet<String> =
            seen.iter().map(|word| word.to_lowercase()).collect();
        let unused_entries = self
            .labels
            .iter()
            .filter(|(word, _)| !lowercase_words.contains(*word));
        unused_entries.map(|(_, (word, _))| word.as_str()).collect()
    }

    /// Checks that every word is mapped to a label of the set, or to *unparsed*.
    pub(crate) fn check_labels(&self, set: &LabelSet) -> Result<(), String> {
        let is_known = |label: &str| is_unparsed(label) || find_label(label, set).is_some();
        let wrong = self.labels.values().find(|(_, label)| !is_known(label));
        match wrong {
            None => Ok(()),
            Some((word, label)) => Err(format!(
                "--map {word}={label}: '{label}' is no label of the set '{}'; there are {}, and {UNPARSED}",
                set.id,
                join_label_names(set)
            )),
        }
    }

    /// Looks up a word of a file.
    pub(crate) fn find_meaning<'a>(&self, word: &str, set: &'a LabelSet) -> WordMeaning<'a> {
        let entry = self.labels.get(&word.to_lowercase());
        let label = entry.map_or(word, |(_, label)| label.as_str());
        match find_label(label, set) {
            Some(choice) => WordMeaning::Label(choice),
            None if is_unparsed(label) => WordMeaning::Unparsed,
            None => WordMeaning::Unknown,
        }
    }
}

/// What a word of a label column means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordMeaning<'a> {
    Label(&'a LabelChoice),
    /// The evaluator's reply could not be read; nothing that a person gives.
    Unparsed,
    Unknown,
}

fn find_label<'a>(label: &str, set: &'a LabelSet) -> Option<&'a LabelChoice> {
    let mut labels = set.labels.iter();
    labels.find(|own| own.name.to_lowercase() == label.to_lowercase())
}

fn is_unparsed(label: &str) -> bool {
    label.eq_ignore_ascii_case(UNPARSED)
}

/// Says that a word is none of a set's. `place` says where it stands: in which column, or by whom.
pub(super) fn describe_unknown_word(word: &str, place: &str, set: &LabelSet) -> String {
    format!(
        "'{}' {place} is no label of the set '{}'; there are {}",
        word.chars().take(MAX_SHOWN_CHARS).collect::<String>(),
        set.id,
        join_label_names(set)
    )
}

fn join_label_names(set: &LabelSet) -> String {
    let names: Vec<&str> = set.labels.iter().map(|label| &*label.name).collect();
    names.join(", ")
}

/// The value that a finding of this side has: above 0 is good, 0 is neither.
pub(super) fn side_value(counts: TableSide) -> f64 {
    match counts {
        TableSide::Positive => -1.0,
        TableSide::Negative => 1.0,
        TableSide::LeftOut => 0.0,
    }
}
