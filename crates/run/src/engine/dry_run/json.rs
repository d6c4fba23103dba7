//! JSON schemas and structured replies, as far as a dry run needs them.

/// Counts the texts that a schema asks for.
pub(super) fn count_texts(schema: &serde_json::Value) -> u64 {
    match schema {
        serde_json::Value::Object(parts) => {
            let kind = parts.get("type");
            let first = kind.and_then(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
            u64::from(first == Some("string")) + parts.values().map(count_texts).sum::<u64>()
        }
        serde_json::Value::Array(items) => items.iter().map(count_texts).sum(),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::String(_) => 0,
    }
}

/// Puts a number at a dotted path; of two rules on one field the lower number wins.
pub(super) fn put_number(
    into: &mut serde_json::Map<String, serde_json::Value>,
    path: &str,
    value: f64,
) {
    match path.split_once('.') {
        None => {
            let old_value = into.get(path).and_then(serde_json::Value::as_f64);
            let lower = old_value.map_or(value, |known| known.min(value));
            into.insert(path.to_owned(), lower.into());
        }
        Some((first, rest)) => {
            let inner = into
                .entry(first)
                .or_insert_with(|| serde_json::Value::Object(serde_json::Map::new()));
            if let Some(inner) = inner.as_object_mut() {
                put_number(inner, rest, value);
            }
        }
    }
}
