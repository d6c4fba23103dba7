//! JSON objects of any file with their lines, for files that are no topics: a list, one object a line, an object
//! of columns, or an object around a list.

use serde_json::{Map, Value};

use super::json::{parse_row, text_lines};
use super::json_scan::{JsonPieces, LineIndex, line_of};

/// Names under which an object holds its rows.
const LISTS: [&str; 8] = [
    "records", "rows", "data", "examples", "items", "tasks", "results", "train",
];

/// Objects of a JSON file, each with the line on which it begins, from 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JsonObjects {
    pub rows: Vec<(u64, Map<String, Value>)>,
    /// What could not be read, with the reason.
    pub broken: Vec<(u64, String)>,
}

/// Reads the objects of a JSON file. Python's bare `NaN` is read as a text.
pub fn parse_json_objects(bytes: &[u8]) -> JsonObjects {
    let mut objects = JsonObjects::default();
    let start = bytes.len() - bytes.trim_ascii_start().len();
    if bytes.get(start) == Some(&b'[') {
        objects.add_list(bytes, start);
        return objects;
    }
    let lines: Vec<(u64, Result<Value, String>)> = text_lines(bytes)
        .map(|(line, text)| (line, parse_row(text)))
        .collect();
    let is_one_a_line = lines
        .iter()
        .any(|(_, read)| matches!(read, Ok(Value::Object(_))));
    match (is_one_a_line, lines.len()) {
        (true, 1) | (false, _) => objects.add_whole(bytes, start),
        (true, _) => {
            for (line, read) in lines {
                objects.add_row(line, read, "the line is no JSON object");
            }
        }
    }
    objects
}

impl JsonObjects {
    fn add_row(&mut self, line: u64, read: Result<Value, String>, otherwise: &str) {
        match read {
            Ok(Value::Object(object)) => self.rows.push((line, object)),
            Ok(_) => self.broken.push((line, otherwise.to_owned())),
            Err(why) => self.broken.push((line, why)),
        }
    }

    fn add_list(&mut self, bytes: &[u8], open: usize) {
        let pieces = JsonPieces::scan(bytes, open);
        let mut lines = LineIndex::new(bytes);
        for (at, piece) in &pieces.items {
            let line = lines.line_at(*at);
            self.add_row(line, parse_row(piece), "the row is no JSON object");
        }
        if pieces.end.is_none() {
            let line = lines.line_at(bytes.len());
            self.broken
                .push((line, "the JSON list is not closed".to_owned()));
        }
    }

    /// Adds a file that is one object: its columns, the list that it is around, or itself.
    fn add_whole(&mut self, bytes: &[u8], start: usize) {
        let line = line_of(bytes, start);
        let object = match parse_row(bytes.get(start..).unwrap_or_default()) {
            Ok(Value::Object(object)) => object,
            Ok(_) => {
                let why = "the file is no list of JSON objects";
                return self.broken.push((line, why.to_owned()));
            }
            Err(why) => return self.broken.push((line, why)),
        };
        if let Some(rows) = rows_of_columns(&object) {
            self.rows.extend(rows.into_iter().map(|row| (line, row)));
            return;
        }
        let mut lists = LISTS.iter().filter_map(|name| object.get(*name));
        let list = lists.find_map(|list| list.as_array().filter(|list| is_rows(list)));
        match list.filter(|_| !object.values().any(Value::is_string)) {
            Some(list) => {
                for row in list.clone() {
                    self.add_row(line, Ok(row), "the row is no JSON object");
                }
            }
            None => self.rows.push((line, object)),
        }
    }
}

fn is_rows(list: &[Value]) -> bool {
    !list.is_empty() && list.iter().all(Value::is_object)
}

/// Turns an object of equally long lists into rows, as data frames are written; `None` for any other object.
fn rows_of_columns(object: &Map<String, Value>) -> Option<Vec<Map<String, Value>>> {
    let columns: Option<Vec<(&String, Vec<&Value>)>> = object
        .iter()
        .map(|(name, column)| {
            let cells = match column {
                Value::Array(cells) => cells.iter().collect(),
                // pandas writes a column as an object by row number.
                Value::Object(cells) if cells.keys().all(|key| key.parse::<u64>().is_ok()) => {
                    cells.values().collect()
                }
                _ => return None,
            };
            Some((name, cells))
        })
        .collect();
    let columns = columns.filter(|columns| columns.len() > 1)?;
    let rows = columns.first().map(|(_, cells)| cells.len())?;
    if rows == 0 || columns.iter().any(|(_, cells)| cells.len() != rows) {
        return None;
    }
    let row = |at: usize| {
        let cells = columns.iter();
        let cells =
            cells.filter_map(|(name, cells)| Some(((*name).clone(), (*cells.get(at)?).clone())));
        cells.collect()
    };
    Some((0..rows).map(row).collect())
}
