//! JSON values that satisfy a schema, for simulated structured replies. Pure.
//!
//! Covers what structured-output servers accept: objects, arrays, enums, constants, strings with a
//! greatest length, numbers with bounds, `anyOf`/`oneOf`/`allOf` (first), local `$ref`.

use serde_json::{Map, Number, Value};

use super::citations::{Citable, Citation, DOCUMENT_FIELD, QUOTE_FIELD};
use super::seeded_draws::SeededDraws;
use super::sentences::SimAnswer;

/// The deepest nesting that is filled; deeper optional parts are null.
const MAX_DEPTH: usize = 16;
/// The most items of an array that a schema can ask for.
const MAX_ITEMS: u64 = 64;
/// Names of fields that hold a bare answer.
const ANSWER_FIELDS: [&str; 2] = ["answer", "final_answer"];

/// Words of an enum by which a check lets an answer pass or sends it back.
const APPROVAL: [&str; 2] = ["approved", "revise"];

/// Values that a schema is filled with.
pub(super) struct FillContent<'a> {
    /// The text of string fields.
    pub text: &'a str,
    /// Mark after the text, whole or not at all.
    pub marker: &'a str,
    /// The value of answer fields.
    pub answer: Option<&'a SimAnswer>,
    /// Fixed values of fields by name, sent even if the schema refuses them.
    pub fixed: &'a dyn Fn(&str) -> Option<Value>,
    pub citable: Citable<'a>,
    /// Whether the writer finds what it is about good, for an enum of [`APPROVAL`].
    pub approves: bool,
}

/// Fills a schema.
pub(super) fn fill_schema(schema: &Value, draws: &SeededDraws, content: &FillContent<'_>) -> Value {
    let filler = Filler {
        root: schema,
        draws,
        content,
    };
    filler.fill_value(schema, "", "", 0)
}

struct Filler<'a> {
    root: &'a Value,
    draws: &'a SeededDraws,
    content: &'a FillContent<'a>,
}

