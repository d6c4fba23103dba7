//! Schemas that are sent as strict.

use super::harness::asked;
use crate::ReplyForm;
use serde_json::json;

#[test]
fn a_schema_is_called_strict_only_where_each_object_is_closed_and_asks_for_all_it_names() {
    let strict = |schema: serde_json::Value| {
        let mut request = asked();
        request.form = Some(ReplyForm::Schema(schema));
        request.build_body()["response_format"]["json_schema"]["strict"].clone()
    };
    let closed = json!({
        "type": "object",
        "properties": { "a": { "type": "array", "items": {
            "type": "object", "properties": { "b": { "type": "string" } },
            "required": ["b"], "additionalProperties": false,
        } } },
        "required": ["a"],
        "additionalProperties": false,
    });
    assert_eq!(strict(closed.clone()), json!(true));
    for at in ["/required", "/properties/a/items/required"] {
        let mut loose = closed.clone();
        *loose.pointer_mut(at).unwrap() = json!([]);
        assert_eq!(strict(loose), json!(false), "{at}");
    }
    for at in [
        "/additionalProperties",
        "/properties/a/items/additionalProperties",
    ] {
        let mut open = closed.clone();
        *open.pointer_mut(at).unwrap() = json!(true);
        assert_eq!(strict(open), json!(false), "{at}");
    }
    assert_eq!(strict(json!({ "type": "object" })), json!(false));
}
