//! JSON Lines as the rows of a table: every field is a column, every value a cell.

use elenchus_dataset::TableRows;
use serde_json::{Map, Value};

/// The most different fields of one file.
const MAX_COLUMNS: usize = 500;

/// Divides JSON Lines into rows. The columns are the fields of all lines, in the order in which they
/// occur; a field that a line does not have is an empty cell.
pub fn json_rows(bytes: &[u8]) -> TableRows {
    let mut rows = TableRows::default();
    let mut objects: Vec<(u64, Map<String, Value>)> = Vec::new();
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let number = at as u64 + 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice::<Value>(line) {
            Ok(Value::Object(object)) => {
                for name in object.keys() {
                    if rows.header.len() <= MAX_COLUMNS && !rows.header.contains(name) {
                        rows.header.push(name.clone());
                    }
                }
                if rows.header.len() > MAX_COLUMNS {
                    let why = format!("the file has more than {MAX_COLUMNS} different fields");
                    rows.broken.push((number, why));
                    break;
                }
                objects.push((number, object));
            }
            Ok(_) => rows
                .broken
                .push((number, "the line is no JSON object".to_owned())),
            Err(error) => rows
                .broken
                .push((number, format!("the line is no JSON: {error}"))),
        }
    }
    for (number, object) in objects {
        let cells = rows.header.iter().map(|name| cell_text(object.get(name)));
        rows.rows.push((number, cells.collect()));
    }
    rows
}

fn cell_text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}
