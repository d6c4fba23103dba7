//! JSON rows with their line numbers, from JSON Lines, a JSON array, or an object around one; YAML's rows as well.

use std::collections::{HashMap, HashSet};

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::collector::Collector;
use super::columns::{Columns, kind_of};
use super::json_scan::{JsonPieces, LineIndex, line_of, split_member};
use super::load::describe_oversize;
use super::missing_value::{is_json, parse_json};
use super::quality;
use super::row_shape::{filter_of_sample, find_by_path, flatten_row, is_talk, list_of_rows};
use super::topic_draft::{TopicDraft, describe_json_error, parse_conversation, shorten_text};
use super::yaml::YamlItem;
use super::{ColumnChoice, DatasetFormat, DatasetKind, TopicField};

/// Number of lines that are read to distinguish JSON Lines from a broken JSON array.
const LINES_LOOKED_AT: usize = 20;

/// A row and the line on which it begins.
struct JsonRow<'a> {
    line: u64,
    bytes: RowText<'a>,
}

/// A row as the file has it, or read already.
enum RowText<'a> {
    Bytes(&'a [u8]),
    /// From YAML.
    Read(Value),
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
    pub fn from_bytes(
        kind: Option<DatasetKind>,
        choice: &ColumnChoice,
        bytes: &'a [u8],
    ) -> JsonRows<'a> {
        let start = bytes.len() - bytes.trim_ascii_start().len();
        let one_value = is_json(bytes);
        match bytes.get(start) {
            Some(b'{') if one_value => JsonRows::from_object(bytes, start, choice),
            Some(b'{') if kind != Some(DatasetKind::CoSafe) && !has_object_line(bytes) => {
                JsonRows::from_broken_object(bytes, start)
            }
            Some(b'[') if one_value && is_conversation(&bytes[start..]) => {
                JsonRows::from_single_row(bytes, start)
            }
            Some(b'[') if one_value => JsonRows::from_array(bytes, start),
            Some(b'[') if kind != Some(DatasetKind::CoSafe) && !has_conversation_line(bytes) => {
                JsonRows::from_array(bytes, start)
            }
            _ => JsonRows::from_lines(bytes),
        }
    }

    /// Returns how many rows there are.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether any row can be parsed.
    pub(super) fn has_any(&self) -> bool {
        self.rows.iter().any(|row| row.to_value().is_ok())
    }

    /// Returns the kind of dataset, from the first row that can be parsed.
    pub fn detect_kind(&self, choice: &ColumnChoice) -> DatasetKind {
        let mut values = self.rows.iter().filter_map(|row| row.to_value().ok());
        match values.next() {
            Some(Value::Array(_)) => DatasetKind::CoSafe,
            Some(Value::Object(map)) => {
                // TriviaQA is recognised by the keys of its answers.
                let answers = map
                    .iter()
                    .filter(|(key, _)| key.eq_ignore_ascii_case("answer"))
                    .filter_map(|(_, answer)| answer.as_object());
                let within = answers.flat_map(|answer| answer.keys());
                kind_of(map.keys().chain(within).map(String::as_str), choice)
            }
            Some(_) | None => DatasetKind::Own,
        }
    }

    /// Adds the rows as topics; returns the field of each key, in order of appearance.
    pub fn collect_topics(
        self,
        kind: DatasetKind,
        into: &mut Collector<'_>,
    ) -> Vec<(String, TopicField)> {
        let mut keys = RowKeys::default();
        keys.collect_rows(self, kind, into);
        keys.columns
    }

    /// Takes the rows of YAML's documents: the items of a list, of the list of rows in a mapping, or a mapping.
    pub(super) fn from_yaml(documents: Vec<YamlItem>, choice: &ColumnChoice) -> JsonRows<'static> {
        let mut rows = JsonRows::from_rows(DatasetFormat::Yaml, Vec::new());
        for document in documents {
            rows.add_yaml(document, choice);
        }
        rows
    }

    /// Divides a piece of a list, of JSON Lines or of an array, of which more follows. Returns how many
    /// bytes the rows take that are whole.
    pub(super) fn from_piece(
        format: DatasetFormat,
        bytes: &'a [u8],
        open: usize,
    ) -> (Self, PieceTaken) {
        match format {
            DatasetFormat::JsonArray => {
                let pieces = JsonPieces::scan(bytes, open);
                let mut line = LineIndex::new(bytes);
                let rows = pieces.items.iter().map(|(at, piece)| JsonRow {
                    line: line.line_at(*at),
                    bytes: RowText::Bytes(piece),
                });
                let mut rows = JsonRows::from_rows(format, rows.collect());
                let extent = match pieces.end {
                    Some(end) => PieceTaken::Last(end + 1),
                    None => {
                        rows.rows.pop();
                        PieceTaken::Of(pieces.items.last().map_or(0, |(at, _)| *at))
                    }
                };
                (rows, extent)
            }
            DatasetFormat::Table
            | DatasetFormat::JsonLines
            | DatasetFormat::Yaml
            | DatasetFormat::PlainText
            | DatasetFormat::Folder => {
                let whole = whole_lines(bytes);
                let lines = bytes.get(..whole).unwrap_or_default();
                (JsonRows::from_lines(lines), PieceTaken::Of(whole))
            }
        }
    }

    /// Divides the last piece of an array, which may lack its end.
    pub(super) fn from_last_piece(bytes: &'a [u8], open: usize) -> (Self, PieceTaken) {
        (Self::from_array(bytes, open), PieceTaken::Of(bytes.len()))
    }

    /// Counts lines from the beginning of the file, where this is a piece of it.
    pub(super) fn with_line_offset(mut self, lines: u64) -> Self {
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
            let pieces = JsonPieces::scan(bytes, start);
            let members = pieces.items.iter().filter_map(|(at, piece)| {
                split_member(piece).map(|(key, value)| (key, at + value))
            });
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
    places: HashMap<String, usize>,
    /// Keys that gave a field at least once.
    won: HashSet<String>,
    lost: HashSet<String>,
}

