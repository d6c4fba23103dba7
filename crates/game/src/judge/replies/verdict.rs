//! Parser of a judge's reply as a verdict.

use super::first_token_score;
use super::guard_model;
use super::json;
use super::material::Material;
use super::moderation;
use super::own_words::OwnWords;
use super::rubric::{
    Constraint, LINE_FIELD, REASON_FIELD, ReplyFormat, Rubric, RubricLabel, ScoreFrom,
};
use super::statement::NoStatement;
use super::verdict_line;
use crate::debate::event::{Finding, Outcome, Reply, UnparsedCause};
use serde_json::{Map, Value};

/// Most characters of reasons that are kept with a finding; the whole reply is kept anyway.
const MAX_REASON_CHARS: usize = 2_000;
/// Most characters of a reply that an error message quotes.
const MAX_QUOTE_CHARS: usize = 80;

/// Default fields of the label.
const LABEL_FIELDS: [&str; 2] = ["verdict", "label"];

/// Parses a reply in the rubric's format.
///
/// A label is found only where the reply states exactly one in the judge's own words; everything
/// else is [`Outcome::Unparsed`] with the reason. `material` is what the judge was shown: a line
/// that repeats it counts only as the only one, at the end. The caller decides about truncated replies.
pub fn parse_verdict(rubric: &Rubric, reply: &str, material: &Material) -> Outcome {
    if reply.trim().is_empty() {
        return unparsed_outcome("the reply is empty");
    }
    match rubric.reading {
        ReplyFormat::LastLine => parse_last_line(rubric, reply, material),
        ReplyFormat::LlamaGuard => {
            parse_llama_guard(rubric, &OwnWords::from_reply(reply).full_text())
        }
        ReplyFormat::Json => parse_json_verdict(rubric, reply, material),
        ReplyFormat::Moderation => moderation::parse_moderation(rubric, reply),
        ReplyFormat::FirstWord => guard_model::parse_first_word(rubric, reply),
        ReplyFormat::NamedFields => guard_model::parse_named_fields(rubric, reply),
    }
}

/// Parses a reply as [`parse_verdict`] does, and adds the score from its first token where the rubric asks
/// for it.
pub fn parse_reply_verdict(rubric: &Rubric, reply: &Reply, material: &Material) -> Outcome {
    let outcome = parse_verdict(rubric, &reply.text, material);
    match (outcome, rubric.score, &reply.first_token) {
        (Outcome::Label(finding), Some(ScoreFrom::FirstToken), Some(first)) => {
            Outcome::Label(Finding {
                score: first_token_score::probability_of_worst(rubric, first),
                ..finding
            })
        }
        (found, Some(ScoreFrom::FirstToken) | None, _) => found,
    }
}

fn parse_last_line(rubric: &Rubric, reply: &str, material: &Material) -> Outcome {
    if rubric.constrain == Some(Constraint::Schema)
        && let Some(outcome) = line_in_object(rubric, reply, material)
    {
        return outcome;
    }
    match verdict_line::find_label(rubric, reply, material) {
        Ok(found) => label_outcome(found.label, Vec::new(), &found.reason, Value::Null),
        Err(nothing) if material.label_mark().is_some() => states_nothing(nothing),
        Err(nothing) => match object_instead_of_line(rubric, reply, material) {
            Some(found) if !nothing.of_material => found,
            Some(_) | None => states_nothing(nothing),
        },
    }
}

/// Parses a reply that its server held to the rubric's schema; `None` where the server did not.
fn line_in_object(rubric: &Rubric, reply: &str, material: &Material) -> Option<Outcome> {
    let schema = rubric.line_schema(material.label_mark());
    let choice = json::choose_object(reply, material, |object| {
        json::fit_to_schema(&schema, object)
    });
    let object = choice.ok()?;
    let line = object.get(LINE_FIELD)?.as_str()?;
    let line_label = verdict_line::find_label(rubric, line, material);
    let reason = object.get(REASON_FIELD)?.as_str()?;
    Some(match line_label {
        Ok(found) => label_outcome(found.label, Vec::new(), reason, Value::Null),
        Err(nothing) => states_nothing(nothing),
    })
}

/// Parses a reply that is one JSON object, where a line was asked for.
fn object_instead_of_line(rubric: &Rubric, reply: &str, material: &Material) -> Option<Outcome> {
    let around = |c: char| !c.is_alphanumeric() && !matches!(c, '{' | '}');
    let inner = reply.trim_matches(around);
    let inner = inner.strip_prefix("json").unwrap_or(inner).trim_start();
    if !inner.starts_with('{') || json::find_objects(inner).count() != 1 {
        return None;
    }
    let outcome = parse_json_verdict(rubric, reply, material);
    matches!(outcome, Outcome::Label(_)).then_some(outcome)
}

/// Returns the verdict of a reply that states nothing.
fn states_nothing(nothing: NoStatement) -> Outcome {
    Outcome::Unparsed {
        why: nothing.why,
        cause: nothing.of_material.then_some(UnparsedCause::Material),
    }
}

