//! Rows of a file, whatever its form: objects of named values with their lines.

use elenchus_dataset::{JsonObjects, TableRows};
use serde_json::{Map, Value};

/// The most different columns of one file.
const MAX_COLUMNS: usize = 500;

/// Rows with their lines, from 1. A table's cells are texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SourceRows {
    /// In the order in which they occur.
    pub columns: Vec<String>,
    pub rows: Vec<(u64, Map<String, Value>)>,
    pub broken: Vec<(u64, String)>,
}

impl From<TableRows> for SourceRows {
    fn from(table: TableRows) -> Self {
        let columns: Vec<String> = table
            .header
            .iter()
            .map(|name| name.trim().to_owned())
            .collect();
        let row = |cells: Vec<String>| {
            let cells = columns.iter().cloned().zip(cells);
            // Excel leaves columns without a name.
            let named_cells = cells.filter(|(name, _)| !name.is_empty());
            named_cells
                .map(|(name, cell)| (name, Value::String(cell)))
                .collect()
        };
        let rows = table
            .rows
            .into_iter()
            .map(|(line, cells)| (line, row(cells)));
        Self {
            rows: rows.collect(),
            broken: table.broken,
            columns,
        }
    }
}

impl From<JsonObjects> for SourceRows {
    fn from(objects: JsonObjects) -> Self {
        let mut columns: Vec<String> = Vec::new();
        let mut broken_rows = objects.broken;
        for (line, object) in &objects.rows {
            let new = object.keys().filter(|name| !columns.contains(name));
            let new: Vec<String> = new.cloned().collect();
            columns.extend(new);
            if columns.len() > MAX_COLUMNS {
                let why = format!("the file has more than {MAX_COLUMNS} different fields");
                broken_rows.push((*line, why));
                break;
            }
        }
        let rows = match columns.len() > MAX_COLUMNS {
            true => Vec::new(),
            false => objects.rows,
        };
        Self {
            columns,
            rows,
            broken: broken_rows,
        }
    }
}

impl SourceRows {
    /// Returns them as a table: what is no text is written as JSON, and an absent value as an empty cell.
    pub fn into_table(self) -> TableRows {
        let cell = |row: &Map<String, Value>, name: &String| match row.get(name) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        };
        let rows = self.rows.iter().map(|(line, row)| {
            let cells = self.columns.iter().map(|name| cell(row, name));
            (*line, cells.collect())
        });
        TableRows {
            rows: rows.collect(),
            header: self.columns,
            broken: self.broken,
        }
    }

    /// Says whether there is a column of this very name.
    pub(super) fn has_column(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column == name)
    }

    /// Says whether any row has such a value in a column.
    pub(super) fn has_value(&self, name: &str, fits: impl Fn(&Value) -> bool) -> bool {
        let mut values = self.rows.iter().filter_map(|(_, row)| row.get(name));
        values.any(fits)
    }
}
