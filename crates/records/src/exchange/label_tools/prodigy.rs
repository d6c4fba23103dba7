//! Prodigy's exports: JSON Lines with an answer of a person each.

use super::super::label_columns::LabelColumns;
use super::flat_rows::flatten_row;
use super::source_rows::SourceRows;
use super::task::{ToolAnswer, ToolFile, ToolTask, find_column};
use super::verdict::{Verdict, read_person, read_text, read_verdict};
use elenchus_dataset::is_same_column;
use serde_json::{Map, Value};

/// Keys that name who answered; a session's name holds that of its person.
const PEOPLE: [&str; 4] = ["_annotator_id", "annotator", "_session_id", "_annotator"];
/// The keys of what was chosen, of the label that was asked about, and of the answer to it.
const ACCEPT: &str = "accept";
const LABEL: &str = "label";
const ANSWER: &str = "answer";

/// Reads an export.
pub(super) fn parse_prodigy(rows: &SourceRows, asked: &LabelColumns) -> ToolFile {
    let annotator = match &asked.annotator {
        Some(name) => find_column(&rows.columns, &[name]),
        None => PEOPLE.iter().find_map(|name| {
            let is_person = |value: &Value| read_person(value).is_some();
            let column = rows.columns.iter().find(|column| column == name)?;
            rows.has_value(name, is_person).then_some(column)
        }),
    };
    let mut file = ToolFile {
        annotator: annotator.cloned(),
        has_own_questions: true,
        ..ToolFile::default()
    };
    let is_label_key = |key: &str| {
        let label = asked.label.as_deref();
        label.is_some_and(|label| is_same_column(label, key))
    };
    // Whether the answer itself is the verdict, as where one label alone was asked about.
    let by_answer = is_label_key(ANSWER);
    for (line, row) in &rows.rows {
        let mut task = ToolTask {
            line: *line,
            ..ToolTask::default()
        };
        let answer = row.get(ANSWER).and_then(Value::as_str).unwrap_or(ACCEPT);
        let is_skip = answer == "ignore" || (answer != ACCEPT && !by_answer);
        let mut verdicts = Vec::new();
        if let Some(choice) = row.get(ACCEPT) {
            verdicts.push((ACCEPT.to_owned(), read_chosen(choice, row, asked)));
        }
        if let Some(label) = row.get(LABEL).filter(|label| !label.is_null()) {
            verdicts.push((LABEL.to_owned(), read_verdict(label)));
        }
        if row
            .get("spans")
            .and_then(Value::as_array)
            .is_some_and(|spans| !spans.is_empty())
        {
            verdicts.push(("spans".to_owned(), Verdict::Unfit("spans")));
        }
        if by_answer {
            verdicts.push((ANSWER.to_owned(), Verdict::Word(answer.to_owned())));
        }
        task.answers.push(ToolAnswer {
            by: file
                .annotator
                .as_ref()
                .and_then(|name| read_person(row.get(name)?)),
            verdicts: verdicts
                .into_iter()
                .filter(|(name, _)| !asked.ignores_column(name))
                .collect(),
            skipped: is_skip.then(|| format!("{ANSWER}: {answer}")),
            is_draft: false,
        });
        for (name, value) in &flatten_row(row) {
            let is_answer = [
                ACCEPT,
                LABEL,
                ANSWER,
                "options",
                "spans",
                "tokens",
                "config",
                "choice_style",
            ];
            if name.starts_with('_') || is_answer.contains(&name.as_str()) {
                continue;
            }
            match asked.ignores_column(name) {
                true => file.add_unread_name(name),
                false => task.texts.push((name.clone(), read_text(value))),
            }
        }
        file.add_task(task);
    }
    file
}

/// Reads what was chosen among the options: an option's id, or its text where that is the label.
fn read_chosen(chosen: &Value, row: &Map<String, Value>, asked: &LabelColumns) -> Verdict {
    let verdict = read_verdict(chosen);
    let Verdict::Word(id) = &verdict else {
        return verdict;
    };
    if asked.is_label(id) {
        return verdict;
    }
    let mut options = row
        .get("options")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let is_it = |option: &&Value| {
        let own = option.get("id").map(read_verdict);
        own.as_ref() == Some(&verdict)
    };
    let text = options
        .find(is_it)
        .and_then(|option| option.get("text")?.as_str());
    let is_number = id.chars().all(|letter| letter.is_ascii_digit());
    match text.filter(|text| asked.is_label(text) || is_number) {
        Some(text) => Verdict::Word(text.trim().to_owned()),
        None => verdict,
    }
}
