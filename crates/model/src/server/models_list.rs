//! A server's list of models, in the shapes in use: names, and contexts where it says them. Pure.

use serde_json::Value;

/// Fields of an entry that hold the model's name.
const NAMES: [&str; 3] = ["id", "name", "model"];
/// Fields of a list that hold its entries.
const ENTRIES: [&str; 2] = ["data", "models"];
/// Fields of an entry that say how many tokens request and reply may have together. What a model was
/// trained with is none of them: its server may be started with less.
const CONTEXTS: [&str; 22] = [
    "/max_model_len",
    "/context_length",
    "/context_window",
    "/context_size",
    "/context_len",
    "/context_tokens",
    "/contextLength",
    "/max_context_length",
    "/max_context_tokens",
    "/max_seq_len",
    "/max_sequence_length",
    "/loaded_context_length",
    "/max_input_tokens",
    "/inputTokenLimit",
    "/input_token_limit",
    "/n_ctx",
    "/meta/n_ctx",
    "/metadata/context_length",
    "/details/context_length",
    "/limits/max_context_length",
    "/limits/max_input_tokens",
    "/top_provider/context_length",
];
/// A smaller number is no context.
const LEAST_CONTEXT: u64 = 128;

/// A model as its server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    pub name: String,
    /// The most tokens of request and reply together, where the list says it; the smallest of several.
    pub context_tokens: Option<u32>,
}

/// Reads `{"data":[{"id":…}]}`, `{"models":[…]}`, or a bare list of entries or names; `None` where it is
/// no list.
pub(super) fn parse_models_list(list: &Value) -> Option<Vec<ListedModel>> {
    let entries = match list {
        Value::Array(entries) => entries,
        other => ENTRIES
            .iter()
            .find_map(|field| other.get(field)?.as_array())?,
    };
    let models = entries.iter().filter_map(|entry| {
        let name = match entry {
            Value::String(name) => name,
            other => NAMES.iter().find_map(|field| match other.get(field) {
                Some(Value::String(name)) => Some(name),
                Some(_) | None => None,
            })?,
        };
        Some(ListedModel {
            name: name.clone(),
            context_tokens: find_context_tokens(entry),
        })
    });
    Some(models.collect())
}

fn find_context_tokens(entry: &Value) -> Option<u32> {
    let context_values = CONTEXTS.iter().filter_map(|path| {
        let value = entry.pointer(path)?;
        let tokens = value
            .as_u64()
            .or_else(|| value.as_str()?.trim().parse().ok())?;
        u32::try_from(tokens)
            .ok()
            .filter(|_| tokens >= LEAST_CONTEXT)
    });
    context_values.min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(listed: &Value) -> Option<Vec<String>> {
        Some(
            parse_models_list(listed)?
                .into_iter()
                .map(|model| model.name)
                .collect(),
        )
    }

    #[test]
    fn lists_are_read_in_all_shapes_in_use() {
        let lists = [
            json!({"object": "list", "data": [{"id": "a"}, {"id": "b"}]}),
            json!([{"id": "a"}, {"name": "b"}]),
            json!(["a", "b"]),
            json!({"models": [{"model": "a"}, {"id": 7}, {"name": "b"}]}),
        ];
        for list in lists {
            assert_eq!(
                names(&list),
                Some(vec!["a".to_owned(), "b".to_owned()]),
                "{list}"
            );
        }
        for none in [json!({"error": "no"}), json!("a"), json!({"data": null})] {
            assert_eq!(names(&none), None, "{none}");
        }
    }

    #[test]
    fn a_context_is_the_smallest_that_an_entry_names() {
        let context = |entry: Value| parse_models_list(&json!([entry])).unwrap()[0].context_tokens;
        assert_eq!(
            context(json!({"id": "a", "max_model_len": 4096})),
            Some(4096)
        );
        assert_eq!(
            context(json!({"id": "a", "context_window": "8192"})),
            Some(8192)
        );
        let loaded =
            json!({"id": "a", "max_context_length": 131_072, "loaded_context_length": 4096});
        assert_eq!(context(loaded), Some(4096));
        let trained = json!({"id": "a", "meta": {"n_ctx_train": 131_072}});
        assert_eq!(context(trained), None);
        assert_eq!(context(json!({"id": "a", "context_length": 0})), None);
        assert_eq!(context(json!("a")), None);
    }
}
