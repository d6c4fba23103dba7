//! Columns of a file of labels: what a person says of them, and how they were read.

use super::label_file_kind::LabelFileKind;
use elenchus_dataset::{is_missing, is_same_column};
use std::collections::BTreeSet;

/// What a person says of a file of labels; the rest is recognised. Pairs of columns' names are equal where they
/// differ in case and signs between letters alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelColumns {
    /// Columns that a person filled each: a sheet in wide form.
    pub people: Vec<String>,
    /// Columns that a program filled.
    pub automatic: Vec<String>,
    pub set: Option<String>,
    pub kind: Option<LabelFileKind>,
    pub prompt: Option<String>,
    pub completion: Option<String>,
    /// The column that names who labelled: a sheet in long form.
    pub annotator: Option<String>,
    /// The column or the question that holds the label.
    pub label: Option<String>,
    /// The column with the probability with which a row was chosen to be labelled.
    pub probability: Option<String>,
    /// Columns that are not read.
    pub ignored: Vec<String>,
    /// Words that are no label, besides [`LabelColumns::is_no_label`]'s own.
    pub no_label: Vec<String>,
    /// Words that are labels, in small letters: those of the set, and those that are mapped.
    pub words: BTreeSet<String>,
}

/// Signs that people leave in a cell without a label.
const SIGNS: [&str; 7] = ["NA", "?", "??", "-", "--", "–", "—"];

impl LabelColumns {
    /// Says whether a cell holds no label: blank, a word for a missing value, or one that was named. A label of
    /// the set, or a word that is mapped to one, is always a label.
    pub(super) fn is_no_label(&self, cell: &str) -> bool {
        let cell = cell.trim();
        let is_same_word = |word: &String| word.trim().to_lowercase() == cell.to_lowercase();
        cell.is_empty()
            || (!self.is_label(cell)
                && (is_missing(cell)
                    || SIGNS.contains(&cell)
                    || self.no_label.iter().any(is_same_word)))
    }

    pub(super) fn is_label(&self, word: &str) -> bool {
        self.words.contains(&word.trim().to_lowercase())
    }

    pub(super) fn ignores_column(&self, column: &str) -> bool {
        self.ignored.iter().any(|name| is_same_column(name, column))
    }
}

/// How the columns of a file of labels are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelReading {
    pub kind: LabelFileKind,
    /// Columns that are read, with what they are.
    pub columns: Vec<(String, LabelField)>,
    pub unread: Vec<String>,
}

/// What a column of a file of labels is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum LabelField {
    Id,
    Prompt,
    Completion,
    /// One text, which is divided into prompt and completion, or stands for both.
    Text,
    Category,
    Context,
    /// Names who labelled.
    Annotator,
    /// Holds the label.
    Label,
    /// Holds the labels of one person.
    #[strum(serialize = "a person's labels")]
    Person,
    /// Holds what several people settled on.
    #[strum(serialize = "settled labels")]
    Settled,
    /// Holds what a program found.
    #[strum(serialize = "a program's labels")]
    Program,
    Probability,
}

impl LabelField {
    /// Returns the field's name in the report of how a file is read.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Reads the probability with which a row was chosen to be labelled: above 0, at most 1.
pub(super) fn read_probability(column: &str, text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok();
    let number = number.filter(|number| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| {
        let excerpt: String = text.chars().take(40).collect();
        format!("'{excerpt}' in '{column}' is no probability: it is above 0 and at most 1")
    })
}
