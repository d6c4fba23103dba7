//! Positions in a TOML text, so that a fault names its line.

use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A segment of the path to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathSegment {
    Key(String),
    Item(usize),
}

impl From<&str> for PathSegment {
    fn from(key: &str) -> Self {
        PathSegment::Key(key.to_owned())
    }
}

impl From<usize> for PathSegment {
    fn from(index: usize) -> Self {
        PathSegment::Item(index)
    }
}

/// Returns the line (from 1) of the deepest part of `path` that the text holds.
pub(super) fn line_of(text: &str, path: &[PathSegment]) -> usize {
    let Ok(root) = DeTable::parse(text) else {
        return 1;
    };
    let mut offset = 0;
    let mut table = Some(root.get_ref());
    let mut value: Option<&Spanned<DeValue<'_>>> = None;
    for hop in path {
        let next = match hop {
            PathSegment::Key(key) => table.and_then(|table| table.get(key.as_str())),
            PathSegment::Item(index) => match value.map(Spanned::get_ref) {
                Some(DeValue::Array(items)) => items.get(*index),
                _ => None,
            },
        };
        let Some(child) = next else { break };
        offset = child.span().start;
        table = match child.get_ref() {
            DeValue::Table(inner) => Some(inner),
            _ => None,
        };
        value = Some(child);
    }
    line_at(text, offset)
}

/// Returns the line (from 1) of a byte offset.
pub fn line_at(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    1 + text.as_bytes()[..end]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}

/// A value that refers to a setting, or tests the value of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SettingReference {
    /// Quotes included.
    pub place: Range<usize>,
    pub name: String,
    /// For `"$name=value"` and `"$name!=value"`: the values between `|` and the kind of test.
    pub test: Option<(SettingTest, String)>,
    /// For `"$name=value ? this : that"`: the values when the test holds and when not.
    pub choice: Option<(String, String)>,
}

/// Test of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingTest {
    Is,
    IsNot,
}

/// Returns the positions of all values of the form `"$name"`, `"$name=value"`, `"$name!=value"` or
/// `"$name=value ? this : that"`, in the text's order.
///
/// Keys, comments and longer texts that contain a `$` are not references.
pub(super) fn setting_references(text: &str) -> Vec<SettingReference> {
    let mut references = Vec::new();
    if let Ok(root) = DeTable::parse(text) {
        for value in root.get_ref().values() {
            collect_references(value, &mut references);
        }
    }
    references.sort_by_key(|reference| reference.place.start);
    references
}

fn collect_references(value: &Spanned<DeValue<'_>>, references: &mut Vec<SettingReference>) {
    match value.get_ref() {
        DeValue::String(text) => references.extend(parse_reference(value.span(), text)),
        DeValue::Array(items) => items
            .iter()
            .for_each(|item| collect_references(item, references)),
        DeValue::Table(table) => table
            .values()
            .for_each(|value| collect_references(value, references)),
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {}
    }
}

fn parse_reference(place: Range<usize>, text: &str) -> Option<SettingReference> {
    let text = text.strip_prefix('$')?;
    let (text, choice) = match text.split_once(" ? ") {
        Some((test, choice)) => {
            let (this, that) = choice.split_once(" : ")?;
            (test, Some((this.trim().to_owned(), that.trim().to_owned())))
        }
        None => (text, None),
    };
    let (name, test) = match text.split_once('=') {
        None => (text, None),
        Some((name, value)) => match name.strip_suffix('!') {
            Some(name) => (name, Some((SettingTest::IsNot, value.to_owned()))),
            None => (name, Some((SettingTest::Is, value.to_owned()))),
        },
    };
    let chooses_by_nothing = choice.is_some() && test.is_none();
    (is_name(name) && !chooses_by_nothing).then(|| SettingReference {
        place,
        name: name.to_owned(),
        test,
        choice,
    })
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
