//! Row shapes: rows of other tools that keep a topic one level deeper, made flat.
//!
//! promptfoo's tests, lm-eval's samples, lines of OpenAI's batches, exports of label tools.

use serde_json::{Map, Value};

use super::columns::{Columns, normalise_name};
use super::topic_draft::is_said;
use super::{ColumnChoice, TopicField};

/// Keys whose objects hold the topic, and keys of which one must be beside them or in them.
struct Nesting {
    key: &'static str,
    /// One of these stands beside it; none is asked for where the list is empty.
    sibling_keys: &'static [&'static str],
    /// One of these stands in it; none is asked for where the list is empty.
    inner_keys: &'static [&'static str],
}

const NESTINGS: &[Nesting] = &[
    // promptfoo's tests.
    Nesting {
        key: VARIABLES,
        sibling_keys: &[],
        inner_keys: &[],
    },
    // lm-eval's samples.
    Nesting {
        key: "doc",
        sibling_keys: &["doc_id", "target", "resps", "arguments"],
        inner_keys: &[],
    },
    // OpenAI's batches.
    Nesting {
        key: "body",
        sibling_keys: &[],
        inner_keys: &["messages", "input", "prompt"],
    },
    // Anthropic's batches.
    Nesting {
        key: "params",
        sibling_keys: &[],
        inner_keys: &["messages", "prompt"],
    },
    // Label Studio, Argilla.
    Nesting {
        key: "data",
        sibling_keys: &[],
        inner_keys: &[],
    },
    Nesting {
        key: "fields",
        sibling_keys: &[],
        inner_keys: &[],
    },
];

/// promptfoo's key of the variables of its prompts.
const VARIABLES: &str = "vars";
/// lm-eval's key of the right answer; elsewhere it is the opening of a compliant reply.
const TARGET: &str = "target";
/// lm-eval's key of the requests made of a sample.
const ARGUMENTS: &str = "arguments";

/// Returns a row with the keys of the object that holds its topic; what is deeper wins over what is around it.
pub(super) fn flatten_row(
    mut row: Map<String, Value>,
    columns: &Columns<'_>,
) -> Map<String, Value> {
    let has_topic = |row: &Map<String, Value>| {
        row.iter()
            .filter(|(_, value)| !value.is_null())
            .any(|(key, _)| {
                let field = columns.field_of(key).map(|(field, _)| field);
                matches!(field, Some(TopicField::Text | TopicField::Conversation))
            })
    };
    for nesting in NESTINGS {
        let any_of = |names: &[&str], map: &Map<String, Value>| {
            names.is_empty() || names.iter().any(|name| map.contains_key(*name))
        };
        let is_there = row
            .get(nesting.key)
            .and_then(Value::as_object)
            .is_some_and(|inner| {
                any_of(nesting.sibling_keys, &row) && any_of(nesting.inner_keys, inner)
            });
        if !is_there || has_topic(&row) {
            continue;
        }
        let Some(Value::Object(inner)) = row.remove(nesting.key) else {
            continue;
        };
        if nesting.key == VARIABLES
            && let Some(Value::Object(more)) = row.remove("metadata")
        {
            more.into_iter().for_each(|(key, value)| {
                row.entry(key).or_insert(value);
            });
        }
        let inner = match nesting.key == VARIABLES {
            true => with_only_text(inner, columns),
            false => inner,
        };
        let target = (nesting.key == "doc").then(|| row.remove(TARGET)).flatten();
        row.extend(inner);
        if let Some(target) = target {
            set_target(&mut row, target, columns.choice);
        }
        if nesting.key == "doc"
            && !has_topic(&row)
            && columns.guess_text_column(row.keys()).is_none()
            && let Some(prompt) = row.get(ARGUMENTS).and_then(first_text)
        {
            row.insert("prompt".to_owned(), Value::String(prompt));
        }
        break;
    }
    row
}

/// Returns the filter of a row of lm-eval's samples.
pub(super) fn filter_of_sample(row: &Map<String, Value>) -> Option<String> {
    let is_sample = row.contains_key("doc_id") && row.contains_key("doc");
    let filter = row.get("filter").and_then(Value::as_str);
    filter.filter(|_| is_sample).map(str::to_owned)
}

/// Calls the only variable of a test its prompt, where none has a name that is known.
fn with_only_text(variables: Map<String, Value>, columns: &Columns<'_>) -> Map<String, Value> {
    let is_known = |key: &String| {
        let field = columns.field_of(key).map(|(field, _)| field);
        matches!(field, Some(TopicField::Text | TopicField::Conversation))
    };
    let is_ignored = |key: &str| columns.choice.ignores_column(key);
    let mut texts = variables
        .iter()
        .filter(|(key, value)| value.is_string() && !is_ignored(key));
    let only = texts.next().filter(|_| texts.next().is_none());
    let only = only.map(|(key, _)| key.clone());
    let none_known = !variables.keys().any(is_known)
        && columns.guess_text_column(variables.keys()).is_none()
        && !columns.choice.has_field(TopicField::Text);
    let mut variables = variables;
    if none_known
        && let Some(key) = only
        && let Some(value) = variables.remove(&key)
    {
        variables.insert("prompt".to_owned(), value);
    }
    variables
}

/// Takes lm-eval's target as the answer where the sample's own row has none that is read.
fn set_target(row: &mut Map<String, Value>, target: Value, choice: &ColumnChoice) {
    let columns = Columns::from_choice(choice);
    let has_answer = row.keys().any(|key| {
        let field = columns.field_of(key).map(|(field, _)| field);
        matches!(field, Some(TopicField::Reference))
    });
    let is_plain = !matches!(target, Value::Array(_) | Value::Object(_) | Value::Null);
    if is_plain && !has_answer && !row.contains_key("label") {
        row.insert("reference".to_owned(), target);
    } else {
        row.entry(TARGET).or_insert(target);
    }
}

/// Returns the first text of nested lists and objects.
fn first_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => items.iter().find_map(first_text),
        Value::Object(map) => map.values().find_map(first_text),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Returns a value by its path of keys, `data.prompt`.
pub(super) fn find_by_path<'v>(row: &'v Map<String, Value>, path: &str) -> Option<&'v Value> {
    let mut keys = path.split('.');
    let mut value = row.get(keys.next()?)?;
    for key in keys {
        value = match value {
            Value::Object(map) => map.get(key)?,
            Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
        };
    }
    Some(value)
}

/// Says whether a value is a list of what was said, each with who said it.
pub(super) fn is_talk(value: &Value) -> bool {
    let items = value.as_array().filter(|items| !items.is_empty());
    items.is_some_and(|items| items.iter().all(is_said))
}

/// Returns the list of several in an object that holds its rows, by the usual names.
pub(super) fn list_of_rows<'k>(mut keys: impl Iterator<Item = &'k str> + Clone) -> Option<&'k str> {
    const LISTS: [&str; 6] = ["rows", "tests", "data", "examples", "samples", "instances"];
    let known_list = LISTS.iter().find_map(|list| {
        let mut keys = keys.clone();
        keys.find(|key| normalise_name(key) == *list)
    });
    known_list.or_else(|| {
        let only = keys.next();
        only.filter(|_| keys.next().is_none())
    })
}
