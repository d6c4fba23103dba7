//! JSON rows with their line numbers, from JSON Lines, a JSON array, or an object around one.

use std::collections::HashSet;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::collector::Collector;
use super::columns::{field_of, kind_of};
use super::json_scan::{JsonPieces, LineIndex, line_of, member};
use super::load::oversized;
use super::quality;
use super::topic_draft::{TopicDraft, conversation, reason, shortened};
use super::{DatasetFormat, DatasetKind, TopicField};

/// Number of lines that are read to distinguish JSON Lines from a broken JSON array.
const LINES_LOOKED_AT: usize = 20;

/// The bytes of a row and the line on which it begins.
struct JsonRow<'a> {
    line: u64,
    bytes: &'a [u8],
}

/// A JSON file, divided into rows that are not parsed yet.
pub(super) struct JsonRows<'a> {
    pub format: DatasetFormat,
    rows: Vec<JsonRow<'a>>,
    notes: Vec<(u64, String)>,
    broken: Vec<(u64, String)>,
}

impl<'a> JsonRows<'a> {
    /// Divides a file into rows.
    pub fn read(kind: Option<DatasetKind>, bytes: &'a [u8]) -> JsonRows<'a> {
        let start = bytes.len() - bytes.trim_ascii_start().len();
        let one_value = serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
        match bytes.get(start) {
            Some(b'{') if one_value => JsonRows::object(bytes, start),
            Some(b'{') if kind != Some(DatasetKind::CoSafe) && !has_object_line(bytes) => {
                JsonRows::broken(bytes, start)
            }
            Some(b'[') if one_value && is_conversation(&bytes[start..]) => {
                JsonRows::single(bytes, start)
            }
            Some(b'[') if one_value => JsonRows::array(bytes, start),
            Some(b'[') if kind != Some(DatasetKind::CoSafe) && !has_conversation_line(bytes) => {
                JsonRows::array(bytes, start)
            }
            _ => JsonRows::lines(bytes),
        }
    }

    /// Returns how many rows there are.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether any row can be parsed.
    pub(super) fn has_any(&self) -> bool {
        self.rows.iter().any(|row| parsed(row.bytes).is_ok())
    }

    /// Returns the kind of dataset, from the first row that can be parsed.
    pub fn kind(&self) -> DatasetKind {
        let mut parsed = self.rows.iter().filter_map(|row| parsed(row.bytes).ok());
        match parsed.next() {
            Some(Value::Array(_)) => DatasetKind::CoSafe,
            Some(Value::Object(map)) => {
                // TriviaQA is recognised by the keys of its answers.
                let answers = map
                    .iter()
                    .filter(|(key, _)| key.eq_ignore_ascii_case("answer"))
                    .filter_map(|(_, answer)| answer.as_object());
                let within = answers.flat_map(|answer| answer.keys());
                kind_of(map.keys().chain(within).map(String::as_str))
            }
            Some(_) | None => DatasetKind::Own,
        }
    }

    /// Adds the rows as topics; returns the field of each key, in order of appearance.
    pub fn collect(self, kind: DatasetKind, into: &mut Collector<'_>) -> Vec<(String, TopicField)> {
        let mut keys = RowKeys::default();
        keys.collect(self, kind, into);
        keys.columns
    }

    /// Divides a piece of a list, of JSON Lines or of an array, of which more follows. Returns how many
    /// bytes the rows take that are whole.
    pub(super) fn piece(format: DatasetFormat, bytes: &'a [u8], open: usize) -> (Self, PieceTaken) {
        match format {
            DatasetFormat::JsonArray => {
                let pieces = JsonPieces::between(bytes, open);
                let mut line = LineIndex::new(bytes);
                let rows = pieces.found.iter().map(|(at, piece)| JsonRow {
                    line: line.at(*at),
                    bytes: piece,
                });
                let mut rows = JsonRows::of(format, rows.collect());
                let taken = match pieces.end {
                    Some(end) => PieceTaken::Last(end + 1),
                    None => {
                        rows.rows.pop();
                        PieceTaken::Of(pieces.found.last().map_or(0, |(at, _)| *at))
                    }
                };
                (rows, taken)
            }
            DatasetFormat::Table
            | DatasetFormat::JsonLines
            | DatasetFormat::PlainText
            | DatasetFormat::Folder => {
                let whole = whole_lines(bytes);
                let lines = bytes.get(..whole).unwrap_or_default();
                (JsonRows::lines(lines), PieceTaken::Of(whole))
            }
        }
    }

    /// Divides the last piece of an array, which may lack its end.
    pub(super) fn last_of_array(bytes: &'a [u8], open: usize) -> (Self, PieceTaken) {
        (Self::array(bytes, open), PieceTaken::Of(bytes.len()))
    }

    /// Counts lines from the beginning of the file, where this is a piece of it.
    pub(super) fn after_lines(mut self, lines: u64) -> Self {
        for row in &mut self.rows {
            row.line += lines;
        }
        for (line, _) in self.broken.iter_mut().chain(&mut self.notes) {
            *line += lines;
        }
        self
    }
}

/// How much of a piece was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceTaken {
    /// So many bytes; the rest belongs to the next piece.
    Of(usize),
    /// So many bytes, and the list ends with them.
    Last(usize),
}

