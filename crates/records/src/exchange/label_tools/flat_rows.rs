//! Rows that hold an annotation each: sheets in long form, and the flat exports of tools.

use super::super::label_columns::LabelColumns;
use super::source_rows::SourceRows;
use super::task::{RowsAre, ToolAnswer, ToolFile, ToolTask, find_column, find_option_column};
use super::verdict::{read_person, read_text, read_verdict};
use elenchus_dataset::is_same_column;
use serde_json::{Map, Value};

/// Columns that name who labelled.
pub(super) const ANNOTATORS: &[&str] = &[
    "annotator",
    "annotator_id",
    "annotator_name",
    "annotated_by",
    "rater",
    "rater_id",
    "coder",
    "coder_id",
    "labeler",
    "labeller",
    "labeled_by",
    "labelled_by",
    "worker",
    "worker_id",
    "completed_by",
    "user",
    "user_id",
    "username",
    "user_name",
    "reviewer",
    "judge",
    "email",
];
/// Columns that hold a label.
pub(super) const LABELS: &[&str] = &[
    "label",
    "labels",
    "verdict",
    "choice",
    "annotation",
    "judgment",
    "judgement",
    "rating",
    "decision",
    "class",
];

/// What the columns of a flat file are, besides texts and labels.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlatColumns {
    pub annotators: &'static [&'static str],
    /// About the annotation: neither text nor label.
    pub about: &'static [&'static str],
    /// Says with a truth that nobody answered.
    pub skipped: &'static [&'static str],
    pub rows_are: RowsAre,
}

/// Columns of sheets in long form.
pub(super) const LONG: FlatColumns = FlatColumns {
    annotators: ANNOTATORS,
    about: &[
        "timestamp",
        "created_at",
        "updated_at",
        "lead_time",
        "date",
        "time",
    ],
    skipped: &["skipped", "was_cancelled", "is_skipped"],
    rows_are: RowsAre::Annotations,
};

/// Reads a file with a row an annotation.
pub(super) fn parse_flat_rows(
    rows: &SourceRows,
    asked: &LabelColumns,
    flat_columns: FlatColumns,
) -> ToolFile {
    let mut file = ToolFile {
        rows_are: flat_columns.rows_are,
        ..ToolFile::default()
    };
    let columns: Vec<String> = rows
        .columns
        .iter()
        .filter(|column| !asked.ignores_column(column))
        .cloned()
        .collect();
    file.annotator = match &asked.annotator {
        Some(name) => match find_option_column(&columns, "--annotator", name) {
            Ok(column) => Some(column.clone()),
            Err(why) => {
                file.broken.push((1, why));
                return file;
            }
        },
        None => find_column(&columns, flat_columns.annotators).cloned(),
    };
    let is_option_column = |column: &str| {
        let option_names = [
            &asked.label,
            &asked.prompt,
            &asked.completion,
            &asked.probability,
        ];
        let mut option_names = option_names.into_iter().flatten().chain(&asked.automatic);
        option_names.any(|name| is_same_column(name, column))
    };
    let is_about = |column: &str| {
        let mut names = flat_columns.about.iter();
        names.any(|name| is_same_column(name, column)) && !is_option_column(column)
    };
    let skips = find_column(&columns, flat_columns.skipped).cloned();
    for (line, row) in &rows.rows {
        let mut task = ToolTask {
            line: *line,
            ..ToolTask::default()
        };
        let mut answer = ToolAnswer::default();
        for (name, value) in &flatten_row(row) {
            let is = |column: &Option<String>| column.as_ref() == Some(name);
            if is(&file.annotator) {
                answer.by = read_person(value);
            } else if is(&skips) {
                answer.skipped = is_true(value).then(|| name.clone());
            } else if asked.ignores_column(name) || is_about(name) {
                file.add_unread_name(name);
            } else {
                answer.verdicts.push((name.clone(), read_verdict(value)));
                task.texts.push((name.clone(), read_text(value)));
            }
        }
        task.answers.push(answer);
        file.add_task(task);
    }
    file.sort_columns(&rows.columns);
    file
}

/// Returns the values of a row; those of an object within it under both names.
pub(super) fn flatten_row(row: &Map<String, Value>) -> Vec<(String, Value)> {
    /// Objects around further columns.
    const WITHIN: [&str; 3] = ["meta", "metadata", "fields"];
    let mut all = Vec::new();
    for (name, value) in row {
        match value {
            Value::Object(within) if WITHIN.contains(&name.as_str()) => {
                let within = within.iter();
                all.extend(within.map(|(key, value)| (format!("{name}.{key}"), value.clone())));
            }
            value => all.push((name.clone(), value.clone())),
        }
    }
    all
}

pub(super) fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        Value::String(text) => ["true", "1", "yes"].contains(&text.trim().to_lowercase().as_str()),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

impl ToolFile {
    /// Puts columns and questions into the order of the file.
    fn sort_columns(&mut self, order: &[String]) {
        let place = |name: &String| order.iter().position(|known| known == name);
        for names in [&mut self.columns, &mut self.questions, &mut self.unread] {
            names.sort_by_key(|name| place(name).unwrap_or(usize::MAX));
        }
    }
}