impl RowKeys {
    /// Adds rows as topics.
    pub(super) fn collect_rows(
        &mut self,
        rows: JsonRows<'_>,
        kind: DatasetKind,
        into: &mut Collector<'_>,
    ) {
        let choice = into.choice;
        let columns = Columns { kind, choice };
        for (line, what) in rows.notes {
            into.add_note(line, what);
        }
        for row in rows.rows {
            let line = row.line;
            let value = match row.into_value() {
                Ok(value) => value,
                Err(why) => {
                    into.refuse_row(line, why);
                    continue;
                }
            };
            if kind == DatasetKind::Quality {
                if let Value::Object(map) = &value {
                    map.keys().for_each(|key| self.add_key(key, &columns));
                }
                match quality::build_drafts(value) {
                    Ok(drafts) => drafts.into_iter().for_each(|draft| match draft {
                        Ok(draft) => into.add_draft(line, draft),
                        Err(why) => into.refuse_row(line, why),
                    }),
                    Err(why) => into.refuse_row(line, why),
                }
                continue;
            }
            match self.build_draft(&columns, value, line, into) {
                Ok(draft) => into.add_draft(line, draft),
                Err(why) => into.refuse_row(line, why),
            }
        }
        for (line, why) in rows.broken {
            into.refuse_row(line, why);
        }
    }

    /// Keeps a key with its field.
    fn add_key(&mut self, key: &str, columns: &Columns<'_>) {
        if !self.places.contains_key(key) {
            let field = columns
                .field_of(key)
                .map_or(TopicField::Unused, |(field, _)| field);
            self.places.insert(key.to_owned(), self.columns.len());
            self.columns.push((key.to_owned(), field));
        }
    }

    fn set_field(&mut self, key: &str, field: TopicField) {
        let at = self.places.get(key);
        if let Some(column) = at.and_then(|at| self.columns.get_mut(*at)) {
            column.1 = field;
        }
    }

