//! Label sets for people who annotate turns: labels, keys, categories and scales.

use super::replies::rubric::RubricSubject;
use crate::debate::protocol::line_at;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use thiserror::Error;

/// Letters that a label's key may be. Excluded are letters that are commands on screens with
/// single-key input, and those that end a terminal's escape sequence, which a slow connection may
/// split.
pub const LABEL_KEYS: &str = "abdefioprsvwx";
/// Letters that a category's key cannot be: they end a terminal's escape sequence.
const ENDS_A_SEQUENCE: &str = "cmntuyz";
/// Letters of a scale, lowest first: the middle row of a keyboard and then the row above it. Those behind the highest
/// value stand in for letters of labels.
const STRENGTH_KEYS: &str = "asdfghjklqweriopbvx";
/// Most labels of a set: each needs a key of its own.
const MAX_LABELS: usize = 12;
/// Most categories of a set.
const MAX_CATEGORIES: usize = 20;
/// Highest strength of a scale.
const MAX_STRENGTH: u8 = 10;

/// A label set as its TOML file defines it. The codebook is the Markdown file of the same name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelSet {
    pub id: String,
    pub description: String,
    /// Source of the definition: document and section.
    #[serde(default)]
    pub source: String,
    /// Kind of thing that a label is about.
    #[serde(default)]
    pub of: LabelTarget,
    pub labels: Vec<LabelChoice>,
    /// Categories to choose from after a label that asks for one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<CategoryChoice>,
    /// Scale of a label that asks for a strength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<StrengthScale>,
    /// Free text in place of the set's labels, if allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<FreeText>,
    /// Names of seats during annotation.
    #[serde(default)]
    pub seats: SeatNames,
}

/// Free text in place of a label of the set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FreeText {
    /// One lower-case letter, which opens the text field.
    pub key: char,
    pub meaning: String,
}

/// Names of speakers that an annotator is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeatNames {
    /// Letters in place of names: a seat's name reveals the protocol.
    #[default]
    Hidden,
    /// Names, for sets that require to know the attacker and the defender.
    Shown,
}

/// Kind of thing that a label is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum LabelTarget {
    /// One attempt of a turn.
    #[default]
    Turn,
    /// An attempt of a turn that the game grades against the reference answer.
    Proposal,
    /// An attempt of a turn that the game's rules on critics look at, or of one of the seat `critic`.
    Critique,
    /// A debate as a whole.
    Debate,
    /// What a debate concludes, which the annotator is shown.
    Conclusion,
}

impl LabelTarget {
    /// Returns its name in label sets.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Says whether it is a kind of turns; else labels are on debates.
    pub fn is_turn(self) -> bool {
        match self {
            Self::Turn | Self::Proposal | Self::Critique => true,
            Self::Debate | Self::Conclusion => false,
        }
    }

    /// Says which sessions have something of the kind.
    pub fn describe_fitting(self) -> &'static str {
        match self {
            Self::Turn => RubricSubject::Turn.describe_fitting(),
            Self::Proposal => RubricSubject::Proposal.describe_fitting(),
            Self::Critique => RubricSubject::Critique.describe_fitting(),
            Self::Debate => RubricSubject::Debate.describe_fitting(),
            Self::Conclusion => {
                "debates of a game whose judge states a conclusion, such as moderated"
            }
        }
    }

    /// Says whether it is what sets are about that say nothing.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// One label of a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelChoice {
    pub name: String,
    /// One lower-case letter.
    pub key: char,
    pub meaning: String,
    /// Default side of the label in two-by-two tables.
    pub counts: TableSide,
    /// Rank among the deciding labels, where these are ranked: from 1, the lowest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u8>,
    /// Questions that follow the label.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<FollowUp>,
}

impl LabelChoice {
    fn is_deciding(&self) -> bool {
        match self.counts {
            TableSide::Positive | TableSide::Negative => true,
            TableSide::LeftOut => false,
        }
    }
}

/// Side of a label in a two-by-two table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableSide {
    /// The positive class; *unsafe* where safety is labelled.
    Positive,
    Negative,
    /// Neither side, as *unsure*: excluded from two-by-two tables and counted separately.
    LeftOut,
}

/// A question that follows a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FollowUp {
    Category,
    Strength,
}

