//! Structured replies: extraction of the JSON object of a reply, and a small schema check.

use super::coerce::coerce;
use super::verdict::quote;
use crate::debate::event::Fields;
use serde_json::{Map, Value};

/// Most positions in a reply at which an object is searched for.
const MAX_STARTS: usize = 64;
/// Deepest level of a schema that is checked.
pub(crate) const MAX_DEPTH: usize = 32;

/// Parses the fields of a structured reply.
///
/// The first JSON object that fits the schema counts, whatever surrounds it (prose, code fences).
/// Supported keywords are `type` (a name or a list of names), `const`, `enum`, `required`,
/// `properties`, `additionalProperties: false`, `items`, `minimum`, `maximum`, `minItems`,
/// `maxItems` and `minLength`; others are ignored. `7.0` is an integer.
///
/// Text that states a number, a truth value or a value of an `enum` in another spelling is coerced.
pub fn fields(schema: &Value, reply: &str) -> Fields {
    let mut first_fault = None;
    let mut fitting = None;
    for object in objects(reply) {
        let mut object = Value::Object(object);
        coerce(schema, &mut object);
        match fault(schema, &object, "", 0) {
            // An object that quotes another party comes before the author's own.
            None => fitting = Some(object),
            Some(why) => {
                first_fault.get_or_insert(why);
            }
        }
    }
    match fitting {
        Some(object) => Fields::Read(object),
        None => Fields::Unparsed {
            why: first_fault
                .unwrap_or_else(|| format!("the reply holds no JSON object: {}", quote(reply))),
        },
    }
}

/// Returns the first mismatch of a field's value with its schema.
pub(crate) fn misfit(schema: &Value, value: &Value, field: &str) -> Option<String> {
    let mut value = value.clone();
    coerce(schema, &mut value);
    fault(schema, &value, field, 0)
}

/// Returns the JSON objects of a text in their order, without nested ones.
pub(crate) fn objects(text: &str) -> impl Iterator<Item = Map<String, Value>> {
    let mut from = 0;
    let mut starts = 0;
    std::iter::from_fn(move || {
        while let Some(at) = text[from..].find('{') {
            let start = from + at;
            starts += 1;
            if starts > MAX_STARTS {
                return None;
            }
            let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter();
            if let Some(Ok(Value::Object(object))) = stream.next() {
                from = start + stream.byte_offset();
                return Some(object);
            }
            from = start + 1;
        }
        None
    })
}

/// Returns the first mismatch of a value with a schema, with its path.
fn fault(schema: &Value, value: &Value, path: &str, depth: usize) -> Option<String> {
    let schema = schema.as_object().filter(|_| depth <= MAX_DEPTH)?;
    own_fault(schema, value)
        .map(|why| format!("{} {why}", named(path)))
        .or_else(|| object_fault(schema, value, path, depth))
        .or_else(|| array_fault(schema, value, path, depth))
}

fn named(path: &str) -> String {
    if path.is_empty() {
        "the reply".to_owned()
    } else {
        format!("'{path}'")
    }
}

fn own_fault(schema: &Map<String, Value>, value: &Value) -> Option<String> {
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    let count = |key: &str| schema.get(key).and_then(Value::as_u64);
    if let Some(types) = schema.get("type") {
        let names: Vec<&str> = match types {
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            other => other.as_str().into_iter().collect(),
        };
        if !names.is_empty() && !names.iter().any(|name| is_of_type(value, name)) {
            return Some(format!("is not of type {}", names.join(" or ")));
        }
    }
    if let Some(wanted) = schema.get("const").filter(|wanted| !same(wanted, value)) {
        return Some(format!("is not {wanted}"));
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.iter().any(|one| same(one, value))
    {
        let shown: Vec<String> = allowed.iter().map(Value::to_string).collect();
        return Some(format!("is none of {}", shown.join(", ")));
    }
    if let Some(found) = value.as_f64() {
        if let Some(least) = number("minimum").filter(|least| found < *least) {
            return Some(format!("is below {least}"));
        }
        if let Some(most) = number("maximum").filter(|most| found > *most) {
            return Some(format!("is above {most}"));
        }
    }
    let length = match value {
        Value::Array(items) => items.len() as u64,
        Value::String(text) => {
            let length = text.chars().count() as u64;
            return count("minLength")
                .filter(|least| length < *least)
                .map(|least| format!("is shorter than {least} characters"));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    if let Some(least) = count("minItems").filter(|least| length < *least) {
        return Some(format!("has fewer than {least} items"));
    }
    count("maxItems")
        .filter(|most| length > *most)
        .map(|most| format!("has more than {most} items"))
}

fn object_fault(
    schema: &Map<String, Value>,
    value: &Value,
    path: &str,
    depth: usize,
) -> Option<String> {
    let object = value.as_object()?;
    let below = |key: &str| {
        if path.is_empty() {
            key.to_owned()
        } else {
            format!("{path}.{key}")
        }
    };
    let required = schema.get("required").and_then(Value::as_array);
    let missing = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find(|key| !object.contains_key(*key));
    if let Some(key) = missing {
        return Some(format!("'{}' is missing", below(key)));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        let known = |key: &String| properties.is_some_and(|known| known.contains_key(key));
        if let Some(odd) = object.keys().find(|key| !known(key)) {
            return Some(format!("'{}' is not a field of the schema", below(odd)));
        }
    }
    properties.into_iter().flatten().find_map(|(key, schema)| {
        let inner = object.get(key)?;
        fault(schema, inner, &below(key), depth + 1)
    })
}

fn array_fault(
    schema: &Map<String, Value>,
    value: &Value,
    path: &str,
    depth: usize,
) -> Option<String> {
    let schema = schema.get("items")?;
    value.as_array()?.iter().enumerate().find_map(|(at, item)| {
        let dot = if path.is_empty() { "" } else { "." };
        fault(schema, item, &format!("{path}{dot}{at}"), depth + 1)
    })
}

pub(super) fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        // An unknown type name is the schema's mistake, not the reply's.
        _ => true,
    }
}

pub(crate) fn same(a: &Value, b: &Value) -> bool {
    a == b || a.as_f64().is_some_and(|number| b.as_f64() == Some(number))
}
