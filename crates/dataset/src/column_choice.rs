//! Column choice: which column is what, and which are not read, as a person says it.

use super::TopicField;
use super::columns::normalise_name;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// Columns that a person names; recognition is left with the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnChoice {
    named: BTreeMap<TopicField, String>,
    ignored: BTreeSet<String>,
}

/// Names by which a field is chosen; the first is that of messages.
const FIELDS: &[(TopicField, &[&str])] = &[
    (TopicField::Text, &["text", "topic", "prompt"]),
    (TopicField::Reference, &["reference", "answer"]),
    (TopicField::Category, &["category"]),
    (TopicField::Expected, &["label", "expected"]),
    (TopicField::Context, &["context"]),
    (TopicField::Id, &["id"]),
    (TopicField::Aliases, &["aliases"]),
    (TopicField::Options, &["options"]),
    (TopicField::Conversation, &["conversation", "messages"]),
    (TopicField::Documents, &["documents"]),
    (TopicField::Level, &["level"]),
];

impl FromStr for ColumnChoice {
    type Err = String;

    /// Reads `text=Goal,category=Category`. A comma belongs to a column's name unless a field and `=` follow it.
    fn from_str(given: &str) -> Result<Self, String> {
        let mut columns_by_field = BTreeMap::new();
        for pair in split_pairs(given) {
            let read = pair.split_once('=').map(|(field, column)| {
                let column = column.trim();
                (field.trim(), column.strip_suffix(',').unwrap_or(column))
            });
            let Some((field, column)) = read.filter(|(_, column)| !column.is_empty()) else {
                return Err(format!(
                    "`{pair}` names no column: write FIELD=COLUMN, as in text=Goal; fields are {}",
                    field_names()
                ));
            };
            let Some(field) = find_field(field) else {
                return Err(format!(
                    "`{field}` is no field of a topic: fields are {}",
                    field_names()
                ));
            };
            if columns_by_field.insert(field, column.to_owned()).is_some() {
                return Err(format!(
                    "`{}` is named twice: one column is read as it",
                    choice_name(field)
                ));
            }
        }
        Self::from_columns(columns_by_field, BTreeSet::new())
    }
}

impl ColumnChoice {
    fn from_columns(
        named: BTreeMap<TopicField, String>,
        ignored: BTreeSet<String>,
    ) -> Result<Self, String> {
        let mut columns = BTreeSet::new();
        for column in named.values() {
            if !columns.insert(column) {
                return Err(format!(
                    "the column `{column}` is named for two fields: a column is read as one"
                ));
            }
            if ignored.contains(column) {
                return Err(format!(
                    "the column `{column}` is both named and ignored: leave one of them out"
                ));
            }
        }
        Ok(Self { named, ignored })
    }

    /// Joins choices, and adds columns that are not read.
    ///
    /// # Errors
    /// When a field is named twice, or a column for two fields, or both named and ignored.
    pub fn join_choices<'a>(
        choices: impl IntoIterator<Item = &'a Self>,
        ignored: impl IntoIterator<Item = String>,
    ) -> Result<Self, String> {
        let mut columns_by_field = BTreeMap::new();
        let mut none: BTreeSet<String> = ignored.into_iter().collect();
        for choice in choices {
            none.extend(choice.ignored.iter().cloned());
            for (field, column) in &choice.named {
                if columns_by_field.insert(*field, column.clone()).is_some() {
                    return Err(format!(
                        "`{}` is named twice: one column is read as it",
                        choice_name(*field)
                    ));
                }
            }
        }
        Self::from_columns(columns_by_field, none)
    }

    /// Returns the choice without these columns, for a data set that does not have them.
    pub fn omit_columns(&self, columns: &[String]) -> Self {
        let mut rest = self.clone();
        rest.named.retain(|_, column| !columns.contains(column));
        rest.ignored.retain(|column| !columns.contains(column));
        rest
    }

    /// Returns whether nothing is chosen.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.ignored.is_empty()
    }

    /// Returns the fields with their columns, in the words of the command line, for a plan's record.
    pub fn named_columns(&self) -> BTreeMap<String, String> {
        let pairs = self.named.iter();
        pairs
            .map(|(field, column)| (choice_name(*field).to_owned(), column.clone()))
            .collect()
    }

    /// Returns the columns that are not read.
    pub fn ignored_columns(&self) -> Vec<String> {
        self.ignored.iter().cloned().collect()
    }

    /// Returns every column that is named, and every one that is ignored.
    pub fn all_columns(&self) -> impl Iterator<Item = &str> {
        let names = self.named.values().chain(&self.ignored);
        names.map(String::as_str)
    }

    pub(super) fn has_field(&self, field: TopicField) -> bool {
        self.named.contains_key(&field)
    }

    /// Returns the field that a column is named for, and the names of fields by which nested values are found.
    pub(super) fn field_of(&self, column: &str) -> Option<TopicField> {
        let mut pairs = self.named.iter();
        pairs
            .find(|(_, name)| is_same(name, column))
            .map(|(field, _)| *field)
    }

    pub(super) fn named_fields(&self) -> impl Iterator<Item = (TopicField, &str)> {
        self.named
            .iter()
            .map(|(field, column)| (*field, column.as_str()))
    }

    pub(super) fn ignores_column(&self, column: &str) -> bool {
        self.ignored.iter().any(|name| is_same(name, column))
    }
}

impl fmt::Display for ColumnChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.named.iter();
        let pairs = pairs.map(|(field, column)| format!("{}={column}", choice_name(*field)));
        f.write_str(&pairs.collect::<Vec<_>>().join(","))
    }
}

/// Says whether a column is meant by a name, whose case and signs between letters may differ.
pub fn is_same(name: &str, column: &str) -> bool {
    name == column || {
        let plain = normalise_name(name);
        !plain.is_empty() && plain == normalise_name(column)
    }
}

/// Divides pairs at the commas that a field and `=` follow.
fn split_pairs(given: &str) -> Vec<&str> {
    let mut pairs = Vec::new();
    let mut start = 0;
    for (at, _) in given.match_indices(',') {
        let next = given.get(at + 1..).unwrap_or_default();
        let begins_pair = next
            .split_once('=')
            .is_some_and(|(field, _)| !field.contains(',') && is_word(field.trim()));
        if begins_pair {
            pairs.push(given.get(start..at).unwrap_or_default().trim());
            start = at + 1;
        }
    }
    pairs.push(given.get(start..).unwrap_or_default().trim());
    pairs
}

/// Says whether this could be the name of a field; a mistyped one is an error, not a part of a column's name.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphabetic())
}

fn find_field(given: &str) -> Option<TopicField> {
    let lower_name = given.to_ascii_lowercase();
    let mut fields = FIELDS.iter();
    fields
        .find(|(_, names)| names.contains(&lower_name.as_str()))
        .map(|(field, _)| *field)
}

fn choice_name(field: TopicField) -> &'static str {
    let mut fields = FIELDS.iter();
    let entry = fields.find(|(known, _)| *known == field);
    entry
        .and_then(|(_, names)| names.first().copied())
        .unwrap_or_else(|| field.name())
}

fn field_names() -> String {
    let names: Vec<&str> = FIELDS
        .iter()
        .map(|(field, _)| choice_name(*field))
        .collect();
    names.join(", ")
}