impl Filler<'_> {
    /// `path` keys the draws, `name` is the nearest field name.
    fn fill_value(&self, schema: &Value, path: &str, name: &str, depth: usize) -> Value {
        if depth > MAX_DEPTH {
            return Value::Null;
        }
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        if let Some(answer) = self.fill_answer(schema, path, name) {
            return answer;
        }
        if let Some(options) = schema.get("enum").and_then(Value::as_array) {
            if options
                .iter()
                .all(|option| option.as_str().is_some_and(|o| APPROVAL.contains(&o)))
            {
                let [approved, revise] = APPROVAL;
                return Value::from(if self.content.approves {
                    approved
                } else {
                    revise
                });
            }
            let at = self.draws.draw_below(path, options.len() as u64);
            return options.get(at as usize).cloned().unwrap_or(Value::Null);
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target = target
                .strip_prefix('#')
                .and_then(|at| self.root.pointer(at));
            return target.map_or(Value::Null, |to| self.fill_value(to, path, name, depth + 1));
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let first = schema.get(keyword).and_then(|options| options.get(0));
            if let Some(first) = first {
                return self.fill_value(first, path, name, depth + 1);
            }
        }
        match schema_type(schema) {
            "object" => self.fill_object(schema, path, depth),
            "array" => self.fill_array(schema, path, name, depth),
            "integer" => self.draw_integer(schema, path),
            "number" => self.draw_number(schema, path),
            "boolean" => Value::Bool(self.draws.draw_bool(path, 0.5)),
            "null" => Value::Null,
            _ => Value::String(self.write_string(schema)),
        }
    }

    fn fill_object(&self, schema: &Value, path: &str, depth: usize) -> Value {
        let mut object = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object);
        let citation =
            is_citation(schema).then(|| self.content.citable.cite_document(self.draws, path));
        for (name, property) in properties.into_iter().flatten() {
            if self.has_nothing_to_cite(property) && !is_required(schema, name) {
                continue;
            }
            let value = (self.content.fixed)(name)
                .or_else(|| citation_value(citation.as_ref(), name, self.resolve_schema(property)))
                .unwrap_or_else(|| {
                    self.fill_value(property, &format!("{path}/{name}"), name, depth + 1)
                });
            object.insert(name.clone(), value);
        }
        Value::Object(object)
    }

    /// Returns whether a schema asks for a citation while no document is in view.
    fn has_nothing_to_cite(&self, schema: &Value) -> bool {
        self.content.citable.is_empty() && is_citation(self.resolve_schema(schema))
    }

    /// Follows references and combinations to the schema that [`Filler::fill_value`] fills.
    fn resolve_schema<'b>(&'b self, schema: &'b Value) -> &'b Value {
        let mut schema = schema;
        for _ in 0..MAX_DEPTH {
            let target = schema.get("$ref").and_then(Value::as_str);
            let target = target.and_then(|to| self.root.pointer(to.strip_prefix('#')?));
            let keywords = ["anyOf", "oneOf", "allOf"];
            let first = || keywords.iter().find_map(|key| schema.get(key)?.get(0));
            match target.or_else(first) {
                Some(next) => schema = next,
                None => break,
            }
        }
        schema
    }

    /// Returns the answer in the type of an answer field; `None` for other fields.
    fn fill_answer(&self, schema: &Value, path: &str, name: &str) -> Option<Value> {
        let answer = self.content.answer?;
        let schema = self.resolve_schema(schema);
        if !ANSWER_FIELDS.contains(&name) {
            return None;
        }
        let is_right = |value: &Value| answer.not.as_deref() == Some(&answer_text(value));
        if let Some(options) = schema.get("enum").and_then(Value::as_array) {
            let is_same = |option: &&Value| answer_text(option) == answer.text.trim();
            let wrong_options: Vec<&Value> =
                options.iter().filter(|option| !is_right(option)).collect();
            let at = self.draws.draw_below(path, wrong_options.len() as u64) as usize;
            let other = || {
                answer
                    .not
                    .as_ref()
                    .and_then(|_| wrong_options.get(at).copied())
            };
            return options.iter().find(is_same).or_else(other).cloned();
        }
        let number = match schema_type(schema) {
            "string" => return Some(Value::String(clip_text(schema, &answer.text))),
            "integer" => Number::from(answer.text.trim().parse::<i64>().ok()?),
            "number" => Number::from_f64(answer.text.trim().parse().ok()?)?,
            _ => return None,
        };
        let bound = |key: &str| schema.get(key).filter(|bound| bound.is_number());
        let (least, most) = (bound("minimum"), bound("maximum"));
        let beyond = |bound: Option<&Value>, sign: f64| {
            let bound = bound.and_then(Value::as_f64);
            bound.is_some_and(|bound| number.as_f64().is_some_and(|n| n * sign > bound * sign))
        };
        // A wrong answer beyond the bounds becomes one of them that is wrong too.
        let inside = (beyond(least, -1.0) || beyond(most, 1.0))
            .then(|| [most, least].into_iter().flatten().find(|b| !is_right(b)))
            .flatten()
            .filter(|_| answer.not.is_some());
        Some(inside.cloned().unwrap_or(Value::Number(number)))
    }

    fn fill_array(&self, schema: &Value, path: &str, name: &str, depth: usize) -> Value {
        let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
        let item = schema.get("items").unwrap_or(&Value::Null);
        let default_count = u64::from(!self.has_nothing_to_cite(item));
        let least = bound("minItems").unwrap_or(0);
        let most = bound("maxItems").unwrap_or(u64::MAX);
        let count = least.max(default_count).min(most).min(MAX_ITEMS);
        let items =
            (0..count).map(|at| self.fill_value(item, &format!("{path}/{at}"), name, depth + 1));
        Value::Array(items.collect())
    }

    fn draw_integer(&self, schema: &Value, path: &str) -> Value {
        let (least, most) = number_bounds(schema, 10.0);
        let (least, most) = (least.ceil() as i64, most.floor() as i64);
        let span = most.saturating_sub(least).max(0).unsigned_abs();
        let offset = self.draws.draw_below(path, span.saturating_add(1));
        Value::from(least.saturating_add_unsigned(offset))
    }

    fn draw_number(&self, schema: &Value, path: &str) -> Value {
        let (least, most) = number_bounds(schema, 1.0);
        let number = least + (most - least).max(0.0) * self.draws.draw_uniform(path);
        // Two digits are what a model would write; rounding must not leave the bounds.
        let short_number = ((number * 100.0).round() / 100.0).clamp(least, most.max(least));
        Number::from_f64(short_number).map_or(Value::Null, Value::Number)
    }

    fn write_string(&self, schema: &Value) -> String {
        let FillContent { text, marker, .. } = self.content;
        let whole = format!("{text} {marker}");
        match max_chars(schema) {
            Some(most) if most < whole.chars().count() => {
                match most.checked_sub(marker.chars().count() + 1) {
                    Some(room) => format!("{} {marker}", first_chars(text, room)),
                    None => first_chars(text, most),
                }
            }
            Some(_) | None => whole,
        }
    }
}

fn is_citation(schema: &Value) -> bool {
    let properties = schema.get("properties");
    [DOCUMENT_FIELD, QUOTE_FIELD]
        .iter()
        .all(|field| properties.is_some_and(|properties| properties.get(field).is_some()))
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required_names = schema.get("required").and_then(Value::as_array);
    required_names.is_some_and(|required| required.iter().any(|field| field == name))
}

fn citation_value(citation: Option<&Citation>, name: &str, schema: &Value) -> Option<Value> {
    let citation = citation?;
    match name {
        DOCUMENT_FIELD => Some(Value::from(citation.document.clone())),
        QUOTE_FIELD => Some(Value::from(clip_text(schema, &citation.quote))),
        _ => None,
    }
}

/// Returns a value as the text of an answer.
fn answer_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

fn clip_text(schema: &Value, text: &str) -> String {
    max_chars(schema).map_or_else(|| text.to_owned(), |most| first_chars(text, most))
}

fn max_chars(schema: &Value) -> Option<usize> {
    let most = schema.get("maxLength").and_then(Value::as_u64)?;
    usize::try_from(most).ok()
}

fn first_chars(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn schema_type(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or("string"),
        Some(_) | None if schema.get("properties").is_some() => "object",
        Some(_) | None if schema.get("items").is_some() => "array",
        Some(_) | None => "string",
    }
}

fn number_bounds(schema: &Value, span: f64) -> (f64, f64) {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    match (bound("minimum"), bound("maximum")) {
        // Models rate themselves highly.
        (Some(least), Some(most)) => (least + (most - least) / 2.0, most),
        (Some(least), None) => (least, least + span),
        (None, Some(most)) => (most - span, most),
        (None, None) => (0.0, span),
    }
}
