//! Progress of a JSON document that arrives in pieces, one line after another.
//!
//! Every byte is looked at once, and the document is parsed once, where its brackets close: asking a
//! parser after each line would take quadratic time.

use serde::de::IgnoredAny;

/// What the lines so far make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonState {
    /// More lines could make it a document.
    Open,
    /// It is a document, or `[DONE]`.
    Complete,
    /// No further line can make it a document.
    Never,
}

/// Brackets and quotes of the lines so far.
#[derive(Debug, Default)]
pub(super) struct JsonProgress {
    depth: usize,
    is_invalid: bool,
}

impl JsonProgress {
    /// Takes the next line; `text` is all lines so far, this one included.
    pub(super) fn add_line(&mut self, line: &str, text: &str) -> JsonState {
        self.is_invalid |= !self.count_brackets(line);
        if self.is_invalid {
            return JsonState::Never;
        }
        if self.depth > 0 || text.trim_ascii().is_empty() {
            return JsonState::Open;
        }
        if text.trim() == "[DONE]" || serde_json::from_str::<IgnoredAny>(text).is_ok() {
            return JsonState::Complete;
        }
        self.is_invalid = true;
        JsonState::Never
    }

    /// Counts brackets outside of strings; false where more are closed than opened, or a string goes
    /// on at the end of the line.
    fn count_brackets(&mut self, line: &str) -> bool {
        let mut in_string = false;
        let mut bytes = line.bytes();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => in_string = !in_string,
                // The next byte is escaped, whatever it is.
                b'\\' if in_string => drop(bytes.next()),
                b'{' | b'[' if !in_string => self.depth += 1,
                b'}' | b']' if !in_string => match self.depth.checked_sub(1) {
                    Some(depth) => self.depth = depth,
                    None => return false,
                },
                _ => {}
            }
        }
        !in_string
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn states(lines: &[&str]) -> Vec<JsonState> {
        let mut progress = JsonProgress::default();
        let mut text = String::new();
        let mut states = Vec::new();
        for line in lines {
            if !states.is_empty() {
                text.push('\n');
            }
            text.push_str(line);
            states.push(progress.add_line(line, &text));
        }
        states
    }

    #[test]
    fn a_document_is_complete_where_its_brackets_close() {
        use JsonState::{Complete, Never, Open};
        assert_eq!(
            states(&["{", r#""a}": "\"}""#, "}"]),
            [Open, Open, Complete]
        );
        assert_eq!(states(&["[DONE]"]), [Complete]);
        assert_eq!(states(&["", "1"]), [Open, Complete]);
        assert_eq!(states(&["{} x", "{}"]), [Never, Never]);
        assert_eq!(states(&["\"a", "\""]), [Never, Never]);
        assert_eq!(states(&["}", "{}"]), [Never, Never]);
    }

    proptest! {
        #[test]
        fn it_is_complete_exactly_where_a_parser_says_so(
            lines in proptest::collection::vec("[\\[\\]{}\",:\\\\ a1]{0,8}", 1..6),
        ) {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let states = states(&lines);
            for (at, state) in states.iter().enumerate() {
                let text = lines[..=at].join("\n");
                let parsed = serde_json::from_str::<IgnoredAny>(&text).is_ok();
                prop_assert_eq!(parsed, *state == JsonState::Complete, "{:?}", text);
                if *state != JsonState::Open {
                    break;
                }
            }
        }
    }
}
