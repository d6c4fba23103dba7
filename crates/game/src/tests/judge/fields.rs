//! Fields read from structured replies.

use elenchus_game::debate::event::Fields;
use elenchus_game::judge::fields;
use proptest::prelude::*;
use serde_json::{Value, json};

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["thesis", "strength"],
        "properties": {
            "thesis": { "type": "string", "minLength": 1 },
            "strength": { "type": "integer", "minimum": 1, "maximum": 10 },
            "level": { "enum": ["HIGH", "LOW"] },
            "points": {
                "type": "array",
                "maxItems": 2,
                "items": { "type": "object", "required": ["claim"] }
            },
            "note": { "type": ["string", "null"] }
        }
    })
}

fn why(reply: &str) -> String {
    match fields(&schema(), reply) {
        Fields::Unparsed { why } => why,
        Fields::Read(value) => panic!("read {value}"),
    }
}

#[test]
fn an_object_is_found_amid_prose_fences_and_other_braces() {
    let expected = Fields::Read(json!({ "thesis": "x", "strength": 7 }));
    for reply in [
        r#"{"thesis":"x","strength":7}"#,
        "```json\n{\"thesis\":\"x\",\n \"strength\":7}\n```",
        "Sure {as asked}: {\"thesis\":\"x\",\"strength\":7} and that is it }",
        "An example: {\"strength\": 11}\nMine: {\"thesis\":\"x\",\"strength\":7}",
    ] {
        assert_eq!(fields(&schema(), reply), expected, "{reply}");
    }
}

#[test]
fn what_does_not_fit_is_named_with_its_path() {
    for (reply, part) in [
        ("no object here", "no JSON object"),
        ("{\"thesis\": \"x\", \"strength\": 7", "no JSON object"),
        (r#"{"thesis":"x"}"#, "'strength' is missing"),
        (
            r#"{"thesis":3,"strength":7}"#,
            "'thesis' is not of type string",
        ),
        (r#"{"thesis":"","strength":7}"#, "'thesis' is shorter"),
        (
            r#"{"thesis":"x","strength":"seven"}"#,
            "'strength' is not of type integer",
        ),
        (
            r#"{"thesis":"x","strength":7.5}"#,
            "'strength' is not of type integer",
        ),
        (r#"{"thesis":"x","strength":0}"#, "'strength' is below 1"),
        (r#"{"thesis":"x","strength":11}"#, "'strength' is above 10"),
        (
            r#"{"thesis":"x","strength":7,"level":"MID"}"#,
            "'level' is none of",
        ),
        (
            r#"{"thesis":"x","strength":7,"points":[{"claim":1},{}]}"#,
            "'points.1.claim' is missing",
        ),
        (
            r#"{"thesis":"x","strength":7,"points":[{},{},{}]}"#,
            "more than 2",
        ),
        (r#"{"thesis":"x","strength":7,"note":4}"#, "string or null"),
    ] {
        assert!(why(reply).contains(part), "{reply}: {}", why(reply));
    }
}

#[test]
fn fields_that_the_schema_does_not_name_are_kept_unless_it_forbids_them() {
    let reply = r#"{"a":1,"b":2}"#;
    assert_eq!(
        fields(&json!({ "type": "object" }), reply),
        Fields::Read(json!({ "a": 1, "b": 2 }))
    );
    let strict = json!({ "properties": { "a": {} }, "additionalProperties": false });
    assert!(matches!(fields(&strict, reply), Fields::Unparsed { why } if why.contains("'b'")));
}

#[test]
fn a_reply_of_nothing_but_braces_is_given_up_on() {
    let reply = "{".repeat(200_000);
    assert!(matches!(
        fields(&json!({}), &reply),
        Fields::Unparsed { .. }
    ));
}

proptest! {
    #[test]
    fn any_object_is_read_back_from_inside_prose(
        thesis in "[^{}]{1,20}", strength in 1i64..=10, before in "[^{]{0,20}", after in ".{0,20}",
    ) {
        let object = json!({ "thesis": thesis, "strength": strength });
        let reply = format!("{before}{object}{after}");
        prop_assert_eq!(fields(&schema(), &reply), Fields::Read(object));
    }

    #[test]
    fn no_reply_panics(reply in any::<String>()) {
        let _ = fields(&schema(), &reply);
    }
}
