//! Names and texts as TOML writes them, for lines that a person pastes into a configuration.

use elenchus_text::safe_text::{Keep, make_visible};
use std::fmt::Write;

/// Returns a name as it is written between dots of a table's header.
pub fn format_key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match !name.is_empty() && name.chars().all(bare) {
        true => name.to_owned(),
        false => quote_text(name),
    }
}

/// Returns a text as a basic string: what a terminal would not show as it is becomes its number, so
/// that it can be printed, and copied from there.
pub fn quote_text(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for c in text.chars() {
        let mut bytes = [0; 4];
        let alone = c.encode_utf8(&mut bytes);
        let number = u32::from(c);
        // Writing to a string cannot fail.
        let _ = match c {
            '"' | '\\' => write!(literal, "\\{c}"),
            '\n' => write!(literal, "\\n"),
            '\t' => write!(literal, "\\t"),
            _ if make_visible(alone, Keep::Nothing) == *alone => write!(literal, "{c}"),
            _ if number <= 0xffff => write!(literal, "\\u{number:04X}"),
            _ => write!(literal, "\\U{number:08X}"),
        };
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_back(header: &str) -> (String, String) {
        let table: toml::Table = toml::from_str(header).unwrap();
        let (name, inner) = table.into_iter().next().unwrap();
        let text = inner["text"].as_str().unwrap().to_owned();
        (name, text)
    }

    proptest! {
        #[test]
        fn whatever_a_name_holds_is_read_back_and_can_be_shown(name in any::<String>()) {
            let lines = format!("[{}]\ntext = {}\n", format_key(&name), quote_text(&name));
            prop_assert_eq!(read_back(&lines), (name.clone(), name));
            let line = lines.replace('\n', "");
            prop_assert_eq!(make_visible(&line, Keep::Nothing), &*line);
        }
    }

    #[test]
    fn only_what_is_bare_is_not_quoted() {
        assert_eq!(format_key("gpt-4o_mini"), "gpt-4o_mini");
        assert_eq!(format_key("Qwen/Qwen3-8B"), "\"Qwen/Qwen3-8B\"");
        assert_eq!(format_key(""), "\"\"");
        assert_eq!(
            quote_text("a\"b\\c\u{1b}\u{202e}"),
            r#""a\"b\\c\u001B\u202E""#
        );
    }
}