/// Returns how many bytes of a piece are lines that are whole.
pub(super) fn whole_lines(bytes: &[u8]) -> usize {
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    end.map_or(0, |end| end + 1)
}

/// Returns where the list of rows opens that a file begins with: an array, or an object around one. The
/// name of the list is returned for an object.
pub(super) fn open_list(bytes: &[u8]) -> Option<(usize, Option<String>)> {
    let start = bytes.len() - bytes.trim_ascii_start().len();
    match bytes.get(start) {
        Some(b'[') => Some((start, None)),
        Some(b'{') => {
            let pieces = JsonPieces::between(bytes, start);
            let members = pieces
                .found
                .iter()
                .filter_map(|(at, piece)| member(piece).map(|(key, value)| (key, at + value)));
            let mut lists = members.filter(|(_, at)| bytes[*at..].starts_with(b"["));
            lists.next().map(|(key, at)| (at, Some(key)))
        }
        _ => None,
    }
}

/// Says whether a file that begins so is one row a line.
pub(super) fn is_one_a_line(kind: Option<DatasetKind>, bytes: &[u8]) -> bool {
    let begin = bytes.get(..whole_lines(bytes)).unwrap_or_default();
    match bytes.trim_ascii_start().first() {
        Some(b'{') => has_object_line(begin),
        Some(b'[') => kind == Some(DatasetKind::CoSafe) || has_conversation_line(begin),
        _ => true,
    }
}

/// The keys of rows so far.
#[derive(Default)]
pub(super) struct RowKeys {
    /// The field of each key, in order of appearance.
    pub columns: Vec<(String, TopicField)>,
    seen: HashSet<String>,
    lost: HashSet<String>,
}

impl RowKeys {
    /// Adds rows as topics.
    pub(super) fn collect(
        &mut self,
        rows: JsonRows<'_>,
        kind: DatasetKind,
        into: &mut Collector<'_>,
    ) {
        let Self {
            columns,
            seen,
            lost,
        } = self;
        for (line, what) in rows.notes {
            into.note(line, what);
        }
        for row in rows.rows {
            let value = match parsed(row.bytes) {
                Ok(value) => value,
                Err(why) => {
                    into.refuse(row.line, why);
                    continue;
                }
            };
            if let Value::Object(map) = &value {
                for key in map.keys() {
                    if seen.insert(key.clone()) {
                        let field =
                            field_of(kind, key).map_or(TopicField::Unused, |(field, _)| field);
                        columns.push((key.clone(), field));
                    }
                }
            }
            if kind == DatasetKind::Quality {
                match quality::drafts(value) {
                    Ok(drafts) => drafts.into_iter().for_each(|draft| match draft {
                        Ok(draft) => into.add(row.line, draft),
                        Err(why) => into.refuse(row.line, why),
                    }),
                    Err(why) => into.refuse(row.line, why),
                }
                continue;
            }
            match draft(kind, value) {
                Ok((draft, losers)) => {
                    for (loser, winner) in losers {
                        if lost.insert(loser.clone()) {
                            into.note(
                                row.line,
                                format!(
                                    "`{}` is not read because `{}` means the same",
                                    shortened(&loser),
                                    shortened(&winner)
                                ),
                            );
                        }
                    }
                    into.add(row.line, draft);
                }
                Err(why) => into.refuse(row.line, why),
            }
        }
        for (line, why) in rows.broken {
            into.refuse(line, why);
        }
    }
}