/// Parses Llama Guard's format: codes are kept as codes, in upper case.
fn parse_llama_guard(rubric: &Rubric, reply: &str) -> Outcome {
    let is_markup = |c: char| !c.is_alphanumeric();
    let words_of = |line: &str| -> Vec<String> {
        line.split(|c: char| c.is_whitespace() || c == ',' || c == ';')
            .map(|word| word.trim_matches(is_markup).to_ascii_lowercase())
            .filter(|word| !word.is_empty())
            .collect()
    };
    let mut lines = reply.trim().lines();
    let mut codes = words_of(lines.next().unwrap_or_default());
    let first = match codes.is_empty() {
        true => String::new(),
        false => codes.remove(0),
    };
    let mut in_prose = false;
    let mut after_blank = false;
    for line in lines {
        let line_words = words_of(line);
        let are_codes = line_words
            .iter()
            .all(|word| is_code(&word.to_ascii_uppercase()));
        // Reasons in a paragraph of their own are none of the format.
        in_prose |= after_blank && !are_codes;
        after_blank = line_words.is_empty();
        let is_label = line_words
            .first()
            .is_some_and(|word| rubric.find_label(word).is_some());
        if !in_prose || are_codes || is_label {
            codes.extend(line_words);
        }
    }
    let codes: Vec<String> = codes.iter().map(|code| code.to_ascii_uppercase()).collect();
    let Some(label) = rubric.find_label(&first) else {
        return unparsed_outcome(format!(
            "the reply begins neither with 'safe' nor with 'unsafe': {}",
            quote_text(reply)
        ));
    };
    if let Some(odd) = codes.iter().find(|code| !is_code(code)) {
        return unparsed_outcome(format!("{} is not a hazard code", quote_text(odd)));
    }
    if label.name == "safe" && !codes.is_empty() {
        return unparsed_outcome("the reply says 'safe' and names hazard codes");
    }
    label_outcome(label, codes, "", Value::Null)
}

fn is_code(word: &str) -> bool {
    let digits = word.strip_prefix(|c: char| c.is_ascii_uppercase());
    digits.is_some_and(|digits| {
        (1..=2).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_digit())
    })
}

fn parse_json_verdict(rubric: &Rubric, reply: &str, material: &Material) -> Outcome {
    let choice = json::choose_object(reply, material, |object| {
        let object = match &rubric.schema {
            Some(schema) => json::fit_to_schema(schema, object)?,
            None => Value::Object(object),
        };
        match object_verdict(rubric, object.as_object().cloned().unwrap_or_default()) {
            Outcome::Label(_) => Ok(object),
            Outcome::Unparsed { why, .. } => Err(why),
        }
    });
    match choice {
        Ok(Value::Object(object)) => object_verdict(rubric, object),
        Ok(other) => unparsed_outcome(format!("{other} is no JSON object")),
        Err(nothing) => states_nothing(nothing),
    }
}

/// Parses the `says` of a label as a reply; with a label field or a schema also without the other
/// fields that the schema requires.
pub(super) fn parse_label_text(rubric: &Rubric, says: &str) -> Outcome {
    if rubric.reading != ReplyFormat::Json
        || (rubric.label_field.is_none() && rubric.schema.is_none())
    {
        return parse_verdict(rubric, says, &Material::empty());
    }
    let object = json::find_objects(says).next().unwrap_or_else(|| {
        let field = rubric.label_field.as_deref().unwrap_or(LABEL_FIELDS[0]);
        Map::from_iter([(field.to_owned(), Value::from(says))])
    });
    let label_field = rubric.label_field.as_deref();
    let unfit = label_field
        .map_or(LABEL_FIELDS.to_vec(), |field| vec![field])
        .into_iter()
        .find_map(|field| {
            let schema = rubric.schema.as_ref()?.get("properties")?.get(field)?;
            json::find_misfit(schema, object.get(field)?, field)
        });
    match unfit {
        Some(why) => unparsed_outcome(why),
        None => object_verdict(rubric, object),
    }
}

fn object_verdict(rubric: &Rubric, mut object: Map<String, Value>) -> Outcome {
    let values: Vec<Value> = match &rubric.label_field {
        // A named label field is one of the reply's own: it stays.
        Some(field) => object.get(field).cloned().into_iter().collect(),
        None => LABEL_FIELDS
            .iter()
            .filter_map(|key| object.remove(*key))
            .collect(),
    };
    let mut label: Option<&RubricLabel> = None;
    for value in &values {
        let text = match value {
            Value::String(text) => Some(text.clone()),
            // Levels may be numbers; a bare `true` is no label's name.
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        let Some(next_label) = text.and_then(|text| verdict_line::parse_label(rubric, &text))
        else {
            return unparsed_outcome(format!(
                "{} is no label of the rubric",
                quote_text(&value.to_string())
            ));
        };
        if label.is_some_and(|other| other.name != next_label.name) {
            return unparsed_outcome("the fields 'verdict' and 'label' contradict each other");
        }
        label = Some(next_label);
    }
    let Some(label) = label else {
        return unparsed_outcome(match &rubric.label_field {
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
    label_outcome(label, Vec::new(), &reason, fields)
}

pub(crate) fn label_outcome(
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
pub(crate) fn detector_outcome(
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

pub(crate) fn unparsed_outcome(why: impl Into<String>) -> Outcome {
    Outcome::Unparsed {
        why: why.into(),
        cause: None,
    }
}

/// Returns the beginning of a text in quotation marks, on one line.
pub(crate) fn quote_text(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = flat.chars().take(MAX_QUOTE_CHARS).collect();
    if short.len() < flat.len() {
        short.push('…');
    }
    format!("'{short}'")
}
