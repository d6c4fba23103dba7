//! Recognition of a file of labels by the columns that a tool alone writes.

use super::super::label_columns::LabelColumns;
use super::super::label_file_kind::LabelFileKind;
use super::flat_rows::{ANNOTATORS, LABELS};
use super::source_rows::SourceRows;
use super::text_columns::{COMPLETIONS, PROMPTS, TEXTS};
use elenchus_dataset::is_same_column;
use serde_json::Value;

/// Says whether rows are those of one tool.
type KindSign = fn(&SourceRows) -> bool;

/// Returns the kind of a file: a sheet in wide form where nothing else fits.
pub(super) fn detect_kind(rows: &SourceRows, asked: &LabelColumns) -> LabelFileKind {
    let signs: [(LabelFileKind, KindSign); 5] = [
        (LabelFileKind::LabelStudio, is_label_studio),
        (LabelFileKind::Argilla, is_argilla),
        (LabelFileKind::Potato, is_potato),
        (LabelFileKind::Prodigy, is_prodigy),
        (LabelFileKind::Doccano, is_doccano),
    ];
    if !asked.people.is_empty() {
        return LabelFileKind::Wide;
    }
    let mut tools = signs.into_iter();
    match tools.find(|(_, fits)| fits(rows)) {
        Some((tool, _)) => tool,
        None if is_long(rows, asked) => LabelFileKind::Long,
        None => LabelFileKind::Wide,
    }
}

/// Keys that every annotation has in Label Studio's CSV and JSON-MIN.
const LABEL_STUDIO: [&str; 5] = [
    "annotation_id",
    "annotator",
    "lead_time",
    "created_at",
    "updated_at",
];

fn is_label_studio(rows: &SourceRows) -> bool {
    let has_results = |value: &Value| {
        let mut all = value.as_array().into_iter().flatten();
        all.any(|one| one.get("result").is_some())
    };
    let has_nested_results = |name| rows.has_value(name, has_results);
    let is_task = rows.has_value("data", Value::is_object)
        && (rows.has_value("annotations", Value::is_array)
            || rows.has_value("completions", Value::is_array));
    let own_keys = LABEL_STUDIO.iter().filter(|name| rows.has_column(name));
    is_task
        || has_nested_results("annotations")
        || has_nested_results("completions")
        || (rows.has_column("result") && rows.has_value("task", Value::is_object))
        || (own_keys.count() >= 3
            && (rows.has_column("annotation_id") || rows.has_column("lead_time")))
}

fn is_argilla(rows: &SourceRows) -> bool {
    let is_response = |value: &Value| {
        let mut all = value.as_array().into_iter().flatten();
        all.any(|one| one.get("user_id").is_some() && one.get("value").is_some())
    };
    let has_columns = rows.columns.iter().any(|name| {
        name.ends_with(".responses")
            || name.ends_with(".responses.users")
            || name.ends_with("-suggestion")
    });
    (rows.has_column("fields") && (rows.has_column("responses") || rows.has_column("suggestions")))
        || has_columns
        || rows.has_column("annotation_agent")
        || rows
            .columns
            .iter()
            .any(|name| rows.has_value(name, is_response))
}

fn is_potato(rows: &SourceRows) -> bool {
    rows.has_column("label_annotations") || rows.columns.iter().any(|name| name.contains(":::"))
}

fn is_prodigy(rows: &SourceRows) -> bool {
    let is_answer = |value: &Value| {
        let answers = ["accept", "reject", "ignore"];
        value
            .as_str()
            .is_some_and(|answer| answers.contains(&answer))
    };
    let own = [
        "_input_hash",
        "_task_hash",
        "_session_id",
        "_annotator_id",
        "_view_id",
    ];
    let is_own = own.iter().any(|name| rows.has_column(name));
    rows.has_value("answer", is_answer)
        && (is_own || rows.has_column("accept") || rows.has_column("label"))
        || (is_own && rows.has_column("accept"))
}

fn is_doccano(rows: &SourceRows) -> bool {
    let has_users = |value: &Value| {
        let mut all = value.as_array().into_iter().flatten();
        all.any(|one| one.get("user").is_some() && one.get("label").is_some())
    };
    let has_text = rows.has_column("text") || rows.has_column("data");
    let own = ["Comments", "annotation_approver", "cats"];
    (has_text && own.iter().any(|name| rows.has_column(name)))
        || rows.has_value("annotations", has_users)
        || (has_text
            && (rows.has_value("label", Value::is_array)
                || rows.has_value("labels", Value::is_array)))
}

/// Says whether each row is an annotation: a person says so, who labelled stands in a column beside the label, or
/// there is one text with a label.
fn is_long(rows: &SourceRows, asked: &LabelColumns) -> bool {
    let is_free = |column: &&String| {
        let mut others = asked.ignored.iter().chain(&asked.automatic);
        !others.any(|name| is_same_column(name, column))
    };
    let free: Vec<&String> = rows.columns.iter().filter(is_free).collect();
    let has = |names: &[&str]| {
        let mut names = names.iter();
        names.any(|name| free.iter().any(|column| is_same_column(name, column)))
    };
    if asked.annotator.is_some() || asked.label.is_some() {
        return true;
    }
    let is_answer = (has(PROMPTS) || asked.prompt.is_some())
        && (has(COMPLETIONS) || asked.completion.is_some());
    let has_text = has(TEXTS) || has(PROMPTS);
    let set = asked.set.as_deref().unwrap_or_default();
    let is_label = has(&[set]) || free.iter().any(|column| holds_labels(rows, column, asked));
    (has(LABELS) && (has(ANNOTATORS) || (!is_answer && has_text))) || (is_label && has(ANNOTATORS))
}

/// Says whether all that stands in a column are labels of the set.
fn holds_labels(rows: &SourceRows, column: &str, asked: &LabelColumns) -> bool {
    let cells = rows
        .rows
        .iter()
        .filter_map(|(_, row)| row.get(column)?.as_str());
    let mut cells = cells.filter(|cell| !asked.is_no_label(cell)).peekable();
    cells.peek().is_some() && cells.all(|cell| asked.is_label(cell))
}
