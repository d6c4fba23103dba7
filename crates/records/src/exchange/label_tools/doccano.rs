//! doccano's exports: JSON Lines and CSV with the labels of each text, and the older form with who gave each.

use super::super::label_columns::LabelColumns;
use super::flat_rows::{self, FlatColumns, flatten_row};
use super::source_rows::SourceRows;
use super::task::{RowsAre, ToolAnswer, ToolFile, ToolTask};
use super::verdict::{Verdict, read_person, read_text, read_verdict};
use serde_json::Value;

const FLAT: FlatColumns = FlatColumns {
    annotators: &["annotator", "user", "username", "annotation_approver"],
    about: &[
        "Comments",
        "entities",
        "relations",
        "created_at",
        "updated_at",
    ],
    skipped: &[],
    rows_are: RowsAre::TasksById,
};
/// What stands between several labels in a cell.
const AND: char = '#';

/// Reads an export.
pub(super) fn parse_doccano(rows: &SourceRows, asked: &LabelColumns) -> ToolFile {
    if !rows.has_value("annotations", Value::is_array) {
        let mut file = flat_rows::parse_flat_rows(rows, asked, FLAT);
        let labels = ["label", "labels", "cats"];
        let answers = file.tasks.iter_mut().flat_map(|task| &mut task.answers);
        let verdicts = answers.flat_map(|answer| &mut answer.verdicts);
        for (_, verdict) in verdicts.filter(|(name, _)| labels.contains(&name.as_str())) {
            if matches!(verdict, Verdict::Word(word) if word.contains(AND)) {
                *verdict = Verdict::Several;
            }
        }
        return file;
    }
    let mut file = ToolFile {
        annotator: Some("user".to_owned()),
        has_own_questions: true,
        ..ToolFile::default()
    };
    let key = asked.annotator.as_deref().unwrap_or("user");
    for (line, row) in &rows.rows {
        let mut task = ToolTask {
            line: *line,
            ..ToolTask::default()
        };
        for (name, value) in &flatten_row(row) {
            match name.as_str() {
                "annotations" => {
                    for one in value.as_array().into_iter().flatten() {
                        add_annotation(&mut task, key, one);
                    }
                }
                name if asked.ignores_column(name) || FLAT.about.contains(&name) => {
                    file.add_unread_name(name)
                }
                name => task.texts.push((name.to_owned(), read_text(value))),
            }
        }
        file.add_task(task);
    }
    file
}

/// Adds a person's annotation; a second one of the same person is a second label.
fn add_annotation(task: &mut ToolTask, key: &str, one: &Value) {
    let by = one.get(key).and_then(read_person);
    let verdict = match one.get("start_offset") {
        Some(_) => Verdict::Unfit("spans"),
        None => read_verdict(one.get("label").unwrap_or(&Value::Null)),
    };
    let mut answers = task.answers.iter_mut();
    let mut same = answers.find(|answer| by.is_some() && answer.by == by);
    let first_verdict = same.as_mut().and_then(|answer| answer.verdicts.first_mut());
    match first_verdict {
        Some((_, known)) if *known != verdict => *known = Verdict::Several,
        Some(_) => {}
        None => task.answers.push(ToolAnswer {
            by,
            verdicts: vec![("label".to_owned(), verdict)],
            ..ToolAnswer::default()
        }),
    }
}