/// A category to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CategoryChoice {
    pub name: String,
    /// One lower-case letter; that of a label is replaced where it is asked for ([`LabelSet::category_keys`]).
    pub key: char,
    #[serde(default)]
    pub meaning: String,
}

/// A scale of whole numbers from 1; its keys are [`LabelSet::strength_keys`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrengthScale {
    /// The highest value; at most 10.
    pub highest: u8,
    pub lowest_means: String,
    pub highest_means: String,
}

/// Reason why a label set cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}:{line}: {why}")]
pub struct LabelSetError {
    pub file: String,
    /// From 1.
    pub line: usize,
    pub why: String,
}

impl LabelSet {
    /// Parses and checks a label set's TOML file. `file` is the name used in errors.
    ///
    /// # Errors
    /// When the text does not follow the format, there are fewer than two labels or too many, a
    /// name or key is unusable or given twice, or a label asks for something the set does not have.
    pub fn parse(file: &str, text: &str) -> Result<Self, LabelSetError> {
        let to_error = |line, why| LabelSetError {
            file: file.to_owned(),
            line,
            why,
        };
        let set: LabelSet = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_at(text, span.start));
            to_error(line, error.message().trim().replace('\n', "; "))
        })?;
        match set.find_fault() {
            None => Ok(set),
            Some((name, why)) => Err(to_error(line_of(text, name.as_deref()), why)),
        }
    }

    /// Returns the label of that name.
    pub fn find_label(&self, name: &str) -> Option<&LabelChoice> {
        self.labels.iter().find(|label| label.name == name)
    }

    /// Returns the side of a label in two-by-two tables; free text is excluded.
    pub fn table_side(&self, name: &str) -> Option<TableSide> {
        match (self.find_label(name), &self.free) {
            (Some(label), _) => Some(label.counts),
            (None, Some(_)) => Some(TableSide::LeftOut),
            (None, None) => None,
        }
    }

    /// Returns the first fault, with the name of its label or category.
    fn find_fault(&self) -> Option<(Option<String>, String)> {
        if self.id.trim().is_empty() {
            return Some((None, "a label set needs an id".to_owned()));
        }
        let fewest = if self.free.is_some() { 1 } else { 2 };
        if !(fewest..=MAX_LABELS).contains(&self.labels.len()) {
            let why = format!("a label set has {fewest} to {MAX_LABELS} [[labels]]");
            return Some((None, why));
        }
        if self.categories.len() > MAX_CATEGORIES {
            let why = format!("a label set has at most {MAX_CATEGORIES} [[categories]]");
            return Some((None, why));
        }
        let labels = self.labels.iter().map(|label| (&label.name, label.key));
        let categories = self.categories.iter().map(|it| (&it.name, it.key));
        let label_key = |key| LABEL_KEYS.contains(key);
        let category_key = |key: char| key.is_ascii_lowercase() && !ENDS_A_SEQUENCE.contains(key);
        let fault = find_choice_fault(labels, label_key);
        if let Some(fault) = fault.or_else(|| find_choice_fault(categories, category_key)) {
            return Some(fault);
        }
        if let Some(fault) = self.rank_fault() {
            return Some(fault);
        }
        if let Some(free) = &self.free {
            let is_taken = self.labels.iter().any(|label| label.key == free.key);
            if is_taken || !LABEL_KEYS.contains(free.key) {
                let key = free.key;
                let why = format!(
                    "the key '{key}' of [free] is a label's, or none of the letters {LABEL_KEYS}"
                );
                return Some((None, why));
            }
        }
        if let Some(scale) = &self.strength
            && !(2..=MAX_STRENGTH).contains(&scale.highest)
        {
            let why = format!("the highest strength is 2 to {MAX_STRENGTH}");
            return Some((None, why));
        }
        self.labels.iter().find_map(|label| {
            let missing = label.asks.iter().find_map(|asks| match asks {
                FollowUp::Category if self.categories.is_empty() => Some("[[categories]]"),
                FollowUp::Strength if self.strength.is_none() => Some("[strength]"),
                FollowUp::Category | FollowUp::Strength => None,
            })?;
            let name = &label.name;
            let why = format!("the label '{name}' asks for what the set lacks: {missing}");
            Some((Some(name.clone()), why))
        })
    }
}

