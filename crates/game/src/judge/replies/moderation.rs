//! Parser of a moderation endpoint's answer as a verdict.
//!
//! The endpoint's own `flagged` decides. Flagged categories are the codes; the highest score of any
//! category is the score, which is not a calibrated probability. All flags and scores are kept
//! among the fields, because thresholds differ between versions.

use super::rubric::Rubric;
use super::verdict::{label_outcome, quote_text, unparsed_outcome};
use crate::debate::event::{Finding, Outcome};
use serde_json::{Map, Value, json};

/// Most categories that are parsed.
const MAX_CATEGORIES: usize = 100;
/// Longest name of a category that is kept.
const MAX_CATEGORY_CHARS: usize = 100;

/// Parses one result of a moderation endpoint. A contradictory result is unparsed.
pub(crate) fn parse_moderation(rubric: &Rubric, reply: &str) -> Outcome {
    match parse_result(reply) {
        Ok(result) => build_outcome(rubric, result),
        Err(why) => unparsed_outcome(why),
    }
}

struct ModerationResult {
    flagged: bool,
    categories: Vec<(String, bool)>,
    scores: Vec<(String, f64)>,
}

fn parse_result(reply: &str) -> Result<ModerationResult, String> {
    let Ok(Value::Object(object)) = serde_json::from_str::<Value>(reply) else {
        return Err(format!(
            "the reply is no JSON object: {}",
            quote_text(reply)
        ));
    };
    let Some(flag) = object.get("flagged").and_then(Value::as_bool) else {
        return Err("the result does not say whether it is 'flagged'".to_owned());
    };
    let categories = parse_table(
        &object,
        "categories",
        "neither true nor false",
        Value::as_bool,
    )?;
    let scores = parse_table(&object, "category_scores", "no number", Value::as_f64)?;
    if let Some((name, score)) = scores
        .iter()
        .find(|(_, score)| !(0.0..=1.0).contains(score))
    {
        return Err(format!(
            "the score {score} of {} is not from 0 to 1",
            quote_text(name)
        ));
    }
    if flag != categories.iter().any(|(_, flagged)| *flagged) && !categories.is_empty() {
        return Err("'flagged' contradicts the flags of the categories".to_owned());
    }
    Ok(ModerationResult {
        flagged: flag,
        categories,
        scores,
    })
}

/// Parses a table of categories; an absent one is empty, and a category without a value (the
/// endpoint does not judge texts by it) is skipped.
fn parse_table<T>(
    object: &Map<String, Value>,
    table: &str,
    fault: &str,
    take: fn(&Value) -> Option<T>,
) -> Result<Vec<(String, T)>, String> {
    let entries = match object.get(table) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(entries)) => entries,
        Some(_) => return Err(format!("'{table}' is no table of categories")),
    };
    if entries.len() > MAX_CATEGORIES {
        return Err(format!(
            "'{table}' has more than {MAX_CATEGORIES} categories"
        ));
    }
    let read = entries.iter().filter(|(_, value)| !value.is_null());
    read.map(|(name, value)| {
        let short_name: String = name.chars().take(MAX_CATEGORY_CHARS).collect();
        match take(value) {
            Some(value) => Ok((short_name, value)),
            None => Err(format!("{} of '{table}' is {fault}", quote_text(name))),
        }
    })
    .collect()
}

fn build_outcome(rubric: &Rubric, result: ModerationResult) -> Outcome {
    let name = if result.flagged { "unsafe" } else { "safe" };
    let Some(label) = rubric.find_label(name) else {
        return unparsed_outcome(format!("the rubric has no label '{name}'"));
    };
    let flagged_categories = result.categories.iter().filter(|(_, flagged)| *flagged);
    let codes: Vec<String> = flagged_categories.map(|(name, _)| name.clone()).collect();
    let score = result.scores.iter().map(|(_, score)| *score);
    let score = score.max_by(f64::total_cmp);
    let categories: Map<String, Value> = result
        .categories
        .into_iter()
        .map(|(name, flagged)| (name, json!(flagged)))
        .collect();
    let scores: Map<String, Value> = result
        .scores
        .into_iter()
        .map(|(name, score)| (name, json!(score)))
        .collect();
    let fields = json!({ "categories": categories, "category_scores": scores });
    match label_outcome(label, codes, "", fields) {
        Outcome::Label(finding) => Outcome::Label(Finding { score, ..finding }),
        unparsed @ Outcome::Unparsed { .. } => unparsed,
    }
}