impl<'a> JsonRows<'a> {
    pub(super) fn lines(bytes: &'a [u8]) -> Self {
        JsonRows::of(DatasetFormat::JsonLines, text_lines(bytes).collect())
    }

    fn single(bytes: &'a [u8], start: usize) -> Self {
        let line = line_of(bytes, start);
        let bytes = &bytes[start..];
        JsonRows::of(DatasetFormat::JsonLines, vec![JsonRow { line, bytes }])
    }

    /// One object that cannot be parsed, with the line of the fault.
    fn broken(bytes: &'a [u8], start: usize) -> Self {
        let mut rows = JsonRows::of(DatasetFormat::JsonLines, Vec::new());
        let first = line_of(bytes, start);
        let why = match std::str::from_utf8(&bytes[start..]) {
            Err(error) => (
                line_of(bytes, start + error.valid_up_to()),
                "the file is not valid UTF-8 from this line on: save it as UTF-8".to_owned(),
            ),
            Ok(text) => match serde_json::from_str::<IgnoredAny>(text) {
                Ok(_) => return JsonRows::single(bytes, start),
                Err(error) => {
                    let line = first + (error.line() as u64).saturating_sub(1);
                    let what = error.to_string();
                    let what = what.split(" at line ").next().unwrap_or_default();
                    let column = error.column();
                    (
                        line,
                        format!("the file is not valid JSON: {what} (column {column})"),
                    )
                }
            },
        };
        rows.broken.push(why);
        rows
    }

    fn of(format: DatasetFormat, rows: Vec<JsonRow<'a>>) -> Self {
        JsonRows {
            format,
            rows,
            notes: Vec::new(),
            broken: Vec::new(),
        }
    }

    fn array(bytes: &'a [u8], open: usize) -> Self {
        let pieces = JsonPieces::between(bytes, open);
        let mut line = LineIndex::new(bytes);
        let rows = pieces.found.iter().map(|(at, piece)| JsonRow {
            line: line.at(*at),
            bytes: piece,
        });
        let mut array = JsonRows::of(DatasetFormat::JsonArray, rows.collect());
        match pieces.end {
            None => array.broken.push((
                line.at(bytes.len()),
                "the JSON list is not closed".to_owned(),
            )),
            Some(end) => {
                let rest = bytes[end + 1..].trim_ascii_start();
                if !rest.is_empty() {
                    let line = line.at(bytes.len() - rest.len());
                    array.broken.push((
                        line,
                        "this row and the following ones come after the end of the JSON list"
                            .to_owned(),
                    ));
                }
            }
        }
        array
    }

    /// One object that is a row, or that holds a single list of rows (TriviaQA's `Data`), or a list
    /// called `rows` along with others (a page of the Hugging Face viewer).
    fn object(bytes: &'a [u8], open: usize) -> Self {
        let own = |key: &str| {
            matches!(
                field_of(DatasetKind::Own, key),
                Some((TopicField::Text | TopicField::Conversation, _))
            )
        };
        let pieces = JsonPieces::between(bytes, open);
        let members: Vec<(String, usize)> = pieces
            .found
            .iter()
            .filter_map(|(at, piece)| member(piece).map(|(key, value)| (key, at + value)))
            .collect();
        if quality::is_text(members.iter().map(|(key, _)| key.as_str())) {
            return JsonRows::single(bytes, open);
        }
        let is_list = |(_, at): &&(String, usize)| bytes[*at..].starts_with(b"[");
        let mut lists = members.iter().filter(is_list);
        let rows = members
            .iter()
            .filter(is_list)
            .find(|(key, _)| key == "rows");
        let lists = match rows {
            Some(rows) => (Some(rows), None),
            None => (lists.next(), lists.next()),
        };
        match lists {
            (Some((key, at)), None) if !members.iter().any(|(key, _)| own(key)) => {
                // The text after the list belongs to the object, not to the rows.
                let end = JsonPieces::between(bytes, *at)
                    .end
                    .unwrap_or(bytes.len() - 1);
                let mut rows = JsonRows::array(&bytes[..=end], *at);
                let line = line_of(bytes, *at);
                rows.notes
                    .push((line, format!("rows are taken from `{}`", shortened(key))));
                rows
            }
            _ => JsonRows::single(bytes, open),
        }
    }
}

