//! Replies of guard models, read: a label as the first word, or in a field that the reply names.
//!
//! Guards answer in the form that they were trained on. `Yes` or `No` may have reasons after it;
//! others write lines such as `Safety: Unsafe`, or tags such as `<score> yes </score>`. What else
//! a reply says in such a form (whether the answer refuses, how sure the guard is) stays among the
//! fields of the finding.

use super::line::{label_named, words};
use super::read::{finding, quote, unparsed};
use super::rubric::{Label, Rubric};
use crate::debate::event::Outcome;
use serde_json::{Map, Value};

/// The most fields that are read of one reply.
const MAX_FIELDS: usize = 32;
/// The most words of a field's name.
const MAX_NAME_WORDS: usize = 4;
/// The most characters of a field's value, or of a code, that are kept.
const MAX_VALUE_CHARS: usize = 200;
/// What stands where a guard names no category.
const NO_CODE: [&str; 3] = ["none", "n/a", "-"];

/// Reads a reply that begins with a label: `Yes`, `No. The answer declines.`
pub(super) fn first_word(rubric: &Rubric, reply: &str) -> Outcome {
    let text = reply.trim();
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let Some(label) = label_named(rubric, first) else {
        let known = said_by(rubric);
        return unparsed(format!(
            "the reply does not begin with {known}: {}",
            quote(reply)
        ));
    };
    // "Yes or no?", and a second answer on a line of its own.
    let choice = words(rest)
        .first()
        .is_some_and(|word| word == "or" || word == "and");
    let mut others = rest.lines().filter_map(|line| label_named(rubric, line));
    if choice || others.any(|other| other.name != label.name) {
        return unparsed(format!(
            "the reply says more than one thing: {}",
            quote(reply)
        ));
    }
    finding(
        label,
        Vec::new(),
        rest,
        others_of(tags(reply).take(MAX_FIELDS).collect(), &[]),
    )
}

/// Reads a reply that names what it says: as lines, `Safety: Unsafe`, or in tags,
/// `<score> yes </score>`. A field that is there twice must say the same twice.
pub(super) fn named_fields(rubric: &Rubric, reply: &str) -> Outcome {
    let Some(wanted) = rubric.label_field.as_deref() else {
        return unparsed("the rubric names no label_field");
    };
    let fields = named(reply);
    let mut label: Option<&Label> = None;
    for value in values(&fields, wanted) {
        let Some(named) = label_named(rubric, value) else {
            return unparsed(format!("{} is no label of the rubric", quote(value)));
        };
        if label.is_some_and(|other| other.name != named.name) {
            return unparsed(format!("the reply says two things under '{wanted}'"));
        }
        label = Some(named);
    }
    let Some(label) = label else {
        return unparsed(format!("the reply has no '{wanted}': {}", quote(reply)));
    };
    let codes = rubric.codes_field.as_deref();
    let codes: Vec<String> = codes.map_or_else(Vec::new, |field| codes_of(&fields, field));
    if label.value > 0.0 && !codes.is_empty() {
        return unparsed(format!(
            "the reply says '{}' and names categories",
            label.name
        ));
    }
    let read = [Some(wanted), rubric.codes_field.as_deref()];
    let read: Vec<&str> = read.into_iter().flatten().collect();
    finding(label, codes, "", others_of(fields, &read))
}

/// A field's name with what stands in it.
type Field<'a> = (&'a str, &'a str);

/// Returns the fields of a reply, tags after lines.
fn named(reply: &str) -> Vec<Field<'_>> {
    let lines = reply.lines().filter_map(line_field);
    lines.chain(tags(reply)).take(MAX_FIELDS).collect()
}

fn line_field(line: &str) -> Option<Field<'_>> {
    let markup = |c: char| c.is_whitespace() || c == '*' || c == '#';
    let (name, value) = line.split_once(':')?;
    let (name, value) = (name.trim_matches(markup), value.trim_matches(markup));
    let is_name = name
        .chars()
        .all(|c| c.is_alphanumeric() || c == ' ' || c == '_');
    let count = words(name).len();
    (is_name && (1..=MAX_NAME_WORDS).contains(&count) && !value.is_empty()).then_some((name, value))
}

/// Returns what stands in tags that are closed again.
fn tags(reply: &str) -> impl Iterator<Item = Field<'_>> {
    let openings = reply.match_indices('<');
    openings.filter_map(|(at, _)| {
        let (name, rest) = reply[at + 1..].split_once('>')?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        let (value, after) = rest.split_once("</")?;
        let closes = after.strip_prefix(name)?.starts_with('>');
        let value = value.trim();
        (closes && !value.is_empty() && !value.contains('<')).then_some((name, value))
    })
}

fn values<'a>(fields: &'a [Field<'a>], wanted: &'a str) -> impl Iterator<Item = &'a str> {
    let same = move |name: &str| words(name) == words(wanted);
    let found = fields.iter().filter(move |(name, _)| same(name));
    found.map(|(_, value)| *value)
}

fn codes_of(fields: &[Field<'_>], field: &str) -> Vec<String> {
    let listed = values(fields, field).flat_map(|value| value.split([',', ';']));
    let codes = listed.map(str::trim).filter(|code| !code.is_empty());
    let codes = codes.filter(|code| !NO_CODE.contains(&code.to_lowercase().as_str()));
    let mut kept: Vec<String> = Vec::new();
    for code in codes.map(short) {
        if !kept.contains(&code) {
            kept.push(code);
        }
    }
    kept
}

/// Returns the fields that were not read as something else.
fn others_of(fields: Vec<Field<'_>>, read: &[&str]) -> Value {
    let is_read = |name: &str| read.iter().any(|read| words(read) == words(name));
    let others = fields.into_iter().filter(|(name, _)| !is_read(name));
    let others: Map<String, Value> = others
        .map(|(name, value)| (name.to_owned(), Value::from(short(value))))
        .collect();
    match others.is_empty() {
        true => Value::Null,
        false => Value::Object(others),
    }
}

fn short(text: &str) -> String {
    text.chars().take(MAX_VALUE_CHARS).collect()
}

fn said_by(rubric: &Rubric) -> String {
    let labels = rubric.labels.iter();
    let said: Vec<String> = labels.map(|label| format!("'{}'", label.says)).collect();
    said.join(" or ")
}
