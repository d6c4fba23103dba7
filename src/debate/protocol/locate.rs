//! Where in a TOML text a thing stands, so that a fault names its line.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A step on the way to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Hop {
    Key(String),
    Item(usize),
}

impl From<&str> for Hop {
    fn from(key: &str) -> Self {
        Hop::Key(key.to_owned())
    }
}

impl From<usize> for Hop {
    fn from(index: usize) -> Self {
        Hop::Item(index)
    }
}

/// Returns the line (from 1) of the deepest part of `path` that the text holds.
pub(super) fn line_of(text: &str, path: &[Hop]) -> usize {
    let Ok(root) = DeTable::parse(text) else {
        return 1;
    };
    let mut offset = 0;
    let mut table = Some(root.get_ref());
    let mut value: Option<&Spanned<DeValue<'_>>> = None;
    for hop in path {
        let next = match hop {
            Hop::Key(key) => table.and_then(|table| table.get(key.as_str())),
            Hop::Item(index) => match value.map(Spanned::get_ref) {
                Some(DeValue::Array(items)) => items.get(*index),
                _ => None,
            },
        };
        let Some(found) = next else { break };
        offset = found.span().start;
        table = match found.get_ref() {
            DeValue::Table(inner) => Some(inner),
            _ => None,
        };
        value = Some(found);
    }
    line_at(text, offset)
}

/// Returns the line (from 1) of a byte offset.
pub(super) fn line_at(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    1 + text.as_bytes()[..end]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
}
