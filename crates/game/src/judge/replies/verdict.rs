//! Parser of a judge's reply as a verdict.

use super::first_token_score;
use super::guard_model;
use super::json;
use super::moderation;
use super::rubric::{ReplyFormat, Rubric, RubricLabel, ScoreFrom};
use super::verdict_line;
use crate::debate::event::{Fields, Finding, Outcome, Reply};
use serde_json::{Map, Value};

/// Most characters of reasons that are kept with a finding; the whole reply is kept anyway.
const MAX_REASON_CHARS: usize = 2_000;
/// Most characters of a reply that an error message quotes.
const MAX_QUOTE_CHARS: usize = 80;

/// Default fields of the label.
const LABEL_FIELDS: [&str; 2] = ["verdict", "label"];

/// Parses a reply in the rubric's format.
///
/// A label is found only where the reply states exactly one; everything else is
/// [`Outcome::Unparsed`] with the reason. The caller decides about truncated replies.
pub fn read(rubric: &Rubric, reply: &str) -> Outcome {
    if reply.trim().is_empty() {
        return unparsed("the reply is empty");
    }
    match rubric.reading {
        ReplyFormat::LastLine => last_line(rubric, reply),
        ReplyFormat::LlamaGuard => llama_guard(rubric, reply),
        ReplyFormat::Json => json_verdict(rubric, reply),
        ReplyFormat::Moderation => moderation::read(rubric, reply),
        ReplyFormat::FirstWord => guard_model::first_word(rubric, reply),
        ReplyFormat::NamedFields => guard_model::named_fields(rubric, reply),
    }
}

/// Parses a reply as [`read`] does, and adds the score from its first token where the rubric asks
/// for it.
pub fn read_reply(rubric: &Rubric, reply: &Reply) -> Outcome {
    let found = read(rubric, &reply.text);
    match (found, rubric.score, &reply.first_token) {
        (Outcome::Label(finding), Some(ScoreFrom::FirstToken), Some(first)) => {
            Outcome::Label(Finding {
                score: first_token_score::probability_of_worst(rubric, first),
                ..finding
            })
        }
        (found, Some(ScoreFrom::FirstToken) | None, _) => found,
    }
}

fn last_line(rubric: &Rubric, reply: &str) -> Outcome {
    match verdict_line::find_label(rubric, reply) {
        Ok(found) => finding(found.label, Vec::new(), &found.reason, Value::Null),
        Err(why) => unparsed(why),
    }
}

/// Parses Llama Guard's format: codes are kept as codes, in upper case.
fn llama_guard(rubric: &Rubric, reply: &str) -> Outcome {
    let trimmed = |c: char| !c.is_alphanumeric();
    let mut words = reply
        .split(|c: char| c.is_whitespace() || c == ',' || c == ';')
        .map(|word| word.trim_matches(trimmed).to_ascii_lowercase())
        .filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let codes: Vec<String> = words.map(|code| code.to_ascii_uppercase()).collect();
    let Some(label) = rubric.label(&first) else {
        return unparsed(format!(
            "the reply begins neither with 'safe' nor with 'unsafe': {}",
            quote(reply)
        ));
    };
    if let Some(odd) = codes.iter().find(|code| !is_code(code)) {
        return unparsed(format!("{} is not a hazard code", quote(odd)));
    }
    if label.name == "safe" && !codes.is_empty() {
        return unparsed("the reply says 'safe' and names hazard codes");
    }
    finding(label, codes, "", Value::Null)
}

fn is_code(word: &str) -> bool {
    let digits = word.strip_prefix(|c: char| c.is_ascii_uppercase());
    digits.is_some_and(|digits| {
        (1..=2).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_digit())
    })
}

fn json_verdict(rubric: &Rubric, reply: &str) -> Outcome {
    let object = match &rubric.schema {
        None => json::objects(reply)
            .last()
            .ok_or_else(|| format!("the reply holds no JSON object: {}", quote(reply))),
        Some(schema) => match json::fields(schema, reply) {
            Fields::Read(Value::Object(object)) => Ok(object),
            Fields::Read(other) => Err(format!("{other} is no JSON object")),
            Fields::Unparsed { why } => Err(why),
        },
    };
    match object {
        Ok(object) => object_verdict(rubric, object),
        Err(why) => unparsed(why),
    }
}

