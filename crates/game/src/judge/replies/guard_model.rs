//! Parser of guard models' replies: a label as the first word, or in a named field.
//!
//! Guard models answer in the format that they were trained on. `Yes` or `No` may be followed by
//! reasons; others write lines such as `Safety: Unsafe`, or tags such as `<score> yes </score>`.
//! Further fields of such a reply (whether the answer refuses, the guard's confidence) are kept
//! among the fields of the finding.

use super::own_words::OwnWords;
use super::rubric::{Rubric, RubricLabel};
use super::statement::corrects;
use super::verdict::{finding, quote, unparsed};
use super::verdict_line::{label_named, words};
use crate::debate::event::Outcome;
use serde_json::{Map, Value};

/// Most fields of one reply that are parsed.
const MAX_FIELDS: usize = 32;
/// Most words of a field's name.
const MAX_NAME_WORDS: usize = 4;
/// Most characters of a field's value, or of a code, that are kept.
const MAX_VALUE_CHARS: usize = 200;
/// Words in place of a category where there is none.
const NO_CODE: [&str; 3] = ["none", "n/a", "-"];

/// Parses a reply that begins with a label: `Yes`, `No. The answer declines.`
pub(crate) fn first_word(rubric: &Rubric, reply: &str) -> Outcome {
    let own = OwnWords::from_reply(reply).text();
    let text = own.trim();
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
    let taken_back = rest.split(['.', '!', '\n']).any(corrects);
    if choice || taken_back || others.any(|other| other.name != label.name) {
        return unparsed(format!(
            "the reply says more than one thing: {}",
            quote(reply)
        ));
    }
    finding(
        label,
        Vec::new(),
        rest,
        others_of(tags(&own).take(MAX_FIELDS).collect(), &[]),
    )
}

/// Parses a reply of named fields: lines, `Safety: Unsafe`, or tags, `<score> yes </score>`. A
/// repeated field must have the same value twice.
pub(crate) fn named_fields(rubric: &Rubric, reply: &str) -> Outcome {
    let Some(wanted) = rubric.label_field.as_deref() else {
        return unparsed("the rubric names no label_field");
    };
    let own = OwnWords::from_reply(reply).text();
    let fields = named(&own);
    let mut label: Option<&RubricLabel> = None;
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

/// Name and value of a field.
type NamedField<'a> = (&'a str, &'a str);

/// Returns the fields of a reply, tags after lines.
fn named(reply: &str) -> Vec<NamedField<'_>> {
    let lines = reply.lines().filter_map(line_field);
    lines.chain(tags(reply)).take(MAX_FIELDS).collect()
}

fn line_field(line: &str) -> Option<NamedField<'_>> {
    let markup = |c: char| c.is_whitespace() || c == '*' || c == '#';
    // `3) Harmful response: no`, `- Safety: Unsafe`
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '-' || c == '•');
    let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = unnumbered
        .strip_prefix([')', '.'])
        .filter(|_| unnumbered.len() < line.len());
    let (name, value) = item.unwrap_or(line).split_once([':', '：'])?;
    let (name, value) = (name.trim_matches(markup), value.trim_matches(markup));
    let is_name = name
        .chars()
        .all(|c| c.is_alphanumeric() || c == ' ' || c == '_');
    let count = words(name).len();
    (is_name && (1..=MAX_NAME_WORDS).contains(&count) && !value.is_empty()).then_some((name, value))
}

/// Returns the content of closed tags.
fn tags(reply: &str) -> impl Iterator<Item = NamedField<'_>> {
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

fn values<'a>(fields: &'a [NamedField<'a>], wanted: &'a str) -> impl Iterator<Item = &'a str> {
    let same = move |name: &str| words(name) == words(wanted);
    let found = fields.iter().filter(move |(name, _)| same(name));
    found.map(|(_, value)| *value)
}

fn codes_of(fields: &[NamedField<'_>], field: &str) -> Vec<String> {
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

/// Returns the fields that have no other meaning.
fn others_of(fields: Vec<NamedField<'_>>, read: &[&str]) -> Value {
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
