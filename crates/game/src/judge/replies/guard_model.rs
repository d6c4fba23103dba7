//! Parser of guard models' replies: a label as the first word, or in a named field.
//!
//! Guard models answer in the format that they were trained on. `Yes` or `No` may be followed by
//! reasons; others write lines such as `Safety: Unsafe`, or tags such as `<score> yes </score>`.
//! Further fields of such a reply (whether the answer refuses, the guard's confidence) are kept
//! among the fields of the finding.

use super::own_words::OwnWords;
use super::rubric::{Rubric, RubricLabel};
use super::statement::is_correction;
use super::verdict::{label_outcome, quote_text, unparsed_outcome};
use super::verdict_line::{lowercase_words, parse_label};
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
pub(crate) fn parse_first_word(rubric: &Rubric, reply: &str) -> Outcome {
    let own = OwnWords::from_reply(reply).full_text();
    let text = own.trim();
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let Some(label) = parse_label(rubric, first) else {
        let answers = list_label_texts(rubric);
        return unparsed_outcome(format!(
            "the reply does not begin with {answers}: {}",
            quote_text(reply)
        ));
    };
    // "Yes or no?", and a second answer on a line of its own.
    let choice = lowercase_words(rest)
        .first()
        .is_some_and(|word| word == "or" || word == "and");
    let mut others = rest.lines().filter_map(|line| parse_label(rubric, line));
    let taken_back = rest.split(['.', '!', '\n']).any(is_correction);
    if choice || taken_back || others.any(|other| other.name != label.name) {
        return unparsed_outcome(format!(
            "the reply says more than one thing: {}",
            quote_text(reply)
        ));
    }
    label_outcome(
        label,
        Vec::new(),
        rest,
        others_of(find_tags(&own).take(MAX_FIELDS).collect(), &[]),
    )
}

/// Parses a reply of named fields: lines, `Safety: Unsafe`, or tags, `<score> yes </score>`. A
/// repeated field must have the same value twice.
pub(crate) fn parse_named_fields(rubric: &Rubric, reply: &str) -> Outcome {
    let Some(label_field) = rubric.label_field.as_deref() else {
        return unparsed_outcome("the rubric names no label_field");
    };
    let own = OwnWords::from_reply(reply).full_text();
    let fields = parse_fields(&own);
    let mut label: Option<&RubricLabel> = None;
    for value in find_values(&fields, label_field) {
        let Some(next_label) = parse_label(rubric, value) else {
            return unparsed_outcome(format!("{} is no label of the rubric", quote_text(value)));
        };
        if label.is_some_and(|other| other.name != next_label.name) {
            return unparsed_outcome(format!("the reply says two things under '{label_field}'"));
        }
        label = Some(next_label);
    }
    let Some(label) = label else {
        return unparsed_outcome(format!(
            "the reply has no '{label_field}': {}",
            quote_text(reply)
        ));
    };
    let codes = rubric.codes_field.as_deref();
    let codes: Vec<String> =
        codes.map_or_else(Vec::new, |field| split_category_codes(&fields, field));
    if label.value > 0.0 && !codes.is_empty() {
        return unparsed_outcome(format!(
            "the reply says '{}' and names categories",
            label.name
        ));
    }
    let read = [Some(label_field), rubric.codes_field.as_deref()];
    let read: Vec<&str> = read.into_iter().flatten().collect();
    label_outcome(label, codes, "", others_of(fields, &read))
}

/// Name and value of a field.
type NamedField<'a> = (&'a str, &'a str);

/// Returns the fields of a reply, tags after lines.
fn parse_fields(reply: &str) -> Vec<NamedField<'_>> {
    let lines = reply.lines().filter_map(line_field);
    lines.chain(find_tags(reply)).take(MAX_FIELDS).collect()
}

fn line_field(line: &str) -> Option<NamedField<'_>> {
    let markup = |c: char| c.is_whitespace() || c == '*' || c == '#';
    // `3) Harmful response: no`, `- Safety: Unsafe`
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '-' || c == '•');
    let item_text = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = item_text
        .strip_prefix([')', '.'])
        .filter(|_| item_text.len() < line.len());
    let (name, value) = item.unwrap_or(line).split_once([':', '：'])?;
    let (name, value) = (name.trim_matches(markup), value.trim_matches(markup));
    let is_name = name
        .chars()
        .all(|c| c.is_alphanumeric() || c == ' ' || c == '_');
    let count = lowercase_words(name).len();
    (is_name && (1..=MAX_NAME_WORDS).contains(&count) && !value.is_empty()).then_some((name, value))
}

/// Returns the content of closed tags.
fn find_tags(reply: &str) -> impl Iterator<Item = NamedField<'_>> {
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

fn find_values<'a>(fields: &'a [NamedField<'a>], wanted: &'a str) -> impl Iterator<Item = &'a str> {
    let same = move |name: &str| lowercase_words(name) == lowercase_words(wanted);
    let matching_fields = fields.iter().filter(move |(name, _)| same(name));
    matching_fields.map(|(_, value)| *value)
}

fn split_category_codes(fields: &[NamedField<'_>], field: &str) -> Vec<String> {
    let texts = find_values(fields, field).flat_map(|value| value.split([',', ';']));
    let codes = texts.map(str::trim).filter(|code| !code.is_empty());
    let codes = codes.filter(|code| !NO_CODE.contains(&code.to_lowercase().as_str()));
    let mut unique_codes: Vec<String> = Vec::new();
    for code in codes.map(truncate_value) {
        if !unique_codes.contains(&code) {
            unique_codes.push(code);
        }
    }
    unique_codes
}

/// Returns the fields that have no other meaning.
fn others_of(fields: Vec<NamedField<'_>>, read: &[&str]) -> Value {
    let is_read = |name: &str| {
        read.iter()
            .any(|read| lowercase_words(read) == lowercase_words(name))
    };
    let others = fields.into_iter().filter(|(name, _)| !is_read(name));
    let others: Map<String, Value> = others
        .map(|(name, value)| (name.to_owned(), Value::from(truncate_value(value))))
        .collect();
    match others.is_empty() {
        true => Value::Null,
        false => Value::Object(others),
    }
}

fn truncate_value(text: &str) -> String {
    text.chars().take(MAX_VALUE_CHARS).collect()
}

fn list_label_texts(rubric: &Rubric) -> String {
    let labels = rubric.labels.iter();
    let texts: Vec<String> = labels.map(|label| format!("'{}'", label.says)).collect();
    texts.join(" or ")
}
