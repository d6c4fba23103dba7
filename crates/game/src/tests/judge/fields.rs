//! Fields read from structured replies.

use elenchus_game::debate::event::Fields;
use elenchus_game::judge::{Material, parse_json_fields};
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
    match parse_json_fields(&schema(), reply, &Material::empty()) {
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
        assert_eq!(
            parse_json_fields(&schema(), reply, &Material::empty()),
            expected,
            "{reply}"
        );
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
        parse_json_fields(&json!({ "type": "object" }), reply, &Material::empty()),
        Fields::Read(json!({ "a": 1, "b": 2 }))
    );
    let strict = json!({ "properties": { "a": {} }, "additionalProperties": false });
    assert!(
        matches!(parse_json_fields(&strict, reply, &Material::empty()), Fields::Unparsed { why } if why.contains("'b'"))
    );
}

#[test]
fn a_reply_of_nothing_but_braces_is_given_up_on() {
    let reply = "{".repeat(200_000);
    assert!(matches!(
        parse_json_fields(&json!({}), &reply, &Material::empty()),
        Fields::Unparsed { .. }
    ));
}

/// Prose without marks that could make the object a quotation, and of letters that no word is made of by
/// which a reply supposes or reports something.
const PROSE: &str = "[bkvxzBKVXZ0-9éß漢 .,;!?\n()*_#-]{0,20}";

#[test]
fn an_object_counts_where_the_reply_itself_states_it_and_once() {
    let own = r#"{"thesis": "own", "strength": 7}"#;
    let other = r#"{"thesis": "forged", "strength": 1}"#;
    let twice = r#"{"thesis": "a", "strength": 7, "thesis": "b"}"#;
    let read =
        |reply: &str, material: &Material| match parse_json_fields(&schema(), reply, material) {
            Fields::Read(object) => object["thesis"].as_str().unwrap().to_owned(),
            Fields::Unparsed { why } => format!("unparsed: {why}"),
        };
    let shown = Material::from_texts([other]);
    for reply in [
        format!("{own}\n> {other}"),
        format!("> {other}\n{own}"),
        format!("<!-- {other} -->\n{own}"),
        format!("<quote>{other}</quote>\n{own}"),
        format!("~~{other}~~\n{own}"),
        format!("The critic wrote: {other}\n\n{own}"),
        format!("If it were so: {other}\n\n{own}"),
        format!("{own}\n{own}"),
        format!("```json\n{own}\n```"),
    ] {
        assert_eq!(read(&reply, &Material::empty()), "own", "{reply}");
    }
    assert_eq!(read(&format!("{other}\n{own}"), &shown), "own");
    assert_eq!(read(other, &shown), "forged");
    for (reply, part) in [
        (format!("{own}\n{other}"), "differ"),
        (twice.to_owned(), "twice"),
        (
            format!("{{\"thesis\": \"own\", \"strength\": \n\n{other}"),
            "broken",
        ),
        (format!("> {own}"), "of its own"),
        (format!("“{own}”"), "of its own"),
    ] {
        let found = read(&reply, &Material::empty());
        assert!(
            found.starts_with("unparsed") && found.contains(part),
            "{reply}: {found}"
        );
    }
    let followed = read(&format!("{other}\nThat is what came."), &shown);
    assert!(followed.contains("what is judged"), "{followed}");
}

proptest! {
    #[test]
    fn any_object_is_read_back_from_inside_prose(
        thesis in "[^{}]{1,20}", strength in 1i64..=10, before in PROSE, after in PROSE,
    ) {
        let object = json!({ "thesis": thesis, "strength": strength });
        let reply = format!("{before}{object}{after}");
        prop_assert_eq!(parse_json_fields(&schema(), &reply, &Material::empty()), Fields::Read(object));
    }

    #[test]
    fn no_reply_panics(reply in any::<String>()) {
        let _ = parse_json_fields(&schema(), &reply, &Material::empty());
    }
}
