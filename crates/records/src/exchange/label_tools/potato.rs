//! Potato's exports: JSON Lines with the labels of each scheme, and tables with a column a label.

use super::super::label_columns::LabelColumns;
use super::flat_rows::flatten_row;
use super::source_rows::SourceRows;
use super::task::{ToolAnswer, ToolFile, ToolTask, find_column};
use super::verdict::{Verdict, marked_label, read_literal, read_person, read_text};
use serde_json::{Map, Value};

/// What stands between scheme and label in the name of a column.
const OF: &str = ":::";
const PEOPLE: [&str; 5] = ["user_id", "user", "annotator", "username", "worker_id"];

/// Reads an export.
pub(super) fn parse_potato(rows: &SourceRows, asked: &LabelColumns) -> ToolFile {
    let columns = &rows.columns;
    let annotator = match &asked.annotator {
        Some(name) => find_column(columns, &[name]),
        None => find_column(columns, &PEOPLE),
    };
    let mut file = ToolFile {
        annotator: annotator.cloned(),
        has_own_questions: true,
        ..ToolFile::default()
    };
    for (line, row) in &rows.rows {
        let mut task = ToolTask {
            line: *line,
            ..ToolTask::default()
        };
        let mut answer = ToolAnswer::default();
        let mut schemes: Map<String, Value> = Map::new();
        for (name, value) in &flatten_row(row) {
            let literal = value.as_str().and_then(read_literal);
            let value = literal.as_ref().unwrap_or(value);
            if Some(name) == file.annotator.as_ref() {
                answer.by = read_person(value);
            } else if name == "label_annotations" {
                add_schemes(&mut schemes, value);
            } else if let Some((scheme, label)) = name.split_once(OF) {
                add_mark(&mut schemes, scheme, label, value);
            } else if asked.ignores_column(name) || is_about(name) {
                file.add_unread_name(name);
            } else {
                task.texts.push((name.clone(), read_text(value)));
            }
        }
        let schemes = schemes
            .into_iter()
            .filter(|(scheme, _)| !asked.ignores_column(scheme));
        answer.verdicts = schemes
            .map(|(scheme, marks)| (scheme, read_marks(&marks)))
            .collect();
        task.answers.push(answer);
        file.add_task(task);
    }
    file
}

fn is_about(name: &str) -> bool {
    const ABOUT: [&str; 6] = [
        "span_annotations",
        "behavioral_data",
        "link_annotations",
        "time_string",
        "timestamp",
        "assigned_user",
    ];
    ABOUT.contains(&name)
}

/// Adds what a row says: an object of schemes, or a list with the scheme of each label.
fn add_schemes(schemes: &mut Map<String, Value>, value: &Value) {
    match value {
        Value::Object(all) => schemes.extend(all.clone()),
        Value::Array(all) => {
            for one in all {
                let text = |key: &str| one.get(key).and_then(Value::as_str);
                let scheme = text("schema").or_else(|| text("schema_name"));
                let label = text("name").or_else(|| text("label"));
                if let (Some(scheme), Some(label)) = (scheme, label) {
                    let default_mark = Value::Bool(true);
                    add_mark(
                        schemes,
                        scheme,
                        label,
                        one.get("value").unwrap_or(&default_mark),
                    );
                }
            }
        }
        _ => {}
    }
}

fn add_mark(schemes: &mut Map<String, Value>, scheme: &str, label: &str, mark: &Value) {
    let marks = schemes
        .entry(scheme.to_owned())
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(marks) = marks {
        marks.insert(label.to_owned(), mark.clone());
    }
}

/// Reads the labels of a scheme; what was written into its field for free text is the word itself.
fn read_marks(marks: &Value) -> Verdict {
    const FREE: [&str; 4] = ["text_box", "textbox", "free_response", "bad_text"];
    let Value::Object(marks) = marks else {
        return super::verdict::read_verdict(marks);
    };
    match marked_label(marks) {
        Verdict::Word(label) if FREE.contains(&label.as_str()) => marks
            .get(&label)
            .map_or(Verdict::Nothing, super::verdict::read_verdict),
        other => other,
    }
}
