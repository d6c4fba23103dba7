//! JSON that satisfies a schema, for simulated structured replies. Pure.
//!
//! Covers what structured-output servers accept: objects, arrays, enums, constants, strings with a
//! greatest length, numbers with bounds, `anyOf`/`oneOf`/`allOf` (first), local `$ref`.

use serde_json::{Map, Number, Value};

use super::draw::Draws;

/// The deepest nesting that is filled; deeper optional parts are null.
const MAX_DEPTH: usize = 16;
/// The most items of an array that a schema can ask for.
const MAX_ITEMS: u64 = 64;

/// Fills a schema; `words` writes the text of the string field with a given name.
pub(super) fn fill(schema: &Value, draws: &Draws, words: &dyn Fn(&str) -> String) -> Value {
    let filler = Filler {
        root: schema,
        draws,
        words,
    };
    filler.value(schema, "", "", 0)
}

struct Filler<'a> {
    root: &'a Value,
    draws: &'a Draws,
    words: &'a dyn Fn(&str) -> String,
}

impl Filler<'_> {
    /// `path` keys the draws, `name` is the nearest field name.
    fn value(&self, schema: &Value, path: &str, name: &str, depth: usize) -> Value {
        if depth > MAX_DEPTH {
            return Value::Null;
        }
        if let Some(fixed) = schema.get("const") {
            return fixed.clone();
        }
        if let Some(options) = schema.get("enum").and_then(Value::as_array) {
            let at = self.draws.below(path, options.len() as u64);
            return options.get(at as usize).cloned().unwrap_or(Value::Null);
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target = target
                .strip_prefix('#')
                .and_then(|at| self.root.pointer(at));
            return target.map_or(Value::Null, |to| self.value(to, path, name, depth + 1));
        }
        for combined in ["anyOf", "oneOf", "allOf"] {
            let first = schema.get(combined).and_then(|options| options.get(0));
            if let Some(first) = first {
                return self.value(first, path, name, depth + 1);
            }
        }
        match kind(schema) {
            "object" => self.object(schema, path, depth),
            "array" => self.array(schema, path, name, depth),
            "integer" => self.integer(schema, path),
            "number" => self.number(schema, path),
            "boolean" => Value::Bool(self.draws.happens(path, 0.5)),
            "null" => Value::Null,
            _ => Value::String(self.string(schema, name)),
        }
    }

    fn object(&self, schema: &Value, path: &str, depth: usize) -> Value {
        let mut object = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let value = self.value(property, &format!("{path}/{name}"), name, depth + 1);
            object.insert(name.clone(), value);
        }
        Value::Object(object)
    }

    fn array(&self, schema: &Value, path: &str, name: &str, depth: usize) -> Value {
        let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
        let least = bound("minItems").unwrap_or(1);
        let most = bound("maxItems").unwrap_or(u64::MAX);
        let count = least.max(1).min(most).min(MAX_ITEMS);
        let item = schema.get("items").unwrap_or(&Value::Null);
        let items = (0..count).map(|at| self.value(item, &format!("{path}/{at}"), name, depth + 1));
        Value::Array(items.collect())
    }

    fn integer(&self, schema: &Value, path: &str) -> Value {
        let (least, most) = bounds(schema, 10.0);
        let (least, most) = (least.ceil() as i64, most.floor() as i64);
        let span = most.saturating_sub(least).max(0).unsigned_abs();
        let drawn = self.draws.below(path, span.saturating_add(1));
        Value::from(least.saturating_add_unsigned(drawn))
    }

    fn number(&self, schema: &Value, path: &str) -> Value {
        let (least, most) = bounds(schema, 1.0);
        let number = least + (most - least).max(0.0) * self.draws.uniform(path);
        // Two digits are what a model would write; rounding must not leave the bounds.
        let rounded = ((number * 100.0).round() / 100.0).clamp(least, most.max(least));
        Number::from_f64(rounded).map_or(Value::Null, Value::Number)
    }

    fn string(&self, schema: &Value, name: &str) -> String {
        let text = (self.words)(name);
        let most = schema.get("maxLength").and_then(Value::as_u64);
        match most.and_then(|most| usize::try_from(most).ok()) {
            Some(most) => text.chars().take(most).collect(),
            None => text,
        }
    }
}

fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or("string"),
        Some(_) | None if schema.get("properties").is_some() => "object",
        Some(_) | None if schema.get("items").is_some() => "array",
        Some(_) | None => "string",
    }
}

fn bounds(schema: &Value, span: f64) -> (f64, f64) {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => (least, most),
        (Some(least), None) => (least, least + span),
        (None, Some(most)) => (most - span, most),
        (None, None) => (0.0, span),
    }
}
