//! Diagnosis of undefined values in templates: the missing name, and the names that exist.
//!
//! Best effort: otherwise the template language's own message is used.

use minijinja::value::ValueKind;
use minijinja::{Error, Value};
use std::collections::BTreeMap;

/// Most names in a message.
const MAX_NAMED: usize = 40;
/// Most nested loops that are followed.
const MAX_DEPTH: usize = 8;

/// Describes the missing name in a section's text, and the names known at that position.
pub(super) fn describe_missing_value(
    body: &str,
    error: &Error,
    values: &BTreeMap<&str, Value>,
) -> Option<String> {
    let line = error.line().unwrap_or(1).saturating_sub(1);
    // The line itself is included: a loop may begin and end there.
    let until: usize = body.lines().take(line + 1).map(|line| line.len() + 1).sum();
    let scope = NameScope {
        above: body.get(..until).unwrap_or(body),
        values,
    };
    let detail = error.detail().unwrap_or_default();
    let of_detail = detail.split('`').skip(1).step_by(2);
    // The whole line, where the language does not name the expression.
    let of_line = find_expressions(body.lines().nth(line).unwrap_or_default());
    let candidates = of_detail.chain(of_line).flat_map(find_paths);
    candidates
        .into_iter()
        .find_map(|path| scope.find_value(&path, MAX_DEPTH).err())
}

/// Meaning of names at one position of a text.
struct NameScope<'a> {
    /// The text before the position: loops begin there.
    above: &'a str,
    values: &'a BTreeMap<&'a str, Value>,
}

impl NameScope<'_> {
    /// Returns the value at a path; `Ok(None)` where it cannot be determined, and the missing name
    /// as an error.
    fn find_value(&self, path: &[&str], depth: usize) -> Result<Option<Value>, String> {
        let Some((base, attributes)) = path.split_first() else {
            return Ok(None);
        };
        let mut current = match self.values.get(base) {
            Some(value) => value.clone(),
            None if self.is_made_here(base) => match self.item_of_loop(base, depth)? {
                Some(value) => value,
                None => return Ok(None),
            },
            None => {
                let names = self.values.keys().copied();
                return Err(format!("there is no '{base}' here; {}", name_list(names)));
            }
        };
        let mut path_text = (*base).to_owned();
        for attribute in attributes {
            let next = current.get_attr(attribute).ok();
            match next.filter(|value| !value.is_undefined()) {
                Some(value) => current = value,
                None if current.kind() == ValueKind::Map => {
                    let keys: Vec<String> = current
                        .try_iter()
                        .map(|keys| keys.map(|key| key.to_string()).collect())
                        .unwrap_or_default();
                    let known_keys = name_list(keys.iter().map(String::as_str));
                    return Err(format!("'{path_text}' has no '{attribute}'; {known_keys}"));
                }
                None if current.is_none() || current.kind() == ValueKind::Seq => {
                    return Err(format!("'{path_text}' has no '{attribute}'"));
                }
                None => {
                    return Err(format!(
                        "'{path_text}' is a text and has no '{attribute}'; print it alone, as in \
                         {{{{ {path_text} }}}}"
                    ));
                }
            }
            path_text = format!("{path_text}.{attribute}");
        }
        Ok(Some(current))
    }

    /// Returns whether the template itself defines a name above: a loop or an assignment.
    fn is_made_here(&self, name: &str) -> bool {
        [
            "loop",
            "self",
            "true",
            "false",
            "none",
            "range",
            "dict",
            "namespace",
            "debug",
        ]
        .contains(&name)
            || self.tag_words().any(|words| match words.as_slice() {
                ["for", rest @ ..] => rest
                    .iter()
                    .take_while(|word| **word != "in")
                    .any(|word| *word == name),
                ["set" | "macro" | "with", made, ..] => *made == name,
                _ => false,
            })
    }

    /// Returns the first item of the sequence of the nearest loop over that name.
    fn item_of_loop(&self, name: &str, depth: usize) -> Result<Option<Value>, String> {
        if depth == 0 {
            return Ok(None);
        }
        let loops = self.tag_words().filter_map(|words| match words.as_slice() {
            ["for", item, "in", through, ..] if *item == name => Some(*through),
            _ => None,
        });
        let Some(through) = loops.last() else {
            return Ok(None);
        };
        let Some(path) = find_paths(through).into_iter().next() else {
            return Ok(None);
        };
        let sequence = self.find_value(&path, depth - 1)?;
        let mut items = match sequence.as_ref().map(Value::try_iter) {
            Some(Ok(items)) => items,
            Some(Err(_)) | None => return Ok(None),
        };
        Ok(items.next())
    }

    /// Returns the words of every tag above.
    fn tag_words(&self) -> impl Iterator<Item = Vec<&str>> {
        let tags = self.above.split("{%").skip(1);
        let inside = tags.filter_map(|rest| rest.split_once("%}").map(|(inside, _)| inside));
        inside.map(|inside| {
            let bare = inside.trim_matches(['-', '+', ' ', '\n']);
            let apart = |letter: char| letter.is_whitespace() || matches!(letter, ',' | '(' | '=');
            bare.split(apart).filter(|word| !word.is_empty()).collect()
        })
    }
}

/// Returns the expressions between braces on a line.
fn find_expressions(line: &str) -> Vec<&str> {
    let pieces = line.split('{').skip(1);
    pieces
        .map(|rest| rest.split('}').next().unwrap_or_default())
        .collect()
}

/// Returns the dotted names in an expression, without those that are quoted, filtered or called.
fn find_paths(expression: &str) -> Vec<Vec<&str>> {
    const WORDS: [&str; 14] = [
        "if", "elif", "else", "for", "in", "not", "and", "or", "is", "set", "true", "false",
        "none", "defined",
    ];
    // Every second piece is quoted text.
    let unquoted_pieces = expression.split(['\'', '"']).step_by(2);
    let plain = unquoted_pieces.map(|piece| piece.split('|').next().unwrap_or_default());
    let part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    let words = plain.flat_map(|piece| piece.split(move |letter| !part(letter)));
    let names = words.filter(|word| {
        let first = word.chars().next();
        first.is_some_and(|first| first.is_alphabetic() || first == '_') && !WORDS.contains(word)
    });
    names.map(|word| word.split('.').collect()).collect()
}

fn name_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    match names.get(..MAX_NAMED) {
        Some(first) => format!("known are {} and more", first.join(", ")),
        None if names.is_empty() => "nothing is known there".to_owned(),
        None => format!("known are {}", names.join(", ")),
    }
}
