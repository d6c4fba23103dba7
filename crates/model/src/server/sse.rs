//! Parser of server-sent events as servers really send them; it hands clean events to a strict
//! parser.
//!
//! Pure. Its memory is bounded by the caller, who bounds the bytes it is given; its time is linear in
//! them, however they are cut.

use super::json_progress::{JsonProgress, JsonState};
use serde_json::{Value, json};

/// Bytes of a body's beginning that are kept for error messages.
const HEAD_BYTES: usize = 1024;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// An item parsed from a body.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SseItem {
    /// The data of one event, on one line.
    Event(String),
    /// `[DONE]`.
    Done,
    /// The body is a web page.
    Html,
    /// The body is one JSON document, which follows as an event.
    Whole,
}

/// Cuts a body into events.
///
/// Accepts LF, CRLF and CR; comments; a last event without an empty line after it; events without
/// empty lines between them; characters cut anywhere; invalid UTF-8 (replaced); one JSON document
/// instead of a stream.
#[derive(Debug, Default)]
pub(super) struct SseParser {
    shape: BodyShape,
    head: Vec<u8>,
    /// Bytes of a line, or of the document, that is not complete.
    buffer: Vec<u8>,
    /// Length of the part of `buffer` that holds no line end, or, before the shape is known, only white
    /// space.
    searched_length: usize,
    /// A CR ended the last line: an LF that follows belongs to it.
    after_cr: bool,
    event: String,
    data: Option<String>,
    /// What the lines of `data` make so far.
    progress: JsonProgress,
    is_complete: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum BodyShape {
    #[default]
    Unknown,
    Events,
    Document,
}

impl SseParser {
    /// Reads the next bytes.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Vec<SseItem> {
        let room = HEAD_BYTES.saturating_sub(self.head.len());
        self.head.extend_from_slice(&bytes[..room.min(bytes.len())]);
        self.buffer.extend_from_slice(bytes);
        let mut pieces = Vec::new();
        if self.shape == BodyShape::Unknown {
            self.detect_shape(&mut pieces);
        }
        match self.shape {
            BodyShape::Events => self.parse_lines(&mut pieces),
            BodyShape::Unknown | BodyShape::Document => {}
        }
        pieces
    }

    /// Ends the body.
    pub fn finish(&mut self) -> Vec<SseItem> {
        let mut pieces = Vec::new();
        let rest = std::mem::take(&mut self.buffer);
        self.searched_length = 0;
        match self.shape {
            BodyShape::Unknown => {}
            BodyShape::Document => {
                pieces.push(SseItem::Whole);
                pieces.push(SseItem::Event(join_lines(&String::from_utf8_lossy(&rest))));
            }
            BodyShape::Events => {
                if !rest.is_empty() {
                    self.parse_line(&String::from_utf8_lossy(&rest), &mut pieces);
                }
                self.dispatch_event(&mut pieces);
            }
        }
        pieces
    }

    /// Returns the first bytes of the body.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    fn detect_shape(&mut self, pieces: &mut Vec<SseItem>) {
        if BYTE_ORDER_MARK.starts_with(&self.buffer) && self.buffer.len() < BYTE_ORDER_MARK.len() {
            return;
        }
        if self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.buffer.drain(..BYTE_ORDER_MARK.len());
        }
        let new_bytes = &self.buffer[self.searched_length..];
        let Some(first) = new_bytes.iter().find(|byte| !byte.is_ascii_whitespace()) else {
            self.searched_length = self.buffer.len();
            return;
        };
        self.shape = match first {
            b'{' | b'[' => BodyShape::Document,
            b'<' => {
                pieces.push(SseItem::Html);
                BodyShape::Document
            }
            _ => BodyShape::Events,
        };
        self.searched_length = 0;
    }

    fn parse_lines(&mut self, pieces: &mut Vec<SseItem>) {
        let buffer = std::mem::take(&mut self.buffer);
        let mut start = 0;
        let mut at = self.searched_length;
        while let Some(offset) = buffer[at..].iter().position(|b| matches!(b, b'\n' | b'\r')) {
            let end = at + offset;
            let belongs_to_cr = self.after_cr && end == start && buffer[end] == b'\n';
            self.after_cr = buffer[end] == b'\r';
            if !belongs_to_cr {
                self.parse_line(&String::from_utf8_lossy(&buffer[start..end]), pieces);
            }
            start = end + 1;
            at = start;
        }
        if start < buffer.len() {
            self.after_cr = false;
        }
        self.buffer = buffer;
        // Nothing is moved where no line ended: a long line comes in many pieces.
        self.buffer.drain(..start);
        self.searched_length = self.buffer.len();
    }

    fn parse_line(&mut self, line: &str, pieces: &mut Vec<SseItem>) {
        if line.is_empty() {
            return self.dispatch_event(pieces);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field.trim_start() {
            "event" => value.trim().clone_into(&mut self.event),
            "data" => self.add_data(value, pieces),
            // Comments (no name before the colon), ids, retry times, garbage.
            _ => {}
        }
    }

    fn add_data(&mut self, value: &str, pieces: &mut Vec<SseItem>) {
        if self.is_complete {
            self.dispatch_event(pieces);
        }
        let data = match &mut self.data {
            None => self.data.insert(value.to_owned()),
            Some(data) => {
                data.push('\n');
                data.push_str(value);
                data
            }
        };
        self.is_complete = self.progress.add_line(value, data) == JsonState::Complete;
    }

    fn dispatch_event(&mut self, pieces: &mut Vec<SseItem>) {
        let event = std::mem::take(&mut self.event);
        self.progress = JsonProgress::default();
        self.is_complete = false;
        let Some(data) = self.data.take() else {
            return;
        };
        let data = data.trim();
        if data == "[DONE]" {
            pieces.push(SseItem::Done);
        } else if event == "error" {
            pieces.push(SseItem::Event(wrap_as_error(data)));
        } else if !data.is_empty() {
            pieces.push(SseItem::Event(join_lines(data)));
        }
    }
}