    fn build_draft(
        &mut self,
        columns: &Columns<'_>,
        value: Value,
        line: u64,
        into: &mut Collector<'_>,
    ) -> Result<TopicDraft, String> {
        let mut draft = TopicDraft::default();
        match value {
            Value::Array(_) | Value::String(_) if columns.kind == DatasetKind::HarmBench => {
                return Err("the row is no object with `Behavior`".to_owned());
            }
            Value::Array(_) => draft.conversation = parse_conversation(value)?,
            Value::String(text) if text.starts_with("file://") => {
                return Err(format!(
                    "the row names another file, `{}`: give that file",
                    shorten_text(&text)
                ));
            }
            Value::String(_) => draft.set_field(TopicField::Text, "text", value)?,
            Value::Object(row) => self.set_fields(columns, row, (line, &mut draft), into)?,
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                return Err("the row is neither an object nor a conversation".to_owned());
            }
        }
        Ok(draft)
    }

    /// Sets the fields of a draft from the keys of a row.
    fn set_fields(
        &mut self,
        columns: &Columns<'_>,
        row: Map<String, Value>,
        (line, draft): (u64, &mut TopicDraft),
        into: &mut Collector<'_>,
    ) -> Result<(), String> {
        let mut candidates: Vec<(TopicField, usize, String, Value)> = Vec::new();
        let paths = columns
            .choice
            .named_fields()
            .filter(|(_, path)| path.contains('.'));
        for (field, path) in paths.filter(|(_, path)| !row.contains_key(*path)) {
            if let Some(value) = find_by_path(&row, path) {
                candidates.push((field, 0, path.to_owned(), value.clone()));
            }
        }
        draft.filter = filter_of_sample(&row);
        let row = flatten_row(row, columns);
        for key in row
            .keys()
            .chain(candidates.iter().map(|(_, _, path, _)| path))
        {
            self.add_key(key, columns);
        }
        let names: Vec<&str> = row.keys().map(String::as_str).collect();
        let is_given = |key: &str| row.get(key).is_some_and(|value| !value.is_null());
        let mut fields: Vec<Option<(TopicField, usize)>> = names
            .iter()
            .map(|key| columns.field_of(key).filter(|_| is_given(key)))
            .collect();
        let is_text = |field: &TopicField| {
            matches!(
                field,
                TopicField::Text | TopicField::Conversation | TopicField::Adversarial
            )
        };
        let has_text = fields.iter().flatten().map(|(field, _)| field).any(is_text)
            || candidates.iter().any(|(field, ..)| is_text(field));
        if !has_text
            && let Some(key) = columns.guess_text_column(names.iter())
            && let Some(at) = names.iter().position(|name| *name == key)
            && let Some(field) = fields.get_mut(at)
        {
            *field = Some((TopicField::Text, 0)).filter(|_| is_given(key));
        }
        let field_at = |at: usize| fields.get(at).copied().flatten().map(|(field, _)| field);
        let options = columns.option_columns(&names, field_at);
        if options.first().is_some_and(|at| names[*at].ends_with('1')) {
            into.number_options_from_one();
        }
        // Their order is that of the options, not of the keys.
        let options: Vec<(TopicField, usize, String, Value)> = options
            .iter()
            .enumerate()
            .filter_map(|(rank, at)| {
                let key = *names.get(*at)?;
                Some((
                    TopicField::Option,
                    rank,
                    key.to_owned(),
                    row.get(key)?.clone(),
                ))
            })
            .filter(|(.., value)| !value.is_null())
            .collect();
        let fields: HashMap<String, (TopicField, usize)> = names
            .iter()
            .zip(&fields)
            .filter_map(|(name, field)| Some(((*name).to_owned(), (*field)?)))
            .collect();
        let row = row.into_iter().filter_map(|(key, value)| {
            let (field, rank) = *fields.get(&key)?;
            Some((field, rank, key, value))
        });
        candidates.extend(row);
        candidates.extend(options);
        candidates.sort_by_key(|(field, rank, _, _)| (*field, *rank));
        let mut last: Option<(TopicField, String)> = None;
        for (field, _, key, value) in candidates {
            let has_several = matches!(field, TopicField::Option | TopicField::Assertion);
            match &last {
                Some((same, winner)) if *same == field && !has_several => {
                    self.note_unread_key(&key, winner, line, into);
                }
                Some(_) | None => {
                    if self.won.insert(key.clone()) {
                        self.set_field(&key, field);
                    }
                    draft.set_field(field, &key, value)?;
                    last = Some((field, key));
                }
            }
        }
        Ok(())
    }

    /// Notes a key that lost against a better name of the same field.
    fn note_unread_key(&mut self, key: &str, winner: &str, line: u64, into: &mut Collector<'_>) {
        if !self.won.contains(key) {
            self.set_field(key, TopicField::Unused);
        }
        if self.lost.insert(key.to_owned()) {
            into.add_note(
                line,
                format!(
                    "`{}` is not read because `{}` means the same",
                    shorten_text(key),
                    shorten_text(winner)
                ),
            );
        }
    }
}

