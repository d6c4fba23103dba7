//! Label Studio's exports: JSON with the annotations of each task, the annotations that it puts into a bucket one by
//! one, and JSON-MIN and CSV with a row an annotation.

use super::super::label_columns::LabelColumns;
use super::flat_rows::{self, FlatColumns, is_true};
use super::source_rows::SourceRows;
use super::task::{RowsAre, ToolAnswer, ToolFile, ToolTask};
use super::verdict::{Verdict, read_person, read_text};
use elenchus_dataset::number_text;
use serde_json::{Map, Value};

const FLAT: FlatColumns = FlatColumns {
    annotators: &[
        "annotator",
        "completed_by",
        "annotator_email",
        "created_username",
    ],
    about: &[
        "annotation_id",
        "created_at",
        "updated_at",
        "lead_time",
        "inner_id",
        "project",
        "agreement",
        "total_annotations",
        "cancelled_annotations",
        "total_predictions",
        "comment_count",
        "unresolved_comment_count",
        "last_comment_updated_at",
        "updated_by",
        "comment_authors",
        "file_upload",
        "drafts",
        "predictions",
        "predictions_results",
    ],
    skipped: &["was_cancelled"],
    rows_are: RowsAre::TasksById,
};

/// Reads an export.
pub(super) fn parse_label_studio(rows: &SourceRows, asked: &LabelColumns) -> ToolFile {
    let has_task_objects =
        rows.has_value("data", Value::is_object) || rows.has_value("task", Value::is_object);
    if !has_task_objects {
        return flat_rows::parse_flat_rows(rows, asked, FLAT);
    }
    let mut file = ToolFile {
        annotator: Some("completed_by".to_owned()),
        has_own_questions: true,
        ..ToolFile::default()
    };
    for (line, row) in &rows.rows {
        match read_task(*line, row, asked, &mut file) {
            Some(task) => file.add_task(task),
            None => file
                .broken
                .push((*line, "the task has no 'data'".to_owned())),
        }
    }
    file
}

fn read_task(
    line: u64,
    row: &Map<String, Value>,
    asked: &LabelColumns,
    file: &mut ToolFile,
) -> Option<ToolTask> {
    // What is put into a bucket is an annotation around its task.
    let task = row.get("task").and_then(Value::as_object).unwrap_or(row);
    let data = task.get("data")?.as_object()?;
    let mut read = ToolTask {
        line,
        ..ToolTask::default()
    };
    if let Some(id) = task.get("id").and_then(id_text) {
        read.texts.push(("id".to_owned(), id));
    }
    for (name, value) in data {
        match asked.ignores_column(name) {
            true => file.add_unread_name(name),
            false if name != "id" || !task.contains_key("id") => {
                read.texts.push((name.clone(), read_text(value)));
            }
            false => file.add_unread_name("data.id"),
        }
    }
    let alone = [Value::Object(row.clone())];
    let all = match row.contains_key("result") {
        true => alone.as_slice(),
        false => {
            let all = row.get("annotations").or_else(|| row.get("completions"));
            all.and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
        }
    };
    read.answers = all.iter().map(|one| read_annotation(one, asked)).collect();
    for name in ["predictions", "drafts"] {
        if row
            .get(name)
            .is_some_and(|of| of.as_array().is_some_and(|of| !of.is_empty()))
        {
            file.add_unread_name(name);
        }
    }
    Some(read)
}

fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number_text(number)),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn read_annotation(one: &Value, asked: &LabelColumns) -> ToolAnswer {
    let get = |name: &str| one.get(name);
    let value_of = |name: &String| one.get(name.as_str());
    let by = match &asked.annotator {
        Some(name) => value_of(name),
        None => get("completed_by").or_else(|| get("created_username")),
    };
    let skip_key = ["was_cancelled", "skipped"]
        .iter()
        .find(|name| get(name).is_some_and(is_true));
    let mut answer = ToolAnswer {
        by: by.and_then(read_person),
        skipped: skip_key.map(|name| (*name).to_owned()),
        ..ToolAnswer::default()
    };
    let results = get("result").and_then(Value::as_array);
    for result in results.into_iter().flatten() {
        let text = |name: &str| result.get(name).and_then(Value::as_str);
        let (Some(question), Some(kind)) = (text("from_name"), text("type")) else {
            // Relations between regions have no name.
            continue;
        };
        if asked.ignores_column(question) {
            continue;
        }
        let verdict = read_result(kind, result.get("value"));
        let earlier_verdict = answer
            .verdicts
            .iter_mut()
            .find(|(name, _)| name == question);
        match earlier_verdict {
            // Two results of one question are two of its choices.
            Some((_, known)) => {
                *known = match (&*known, verdict) {
                    (Verdict::Unfit(what), _) => Verdict::Unfit(what),
                    (_, Verdict::Unfit(what)) => Verdict::Unfit(what),
                    (one, other) if *one == other => other,
                    (Verdict::Nothing, other) => other,
                    (_, _) => Verdict::Several,
                }
            }
            None => answer.verdicts.push((question.to_owned(), verdict)),
        }
    }
    answer
}

fn read_result(kind: &str, value: Option<&Value>) -> Verdict {
    let Some(Value::Object(value)) = value else {
        return Verdict::Nothing;
    };
    // A choice about a region is no verdict on the whole.
    if ["start", "x", "points"]
        .iter()
        .any(|key| value.contains_key(*key))
    {
        return Verdict::Unfit("spans");
    }
    let of = |name: &str| {
        value
            .get(name)
            .map_or(Verdict::Nothing, super::verdict::read_verdict)
    };
    match kind {
        "choices" => of("choices"),
        "rating" => of("rating"),
        "number" => of("number"),
        "textarea" => of("text"),
        "taxonomy" => match value
            .get("taxonomy")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
        {
            Some([Value::Array(path)]) => path
                .last()
                .map_or(Verdict::Nothing, super::verdict::read_verdict),
            Some([]) | None => Verdict::Nothing,
            Some(_) => Verdict::Several,
        },
        "ranker" => Verdict::Unfit("a ranking"),
        "pairwise" => of("selected"),
        _ => Verdict::Unfit("regions"),
    }
}
