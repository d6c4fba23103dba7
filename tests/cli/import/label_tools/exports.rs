//! How rows become a file: its form, its encoding, and the order of everything in it.

use super::tools::{Form, Row};
use elenchus_test_support::program::Program;
use serde_json::Value;
use std::process::Command;

/// How a file differs from the plain one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Written {
    pub mark: bool,
    pub carriage_returns: bool,
    pub semicolons: bool,
    pub packed: bool,
}

/// Writes rows under a name without its ending; returns the name with it.
pub fn write(program: &Program, name: &str, rows: &[Row], form: Form, how: Written) -> String {
    let mut text = match form {
        Form::Json => format!("[\n{}\n]\n", lines(rows).join(",\n")),
        Form::Lines => lines(rows).join("\n") + "\n",
        Form::Frame => frame(rows),
        Form::Csv => table(rows, if how.semicolons { ';' } else { ',' }),
        Form::Tsv => table(rows, '\t'),
    };
    if how.carriage_returns {
        text = text.replace('\n', "\r\n");
    }
    if how.mark {
        text.insert(0, '\u{feff}');
    }
    let ending = match form {
        Form::Json | Form::Frame => "json",
        Form::Lines => "jsonl",
        Form::Csv => "csv",
        Form::Tsv => "tsv",
    };
    let name = format!("{name}.{ending}");
    let path = program.write(&name, &text);
    if !how.packed {
        return name;
    }
    let packed = Command::new("gzip").arg("-f").arg(&path).status().unwrap();
    assert!(packed.success());
    name + ".gz"
}

/// Objects in the order of their keys.
fn lines(rows: &[Row]) -> Vec<String> {
    let object = |row: &Row| {
        let members = row
            .iter()
            .map(|(key, value)| format!("{}: {value}", Value::from(key.as_str())));
        format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
    };
    rows.iter().map(object).collect()
}

fn frame(rows: &[Row]) -> String {
    let column = |(key, _): &(String, Value)| {
        let cells = rows
            .iter()
            .map(|row| row.iter().find(|(own, _)| own == key).unwrap());
        let cells: Vec<Value> = cells.map(|(_, value)| value.clone()).collect();
        format!("{}: {}", Value::from(key.as_str()), Value::from(cells))
    };
    let columns: Vec<String> = rows[0].iter().map(column).collect();
    format!("{{{}}}\n", columns.join(", "))
}

fn table(rows: &[Row], separator: char) -> String {
    let header: Vec<&str> = rows[0].iter().map(|(key, _)| key.as_str()).collect();
    let cell = |text: &str| match text.contains([separator, '"', '\n', ',']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let separator = separator.to_string();
    let mut text = header
        .iter()
        .map(|name| cell(name))
        .collect::<Vec<_>>()
        .join(&separator)
        + "\n";
    for row in rows {
        let cells = header.iter().map(|name| {
            let (_, value) = row.iter().find(|(key, _)| key == name).unwrap();
            match value {
                Value::Null => String::new(),
                Value::String(text) => cell(text),
                value => cell(&value.to_string()),
            }
        });
        text.push_str(&(cells.collect::<Vec<_>>().join(&separator) + "\n"));
    }
    text
}