/// Returns the lines of a file that are not blank.
fn text_lines(bytes: &[u8]) -> impl Iterator<Item = JsonRow<'_>> {
    (1_u64..)
        .zip(bytes.split(|b| *b == b'\n'))
        .map(|(line, bytes)| JsonRow {
            line,
            bytes: bytes.trim_ascii(),
        })
        .filter(|row| !row.bytes.is_empty())
}

/// Adds every line that is not blank as a topic.
pub(super) fn collect_text_lines(bytes: &[u8], lines_before: u64, into: &mut Collector<'_>) {
    for mut row in text_lines(bytes) {
        row.line += lines_before;
        if let Some(why) = oversized(row.bytes.len()) {
            into.refuse(row.line, why);
            continue;
        }
        match std::str::from_utf8(row.bytes) {
            Ok(text) => into.add(
                row.line,
                TopicDraft {
                    text: Some(text.to_owned()),
                    ..TopicDraft::default()
                },
            ),
            Err(_) => into.refuse(
                row.line,
                "the line is not valid UTF-8: save the file as UTF-8",
            ),
        }
    }
}

/// Keys that lost against a better name of the same field: (loser, winner).
type Losers = Vec<(String, String)>;

fn draft(kind: DatasetKind, value: Value) -> Result<(TopicDraft, Losers), String> {
    let mut draft = TopicDraft::default();
    match value {
        Value::Array(_) | Value::String(_) if kind == DatasetKind::HarmBench => {
            return Err("the row is no object with `Behavior`".to_owned());
        }
        Value::Array(_) => draft.conversation = conversation(value)?,
        Value::String(_) => draft.set(TopicField::Text, "text", value)?,
        Value::Object(map) => {
            let mut ranked: Vec<(TopicField, usize, String, Value)> = map
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .filter_map(|(key, value)| {
                    field_of(kind, &key).map(|(field, rank)| (field, rank, key, value))
                })
                .collect();
            ranked.sort_by_key(|(field, rank, _, _)| (*field, *rank));
            let mut losers = Losers::new();
            let mut last: Option<(TopicField, String)> = None;
            for (field, _, key, value) in ranked {
                match &last {
                    Some((same, winner)) if *same == field => losers.push((key, winner.clone())),
                    Some(_) | None => {
                        draft.set(field, &key, value)?;
                        last = Some((field, key));
                    }
                }
            }
            return Ok((draft, losers));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            return Err("the row is neither an object nor a conversation".to_owned());
        }
    }
    Ok((draft, Losers::new()))
}

fn parsed(bytes: &[u8]) -> Result<Value, String> {
    if let Some(why) = oversized(bytes.len()) {
        return Err(why);
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|_| "the row is not valid UTF-8: save the file as UTF-8".to_owned())?;
    let value = serde_json::from_str(text)
        .map_err(|error| format!("the row is not valid JSON: {}", reason(&error)))?;
    unwrapped(value)
}

/// Unwraps a row of the Hugging Face viewer.
fn unwrapped(value: Value) -> Result<Value, String> {
    let Value::Object(mut map) = value else {
        return Ok(value);
    };
    if !map.contains_key("row_idx") && map.len() > 1 || !map.contains_key("row") {
        return Ok(Value::Object(map));
    }
    if let Some(Value::Array(cut)) = map.get("truncated_cells")
        && let Some(cell) = cut.iter().find_map(Value::as_str)
    {
        return Err(format!(
            "the cell `{}` was cut off by the viewer that the file comes from: take the dataset's own file",
            shortened(cell)
        ));
    }
    match map.remove("row") {
        Some(row @ Value::Object(_)) => Ok(row),
        Some(row) => {
            map.insert("row".to_owned(), row);
            Ok(Value::Object(map))
        }
        None => Ok(Value::Object(map)),
    }
}

/// Returns whether a value is a list of objects that all have a role.
fn is_conversation(bytes: &[u8]) -> bool {
    match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Array(items)) => {
            !items.is_empty() && items.iter().all(|item| item.get("role").is_some())
        }
        Ok(_) | Err(_) => false,
    }
}

/// Distinguishes JSON Lines from one object over many lines, whose inner objects are indented.
fn has_object_line(bytes: &[u8]) -> bool {
    bytes
        .split(|b| *b == b'\n')
        .any(|line| line.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(line).is_ok())
}

fn has_conversation_line(bytes: &[u8]) -> bool {
    text_lines(bytes)
        .take(LINES_LOOKED_AT)
        .any(|row| is_conversation(row.bytes))
}
