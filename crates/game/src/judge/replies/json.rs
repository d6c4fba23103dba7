//! Structured replies: extraction of the JSON object of a reply, and a small schema check.

use super::coerce::coerce_to_schema;
use super::material::Material;
use super::own_words::OwnWords;
use super::statement::{NoStatement, introduces_mention};
use super::verdict::quote_text;
use super::verdict_line::lowercase_words;
use crate::debate::event::Fields;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

/// Most positions in a reply at which an object is searched for.
const MAX_STARTS: usize = 64;
/// Deepest level of a schema that is checked.
pub(crate) const MAX_DEPTH: usize = 32;

/// Parses the fields of a structured reply.
///
/// The one JSON object that fits the schema counts, whatever surrounds it (prose, a code block);
/// several that fit must agree. What the reply only quotes is none, nor is an object with a key
/// twice. Supported keywords are `type` (a name or a list of names), `const`, `enum`, `required`,
/// `properties`, `additionalProperties: false`, `items`, `minimum`, `maximum`, `minItems`,
/// `maxItems` and `minLength`; others are ignored. `7.0` is an integer.
///
/// Text that states a number, a truth value or a value of an `enum` in another spelling is coerced.
pub fn parse_json_fields(schema: &Value, reply: &str, material: &Material) -> Fields {
    match choose_object(reply, material, |object| fit_to_schema(schema, object)) {
        Ok(object) => Fields::Read(object),
        Err(nothing) => Fields::Unparsed { why: nothing.why },
    }
}

/// Returns an object with its texts coerced to the schema.
///
/// # Errors
/// Says what does not fit.
pub(super) fn fit_to_schema(schema: &Value, object: Map<String, Value>) -> Result<Value, String> {
    let mut object = Value::Object(object);
    coerce_to_schema(schema, &mut object);
    match find_fault(schema, &object, "", 0) {
        None => Ok(object),
        Some(why) => Err(why),
    }
}

/// A fitting object of a reply.
struct Candidate {
    object: Value,
    is_repeated: bool,
    /// Nothing else stands on its lines, and no words follow.
    is_end: bool,
}

/// Chooses the object of a reply that fits; `fit` says what does not.
///
/// # Errors
/// Says why the reply states no object.
pub(super) fn choose_object(
    reply: &str,
    material: &Material,
    fit: impl Fn(Map<String, Value>) -> Result<Value, String>,
) -> Result<Value, NoStatement> {
    let own = OwnWords::from_reply(reply);
    let mut first_fault = None;
    let mut candidates = Vec::new();
    for placed in find_placed_objects(reply) {
        let Range { start, end } = placed.place;
        if !own.is_own(start) || introduces_object(reply, start) {
            continue;
        }
        let is_repeated = material.repeats_object(&placed.object);
        match fit(placed.object) {
            Ok(_) if placed.is_ambiguous => {
                return Err(NoStatement::new("a key stands twice in the JSON object"));
            }
            Ok(object) => candidates.push(Candidate {
                object,
                is_repeated,
                is_end: stands_alone_at_the_end(reply, start..end),
            }),
            Err(why) => {
                first_fault.get_or_insert(why);
            }
        }
    }
    let nothing = || {
        let none = || {
            format!(
                "the reply holds no JSON object of its own: {}",
                quote_text(reply)
            )
        };
        NoStatement::new(first_fault.unwrap_or_else(none))
    };
    let (repeated, fresh): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|one| one.is_repeated);
    let is_material = fresh.is_empty();
    let mut counting = if is_material { repeated } else { fresh };
    let Some(last) = counting.pop() else {
        return Err(nothing());
    };
    if counting.iter().any(|one| one.object != last.object) {
        let why = "several JSON objects of the reply fit, and they differ";
        return Err(match is_material {
            true => NoStatement::from_material(why),
            false => NoStatement::new(why),
        });
    }
    if is_material && !last.is_end {
        return Err(NoStatement::from_material(
            "the JSON object also stands in what is judged, and is not the end of the reply",
        ));
    }
    if holds_broken_object(reply, &own) {
        return Err(NoStatement::new(
            "a JSON object that is broken stands beside one that fits",
        ));
    }
    Ok(last.object)
}

/// Returns whether the words before an object say that it is none of the judge's.
fn introduces_object(reply: &str, start: usize) -> bool {
    let before = reply[..start]
        .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '~' | '*' | '>' | '-'));
    let before = before
        .strip_suffix("```json")
        .or(before.strip_suffix("json"))
        .unwrap_or(before);
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || c == '`');
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    introduces_mention(&before[line..])
}