impl JsonRow<'_> {
    fn to_value(&self) -> Result<Value, String> {
        match &self.bytes {
            RowText::Bytes(bytes) => parse_row(bytes),
            RowText::Read(value) => Ok(value.clone()),
        }
    }

    fn into_value(self) -> Result<Value, String> {
        match self.bytes {
            RowText::Bytes(bytes) => parse_row(bytes),
            RowText::Read(value) => Ok(value),
        }
    }
}

impl<'a> JsonRows<'a> {
    pub(super) fn from_lines(bytes: &'a [u8]) -> Self {
        let rows = text_lines(bytes).map(|(line, bytes)| JsonRow {
            line,
            bytes: RowText::Bytes(bytes),
        });
        JsonRows::from_rows(DatasetFormat::JsonLines, rows.collect())
    }

    fn from_single_row(bytes: &'a [u8], start: usize) -> Self {
        let line = line_of(bytes, start);
        let bytes = RowText::Bytes(&bytes[start..]);
        JsonRows::from_rows(DatasetFormat::JsonLines, vec![JsonRow { line, bytes }])
    }

    /// One object that cannot be parsed, with the line of the fault.
    fn from_broken_object(bytes: &'a [u8], start: usize) -> Self {
        let mut rows = JsonRows::from_rows(DatasetFormat::JsonLines, Vec::new());
        let first = line_of(bytes, start);
        let why = match std::str::from_utf8(&bytes[start..]) {
            Err(error) => (
                line_of(bytes, start + error.valid_up_to()),
                "the file is not valid UTF-8 from this line on: save it as UTF-8".to_owned(),
            ),
            Ok(text) => match serde_json::from_str::<IgnoredAny>(text) {
                Ok(_) => return JsonRows::from_single_row(bytes, start),
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

    fn from_rows(format: DatasetFormat, rows: Vec<JsonRow<'a>>) -> Self {
        JsonRows {
            format,
            rows,
            notes: Vec::new(),
            broken: Vec::new(),
        }
    }

    fn from_array(bytes: &'a [u8], open: usize) -> Self {
        let pieces = JsonPieces::scan(bytes, open);
        let mut line = LineIndex::new(bytes);
        let rows = pieces.items.iter().map(|(at, piece)| JsonRow {
            line: line.line_at(*at),
            bytes: RowText::Bytes(piece),
        });
        let mut array = JsonRows::from_rows(DatasetFormat::JsonArray, rows.collect());
        match pieces.end {
            None => array.broken.push((
                line.line_at(bytes.len()),
                "the JSON list is not closed".to_owned(),
            )),
            Some(end) => {
                let rest = bytes[end + 1..].trim_ascii_start();
                if !rest.is_empty() {
                    let line = line.line_at(bytes.len() - rest.len());
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

    fn add_yaml(&mut self, document: YamlItem, choice: &ColumnChoice) {
        let YamlItem { line, value, lists } = document;
        let row = |(line, value)| JsonRow {
            line,
            bytes: RowText::Read(value),
        };
        match value {
            Value::Null => {}
            Value::Array(_) => {
                let rows = lists.into_iter().flat_map(|(_, rows)| rows);
                self.rows.extend(rows.map(row));
            }
            Value::Object(map) => {
                let columns = Columns::from_choice(choice);
                let is_topic = map.keys().any(|key| is_topic_key(key, &columns));
                let keys = lists.iter().map(|(key, _)| key.as_str());
                let keys = keys.filter(|key| columns.field_of(key).is_none());
                let list = list_of_rows(keys).filter(|_| !is_topic).map(str::to_owned);
                if let Some(list) = list {
                    self.notes.push((
                        line,
                        format!("rows are taken from `{}`", shorten_text(&list)),
                    ));
                    let mut lists = lists.into_iter();
                    let rows = lists.find(|(key, _)| *key == list).map(|(_, rows)| rows);
                    self.rows.extend(rows.into_iter().flatten().map(row));
                } else if let Some(Value::String(file)) = map.get("tests") {
                    self.broken.push((
                        line,
                        format!(
                            "`tests` names another file, `{}`: give that file",
                            shorten_text(file)
                        ),
                    ));
                } else {
                    self.rows.push(row((line, Value::Object(map))));
                }
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) => self.broken.push((
                line,
                "the document holds no list of rows: write `- prompt: …` for each topic".to_owned(),
            )),
        }
    }

    /// One object that is a row, or that holds a single list of rows (TriviaQA's `Data`), or a list of a usual
    /// name along with others (a page of the Hugging Face viewer, promptfoo's settings).
    fn from_object(bytes: &'a [u8], open: usize, choice: &ColumnChoice) -> Self {
        let pieces = JsonPieces::scan(bytes, open);
        let members: Vec<(String, usize)> = pieces
            .items
            .iter()
            .filter_map(|(at, piece)| split_member(piece).map(|(key, value)| (key, at + value)))
            .collect();
        if quality::is_text(members.iter().map(|(key, _)| key.as_str())) {
            return JsonRows::from_single_row(bytes, open);
        }
        let columns = Columns::from_choice(choice);
        // A list that is known as a part of a topic, as its options, holds no rows, and what was said none.
        let is_list = |(key, at): &&(String, usize)| {
            let is_list = bytes[*at..].starts_with(b"[") && columns.field_of(key).is_none();
            is_list && {
                let end = JsonPieces::scan(bytes, *at).end;
                let list = end.and_then(|end| bytes.get(*at..=end));
                !list.is_some_and(is_conversation)
            }
        };
        let lists = members.iter().filter(is_list);
        let list = list_of_rows(lists.map(|(key, _)| key.as_str()));
        let list =
            list.and_then(|list| members.iter().filter(is_list).find(|(key, _)| key == list));
        match list {
            Some((key, at)) if !members.iter().any(|(key, _)| is_topic_key(key, &columns)) => {
                // The text after the list belongs to the object, not to the rows.
                let end = JsonPieces::scan(bytes, *at).end.unwrap_or(bytes.len() - 1);
                let mut rows = JsonRows::from_array(&bytes[..=end], *at);
                let line = line_of(bytes, *at);
                rows.notes
                    .push((line, format!("rows are taken from `{}`", shorten_text(key))));
                rows
            }
            _ => JsonRows::from_single_row(bytes, open),
        }
    }
}

/// Says whether an object with this key is a topic, and not one around a list of them.
fn is_topic_key(key: &str, columns: &Columns<'_>) -> bool {
    let field = columns.field_of(key).map(|(field, _)| field);
    key == "vars" || matches!(field, Some(TopicField::Text | TopicField::Conversation))
}

/// Returns the lines of a file that are not blank, with their numbers.
pub(super) fn text_lines(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    (1_u64..)
        .zip(bytes.split(|b| *b == b'\n'))
        .map(|(line, bytes)| (line, bytes.trim_ascii()))
        .filter(|(_, bytes)| !bytes.is_empty())
}

/// Adds every line that is not blank as a topic.
pub(super) fn collect_text_lines(bytes: &[u8], lines_before: u64, into: &mut Collector<'_>) {
    for (line, bytes) in text_lines(bytes) {
        let line = line + lines_before;
        if let Some(why) = describe_oversize(bytes.len()) {
            into.refuse_row(line, why);
            continue;
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => into.add_draft(
                line,
                TopicDraft {
                    text: Some(text.to_owned()),
                    ..TopicDraft::default()
                },
            ),
            Err(_) => into.refuse_row(line, "the line is not valid UTF-8: save the file as UTF-8"),
        }
    }
}

pub(super) fn parse_row(bytes: &[u8]) -> Result<Value, String> {
    if let Some(why) = describe_oversize(bytes.len()) {
        return Err(why);
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|_| "the row is not valid UTF-8: save the file as UTF-8".to_owned())?;
    let value = parse_json(text)
        .map_err(|error| format!("the row is not valid JSON: {}", describe_json_error(&error)))?;
    unwrap_viewer_row(value)
}

/// Unwraps a row of the Hugging Face viewer.
fn unwrap_viewer_row(value: Value) -> Result<Value, String> {
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
            shorten_text(cell)
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
    let text = std::str::from_utf8(bytes).ok();
    text.and_then(|text| parse_json(text).ok())
        .is_some_and(|value| is_talk(&value))
}

/// Distinguishes JSON Lines from one object over many lines, whose inner objects are indented.
fn has_object_line(bytes: &[u8]) -> bool {
    bytes
        .split(|b| *b == b'\n')
        .any(|line| line.starts_with(b"{") && is_json(line))
}

fn has_conversation_line(bytes: &[u8]) -> bool {
    text_lines(bytes)
        .take(LINES_LOOKED_AT)
        .any(|(_, bytes)| is_conversation(bytes))
}
