//! Coercion of texts in a structured reply to the type that its schema requires.
//!
//! Never a guess: an ambiguous text stays as it is, and the schema's check then reports it. The
//! reply itself is kept as it was written.

use super::json::{MAX_DEPTH, is_of_type, is_same_value};
use serde_json::{Map, Number, Value};

/// Most values of one reply that are coerced; further ones stay as they are.
const MAX_COERCIONS: usize = 64;
/// Longest text that is tried, in bytes.
const MAX_TEXT_BYTES: usize = 64;

/// Coerces texts to the values that the schema requires, in place.
///
/// - `"7"` for a number, and `"7/10"` where 10 is the schema's `maximum` and above 1, so that it
///   cannot mean seven tenths
/// - `"yes"`, `"true"`, `"no"`, `"false"` in any case for a truth value
/// - any text for the one item of an `enum` that differs from it in case and outer space alone
///
/// A text that fits the schema stays.
pub(super) fn coerce_to_schema(schema: &Value, value: &mut Value) {
    coerce_value(schema, value, 0, &mut 0);
}

fn coerce_value(schema: &Value, value: &mut Value, depth: usize, done: &mut usize) {
    let Some(schema) = schema.as_object().filter(|_| depth <= MAX_DEPTH) else {
        return;
    };
    match value {
        Value::String(text) if *done < MAX_COERCIONS && text.len() <= MAX_TEXT_BYTES => {
            if let Some(to) = find_meaning(schema, text) {
                *done += 1;
                *value = to;
            }
        }
        Value::Object(object) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            for (key, schema) in properties.into_iter().flatten() {
                if let Some(inner) = object.get_mut(key) {
                    coerce_value(schema, inner, depth + 1, done);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else {
                return;
            };
            for item in items.iter_mut() {
                coerce_value(schema, item, depth + 1, done);
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the meaning of a text under a schema that it does not fit, if it is unambiguous.
fn find_meaning(schema: &Map<String, Value>, text: &str) -> Option<Value> {
    let text = text.trim();
    if let Some(Value::Array(allowed)) = schema.get("enum") {
        if allowed.iter().any(|one| one.as_str() == Some(text)) {
            return allowed
                .iter()
                .find(|one| one.as_str() == Some(text))
                .cloned();
        }
        let lower = text.to_lowercase();
        let mut fitting = allowed
            .iter()
            .filter(|one| one.as_str().is_some_and(|one| one.to_lowercase() == lower));
        let one = fitting.next();
        return one.filter(|_| fitting.next().is_none()).cloned();
    }
    let types: Vec<&str> = match schema.get("type")? {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        name => name.as_str().into_iter().collect(),
    };
    if types.contains(&"string") {
        return None;
    }
    let candidates = [parse_number(schema, text), parse_bool(text)];
    let mut fitting = candidates
        .into_iter()
        .flatten()
        .filter(|found| types.iter().any(|name| is_of_type(found, name)));
    fitting.next()
}

fn parse_number(schema: &Map<String, Value>, text: &str) -> Option<Value> {
    let Some((part, whole)) = text.split_once('/') else {
        return plain_number(text);
    };
    let most = schema
        .get("maximum")
        .filter(|most| most.as_f64() > Some(1.0))?;
    let whole = plain_number(whole.trim())?;
    plain_number(part.trim()).filter(|_| is_same_value(&whole, most))
}

/// Parses digits with a sign and a point; no number words, thousands or percent signs.
fn plain_number(text: &str) -> Option<Value> {
    let is_plain = text
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        && text.ends_with(|c: char| c.is_ascii_digit());
    if !is_plain {
        return None;
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Value::from(whole));
    }
    let number = text.parse::<f64>().ok()?;
    Number::from_f64(number).map(Value::Number)
}

fn parse_bool(text: &str) -> Option<Value> {
    match text.to_lowercase().as_str() {
        "yes" | "true" => Some(Value::Bool(true)),
        "no" | "false" => Some(Value::Bool(false)),
        _ => None,
    }
}
