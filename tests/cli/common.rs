//! What commands share: JSON for a terminal, short ids, and tables.

use elenchus::cli::common::{Column, ShortIds, clean_json, format_table};
use elenchus_text::{Keep, make_visible};

#[test]
fn json_that_is_made_harmless_says_the_same() {
    let value = serde_json::json!({"text": "a\u{202e}b\u{9b}c\u{7f}d\u{e0041}"});
    let line = value.to_string();
    let shown = clean_json(&line);
    assert_eq!(make_visible(&shown, Keep::Nothing), shown);
    let back: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(back, value);
}

fn shortened(ids: &[&str]) -> Vec<String> {
    let short = ShortIds::from_ids(ids.iter().copied());
    ids.iter().map(|id| short.shorten(id)).collect()
}

#[test]
fn short_ids_are_ends_that_name_one_session_each() {
    assert_eq!(
        shortened(&["aaaa111111", "aaaa222222"]),
        ["111111", "222222"]
    );
    assert_eq!(
        shortened(&["aa0abcdef", "bb1abcdef"]),
        ["0abcdef", "1abcdef"]
    );
    // The end of the first is the beginning of the second.
    assert_eq!(shortened(&["xxabcdef", "abcdefyy"]), ["xabcdef", "bcdefyy"]);
    assert_eq!(
        shortened(&["short", "longer-than-six"]),
        ["short", "an-six"]
    );
}

#[test]
fn a_table_fits_its_width_and_shows_hostile_text() {
    let rows = [["a", "\x1b[31mred topic that goes on"]];
    let columns: [Column<'_, [&str; 2]>; 2] = [
        ("ID", &|row| row[0].to_owned()),
        ("TOPIC", &|row| row[1].to_owned()),
    ];
    let text = format_table(rows, &columns, 20);
    assert_eq!(text, "ID  TOPIC\na   ␛[31mred topic …\n");
}