/// Parses the `says` of a label as a reply; with a label field or a schema also without the other
/// fields that the schema requires.
pub(super) fn read_says(rubric: &Rubric, says: &str) -> Outcome {
    if rubric.reading != ReplyFormat::Json
        || (rubric.label_field.is_none() && rubric.schema.is_none())
    {
        return read(rubric, says);
    }
    let object = json::objects(says).next().unwrap_or_else(|| {
        let field = rubric.label_field.as_deref().unwrap_or(LABEL_FIELDS[0]);
        Map::from_iter([(field.to_owned(), Value::from(says))])
    });
    let stated = rubric.label_field.as_deref();
    let unfit = stated
        .map_or(LABEL_FIELDS.to_vec(), |field| vec![field])
        .into_iter()
        .find_map(|field| {
            let schema = rubric.schema.as_ref()?.get("properties")?.get(field)?;
            json::misfit(schema, object.get(field)?, field)
        });
    match unfit {
        Some(why) => unparsed(why),
        None => object_verdict(rubric, object),
    }
}

fn object_verdict(rubric: &Rubric, mut object: Map<String, Value>) -> Outcome {
    let stated: Vec<Value> = match &rubric.label_field {
        // A named label field is one of the reply's own: it stays.
        Some(field) => object.get(field).cloned().into_iter().collect(),
        None => LABEL_FIELDS
            .iter()
            .filter_map(|key| object.remove(*key))
            .collect(),
    };
    let mut label: Option<&RubricLabel> = None;
    for value in &stated {
        let text = match value {
            Value::String(text) => Some(text.clone()),
            // Levels may be numbers; a bare `true` is no label's name.
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        let Some(named) = text.and_then(|text| verdict_line::label_named(rubric, &text)) else {
            return unparsed(format!(
                "{} is no label of the rubric",
                quote(&value.to_string())
            ));
        };
        if label.is_some_and(|other| other.name != named.name) {
            return unparsed("the fields 'verdict' and 'label' contradict each other");
        }
        label = Some(named);
    }
    let Some(label) = label else {
        return unparsed(match &rubric.label_field {
            Some(field) => format!("the JSON object has no '{field}'"),
            None => "the JSON object has neither 'verdict' nor 'label'".to_owned(),
        });
    };
    let reason = ["reason", "reasons", "reasoning", "explanation"]
        .iter()
        .find_map(|key| object.get(*key)?.as_str())
        .unwrap_or_default()
        .to_owned();
    let fields = if object.is_empty() {
        Value::Null
    } else {
        Value::Object(object)
    };
    finding(label, Vec::new(), &reason, fields)
}

pub(crate) fn finding(
    label: &RubricLabel,
    codes: Vec<String>,
    reason: &str,
    fields: Value,
) -> Outcome {
    let reason = reason.trim();
    Outcome::Label(Finding {
        label: label.name.clone(),
        value: label.value,
        codes,
        reason: (!reason.is_empty()).then(|| reason.chars().take(MAX_REASON_CHARS).collect()),
        score: None,
        fields,
    })
}

/// Builds the finding of a detector. A label that is not in `labels` has the value 0.
pub(crate) fn labelled(
    labels: &[(&str, f64)],
    label: &str,
    reason: String,
    fields: Value,
) -> Outcome {
    let value = labels.iter().find(|(name, _)| *name == label);
    Outcome::Label(Finding {
        label: label.to_owned(),
        value: value.map_or(0.0, |(_, value)| *value),
        codes: Vec::new(),
        reason: Some(reason.chars().take(MAX_REASON_CHARS).collect()),
        score: None,
        fields,
    })
}

pub(crate) fn unparsed(why: impl Into<String>) -> Outcome {
    Outcome::Unparsed { why: why.into() }
}

/// Returns the beginning of a text in quotation marks, on one line.
pub(crate) fn quote(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = flat.chars().take(MAX_QUOTE_CHARS).collect();
    if short.len() < flat.len() {
        short.push('…');
    }
    format!("'{short}'")
}