/// Line ends in JSON are white space: inside strings they would have to be escaped.
fn join_lines(data: &str) -> String {
    data.replace(['\n', '\r'], " ")
}

fn wrap_as_error(data: &str) -> String {
    match serde_json::from_str::<Value>(data) {
        Ok(Value::Object(fields)) if fields.contains_key("error") => join_lines(data),
        Ok(value) => json!({ "error": value }).to_string(),
        Err(_) => json!({ "error": data }).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clean(chunks: &[&[u8]]) -> Vec<SseItem> {
        let mut cleaner = SseParser::default();
        let mut pieces: Vec<SseItem> = chunks.iter().flat_map(|c| cleaner.push_bytes(c)).collect();
        pieces.extend(cleaner.finish());
        pieces
    }

    fn events(texts: &[&str]) -> Vec<SseItem> {
        texts.iter().map(|t| SseItem::Event((*t).into())).collect()
    }

    #[test]
    fn every_kind_of_line_end_gives_the_same_events() {
        for end in ["\n", "\r\n", "\r"] {
            let body = format!(": hello{end}data: 1{end}{end}data: 2{end}{end}");
            assert_eq!(clean(&[body.as_bytes()]), events(&["1", "2"]), "{end:?}");
        }
    }

    #[test]
    fn events_without_empty_lines_between_or_after_them_are_kept_apart() {
        assert_eq!(
            clean(&[b"data: {}\ndata: {\"a\":1}"]),
            events(&["{}", "{\"a\":1}"])
        );
    }

    #[test]
    fn a_document_over_several_data_lines_is_put_together() {
        assert_eq!(clean(&[b"data: {\ndata: }\n\n"]), events(&["{ }"]));
    }

    #[test]
    fn an_error_event_says_error_in_its_data() {
        let pieces = clean(&[b"event: error\ndata: {\"message\":\"no\"}\n\n"]);
        assert_eq!(pieces, events(&["{\"error\":{\"message\":\"no\"}}"]));
    }

    /// Pieces as they come from a socket; a quadratic parser would take hours for these bodies.
    fn in_pieces(body: &[u8]) -> Vec<SseItem> {
        let chunks: Vec<&[u8]> = body.chunks(64).collect();
        clean(&chunks)
    }

    #[test]
    fn a_line_of_15_mib_in_small_pieces_is_one_event() {
        let body = format!("data: \"{}\"\n\n", "x".repeat(15 << 20));
        assert_eq!(in_pieces(body.as_bytes()).len(), 1);
    }

    #[test]
    fn a_document_of_many_lines_is_one_event() {
        let lines = "data: [1,\ndata: [\ndata: 0],\n".repeat(100_000);
        let body = format!("{lines}\n");
        assert_eq!(in_pieces(body.as_bytes()).len(), 1);
    }

    #[test]
    fn white_space_before_a_document_is_read_once() {
        let body = format!("{}{{}}", " ".repeat(15 << 20));
        assert_eq!(in_pieces(body.as_bytes()).len(), 2);
    }

    proptest! {
        #[test]
        fn cutting_the_bytes_anywhere_changes_nothing(
            body in "(\u{feff})?((data: ?|: |event: |x)[a{}é👍\\[\\]]{0,6}(\n|\r\n|\r){1,3}){0,6}",
            cuts in proptest::collection::vec(0usize..80, 0..6),
        ) {
            let bytes = body.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut start = 0;
            for cut in cuts {
                chunks.push(&bytes[start..cut]);
                start = cut;
            }
            chunks.push(&bytes[start..]);
            prop_assert_eq!(clean(&chunks), clean(&[bytes]));
        }
    }
}