impl LabelSet {
    /// Returns the categories with the letters that choose them.
    ///
    /// No letter of a label is among them, as long as there are others: who labels fast types the next label before
    /// the question is read, and a letter that answered it would be a category that nobody meant. A category that
    /// the file gives such a letter has the first free one of its name.
    pub fn category_keys(&self) -> Vec<(char, &CategoryChoice)> {
        let is_usable = |key: char| key.is_ascii_lowercase() && !ENDS_A_SEQUENCE.contains(key);
        let kept = self.categories.iter().map(|it| it.key);
        let mut used: BTreeSet<char> = kept.filter(|key| !self.is_label_key(*key)).collect();
        let categories = self.categories.iter();
        let keys = categories.map(|category| {
            if !self.is_label_key(category.key) {
                return (category.key, category);
            }
            let is_free =
                |key: &char| is_usable(*key) && !self.is_label_key(*key) && !used.contains(key);
            let mut letters = category.name.chars().chain('a'..='z');
            let key = letters.find(is_free).unwrap_or(category.key);
            used.insert(key);
            (key, category)
        });
        keys.collect()
    }

    /// Returns the letters of the scale with the value of each, lowest first; none is a label's, as
    /// [above](Self::category_keys). The others mean what they always meant.
    pub fn strength_keys(&self) -> Vec<(char, u8)> {
        let Some(scale) = &self.strength else {
            return Vec::new();
        };
        let values = usize::from(scale.highest);
        let mut others = STRENGTH_KEYS.chars().skip(values);
        let letters = STRENGTH_KEYS
            .chars()
            .take(values)
            .map(|key| match self.is_label_key(key) {
                true => others
                    .find(|other| !self.is_label_key(*other))
                    .unwrap_or(key),
                false => key,
            });
        letters.zip(1..).collect()
    }

    /// Says whether a letter means a label, or words of one's own.
    pub fn is_label_key(&self, key: char) -> bool {
        let is_free = self.free.as_ref().is_some_and(|free| free.key == key);
        is_free || self.labels.iter().any(|label| label.key == key)
    }

    /// Checks that all deciding labels have a rank or none has, and each rank is given once.
    fn rank_fault(&self) -> Option<(Option<String>, String)> {
        let has_ranks = self.labels.iter().any(|label| label.rank.is_some());
        let mut ranks = BTreeSet::new();
        self.labels.iter().find_map(|label| {
            let name = &label.name;
            let why = match (label.rank, label.is_deciding()) {
                (None, true) if has_ranks => {
                    format!("'{name}' has no rank, and other labels have one: rank all or none")
                }
                (Some(_), false) => {
                    format!("'{name}' counts as left_out, so it has no rank among the others")
                }
                (Some(rank), true) if !ranks.insert(rank) => {
                    format!("the rank {rank} is given twice")
                }
                (None | Some(_), _) => return None,
            };
            Some((Some(name.clone()), why))
        })
    }
}

fn find_choice_fault<'a>(
    choices: impl Iterator<Item = (&'a String, char)>,
    usable: impl Fn(char) -> bool,
) -> Option<(Option<String>, String)> {
    let mut names = BTreeSet::new();
    let mut keys = BTreeSet::new();
    for (name, key) in choices {
        let fault = |why| Some((Some(name.clone()), why));
        if name.trim().is_empty() {
            return fault("a label or category needs a name".to_owned());
        }
        if !usable(key) {
            let letters: String = ('a'..='z').filter(|letter| usable(*letter)).collect();
            return fault(format!(
                "the key of '{name}' is '{key}'; it must be one of {letters}: other keys are \
                 commands, or can come from a slow link by accident"
            ));
        }
        if !names.insert(name) {
            return fault(format!("'{name}' is there twice"));
        }
        if !keys.insert(key) {
            return fault(format!("the key '{key}' is given twice"));
        }
    }
    None
}

/// Returns the last line that contains a name: where it occurs twice, the second one is at fault.
fn line_of(text: &str, name: Option<&str>) -> usize {
    let Some(name) = name else {
        return 1;
    };
    let quoted_name = format!("\"{name}\"");
    let lines = text.lines().enumerate();
    let last_line = lines.filter(|(_, line)| line.contains(&quoted_name)).last();
    last_line.map_or(1, |(at, _)| at + 1)
}