fn stands_alone_at_the_end(reply: &str, place: Range<usize>) -> bool {
    let line = reply[..place.start].rfind('\n').map_or(0, |at| at + 1);
    lowercase_words(&reply[line..place.start]).is_empty()
        && lowercase_words(&reply[place.end..]).is_empty()
}

/// Returns whether an object begins in the judge's own words that cannot be parsed.
fn holds_broken_object(reply: &str, own: &OwnWords<'_>) -> bool {
    let whole: Vec<Range<usize>> = find_object_places(reply).collect();
    let mut starts = reply.match_indices('{').take(MAX_STARTS);
    starts.any(|(at, _)| {
        let begins = reply[at + 1..].trim_start().starts_with('"');
        begins && own.is_own(at) && !whole.iter().any(|object| object.contains(&at))
    })
}

/// Returns the first mismatch of a field's value with its schema.
pub(crate) fn find_misfit(schema: &Value, value: &Value, field: &str) -> Option<String> {
    let mut value = value.clone();
    coerce_to_schema(schema, &mut value);
    find_fault(schema, &value, field, 0)
}

/// An object with its place in a text.
struct Placed {
    object: Map<String, Value>,
    place: Range<usize>,
    /// A key stands twice in it or in an object within it: which one counts nobody can say.
    is_ambiguous: bool,
}

/// Returns the JSON objects of a text in their order, without nested ones.
pub(crate) fn find_objects(text: &str) -> impl Iterator<Item = Map<String, Value>> {
    find_placed_objects(text).map(|placed| placed.object)
}

/// Returns the places of the JSON objects of a text in their order, without nested ones.
pub(super) fn find_object_places(text: &str) -> impl Iterator<Item = Range<usize>> {
    find_placed_objects(text).map(|placed| placed.place)
}

fn find_placed_objects(text: &str) -> impl Iterator<Item = Placed> {
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
                return Some(Placed {
                    object,
                    place: start..from,
                    is_ambiguous: serde_json::from_str::<UniqueKeys>(&text[start..from]).is_err(),
                });
            }
            from = start + 1;
        }
        None
    })
}

/// A value in whose objects no key stands twice. `serde_json` itself takes the last one in silence.
struct UniqueKeys;

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueKeys)
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = UniqueKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<UniqueKeys>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if !keys.insert(key) {
                return Err(serde::de::Error::custom("a key stands twice"));
            }
            entries.next_value::<UniqueKeys>()?;
        }
        Ok(self)
    }
}

/// Returns the first mismatch of a value with a schema, with its path.
fn find_fault(schema: &Value, value: &Value, path: &str, depth: usize) -> Option<String> {
    let schema = schema.as_object().filter(|_| depth <= MAX_DEPTH)?;
    own_fault(schema, value)
        .map(|why| format!("{} {why}", describe_path(path)))
        .or_else(|| object_fault(schema, value, path, depth))
        .or_else(|| array_fault(schema, value, path, depth))
}

fn describe_path(path: &str) -> String {
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
    if let Some(constant) = schema
        .get("const")
        .filter(|wanted| !is_same_value(wanted, value))
    {
        return Some(format!("is not {constant}"));
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.iter().any(|one| is_same_value(one, value))
    {
        let options: Vec<String> = allowed.iter().map(Value::to_string).collect();
        return Some(format!("is none of {}", options.join(", ")));
    }
    if let Some(actual) = value.as_f64() {
        if let Some(least) = number("minimum").filter(|least| actual < *least) {
            return Some(format!("is below {least}"));
        }
        if let Some(most) = number("maximum").filter(|most| actual > *most) {
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
    let required_keys = schema.get("required").and_then(Value::as_array);
    let missing = required_keys
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find(|key| !object.contains_key(*key));
    if let Some(key) = missing {
        return Some(format!("'{}' is missing", below(key)));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        let is_known_key = |key: &String| properties.is_some_and(|known| known.contains_key(key));
        if let Some(odd) = object.keys().find(|key| !is_known_key(key)) {
            return Some(format!("'{}' is not a field of the schema", below(odd)));
        }
    }
    properties.into_iter().flatten().find_map(|(key, schema)| {
        let inner = object.get(key)?;
        find_fault(schema, inner, &below(key), depth + 1)
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
        find_fault(schema, item, &format!("{path}{dot}{at}"), depth + 1)
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

pub(crate) fn is_same_value(a: &Value, b: &Value) -> bool {
    a == b || a.as_f64().is_some_and(|number| b.as_f64() == Some(number))
}
