//! Argilla's exports: records with fields and responses, of both versions, and data sets with a column a question.

use super::super::label_columns::LabelColumns;
use super::source_rows::SourceRows;
use super::task::{ToolAnswer, ToolFile, ToolTask};
use super::verdict::{Verdict, read_literal, read_person, read_text, read_verdict};
use serde_json::{Map, Value};

/// What a response that nobody submitted is called.
const DISCARDED: &str = "discarded";
const DRAFT: &str = "draft";

/// Reads an export.
pub(super) fn parse_argilla(rows: &SourceRows, asked: &LabelColumns) -> ToolFile {
    let mut file = ToolFile {
        annotator: Some("user_id".to_owned()),
        has_own_questions: true,
        ..ToolFile::default()
    };
    let key = asked.annotator.as_deref().unwrap_or("user_id");
    for (line, row) in &rows.rows {
        let mut record = Record {
            key,
            task: ToolTask {
                line: *line,
                ..ToolTask::default()
            },
        };
        for (name, value) in row {
            // A table holds lists and objects as text.
            let literal = value.as_str().and_then(read_literal);
            let value = literal.as_ref().unwrap_or(value);
            record.add_field(name, value, row, asked, &mut file);
        }
        file.add_task(record.task);
    }
    if file
        .tasks
        .iter()
        .flat_map(|task| &task.answers)
        .all(|answer| answer.by.is_none())
    {
        file.annotator = None;
    }
    file
}

struct Record<'a> {
    /// The key that names who responded.
    key: &'a str,
    task: ToolTask,
}

impl Record<'_> {
    fn add_field(
        &mut self,
        name: &str,
        value: &Value,
        row: &Map<String, Value>,
        asked: &LabelColumns,
        file: &mut ToolFile,
    ) {
        if asked.ignores_column(name) {
            return file.add_unread_name(name);
        }
        match (name, value) {
            ("fields" | "inputs", Value::Object(within)) => {
                self.add_task_texts("", within, asked, file)
            }
            ("metadata", Value::Object(within)) => {
                self.add_task_texts("metadata.", within, asked, file)
            }
            ("responses", Value::Object(questions)) => {
                for (question, responses) in questions {
                    if !asked.ignores_column(question) {
                        self.add_responses(question, responses);
                    }
                }
            }
            ("responses", Value::Array(responses)) => {
                for response in responses {
                    self.add_response_of_all(response, asked);
                }
            }
            // One annotation a record, as the first version has it.
            ("annotation", value) => self.add_annotation(value, row),
            ("suggestions" | "prediction" | "prediction_agent" | "vectors" | "metrics", _) => {
                if !value.is_null() {
                    file.add_unread_name(name);
                }
            }
            ("status" | "_server_id" | "annotation_agent" | "event_timestamp", _) => {}
            ("inserted_at" | "updated_at" | "explanation" | "multi_label", _) => {}
            (_, value) => self.add_column(name, value, row, file),
        }
    }

    fn add_task_texts(
        &mut self,
        prefix: &str,
        within: &Map<String, Value>,
        asked: &LabelColumns,
        file: &mut ToolFile,
    ) {
        for (name, value) in within {
            let name = format!("{prefix}{name}");
            match asked.ignores_column(&name) {
                true => file.add_unread_name(&name),
                false => self.task.texts.push((name, read_text(value))),
            }
        }
    }

    /// Adds a column of a data set: the values of a question's responses, whose people and states stand in columns
    /// beside it; responses as objects; or a text.
    fn add_column(
        &mut self,
        name: &str,
        value: &Value,
        row: &Map<String, Value>,
        file: &mut ToolFile,
    ) {
        if name.ends_with(".responses.users") || name.ends_with(".responses.status") {
            return;
        }
        if name.contains(".suggestion") || name.contains("-suggestion") {
            return file.add_unread_name(name);
        }
        if let Some(question) = name.strip_suffix(".responses") {
            let beside = |end: &str| {
                let value = row.get(&format!("{name}.{end}"))?;
                let literal = value.as_str().and_then(read_literal);
                literal.unwrap_or_else(|| value.clone()).as_array().cloned()
            };
            let (users, states) = (beside("users"), beside("status"));
            let at = |of: &Option<Vec<Value>>, at: usize| of.as_ref()?.get(at).cloned();
            for (place, said) in value.as_array().into_iter().flatten().enumerate() {
                let by = at(&users, place).as_ref().and_then(read_person);
                self.add_answer(by, question, said, at(&states, place).as_ref());
            }
            return;
        }
        let is_responses = value.as_array().is_some_and(|all| {
            let mut all = all.iter();
            all.len() > 0 && all.all(|one| one.get("value").is_some() && one.get("rank").is_none())
        });
        match is_responses {
            true => self.add_responses(name, value),
            false => self.task.texts.push((name.to_owned(), read_text(value))),
        }
    }

    /// Adds the responses to one question.
    fn add_responses(&mut self, question: &str, responses: &Value) {
        let one = std::slice::from_ref(responses);
        let all = match responses {
            Value::Array(all) => all.as_slice(),
            Value::Object(_) => one,
            _ => &[],
        };
        for response in all {
            let by = response.get(self.key).and_then(read_person);
            let answer_value = response.get("value").unwrap_or(&Value::Null);
            self.add_answer(by, question, answer_value, response.get("status"));
        }
    }

    /// Adds one person's response to all questions.
    fn add_response_of_all(&mut self, response: &Value, asked: &LabelColumns) {
        let by = response.get(self.key).and_then(read_person);
        let status = response.get("status");
        let values = response.get("values").and_then(Value::as_object);
        let mut is_empty = true;
        for (question, said) in values.into_iter().flatten() {
            if !asked.ignores_column(question) {
                is_empty = false;
                self.add_answer(by.clone(), question, said, status);
            }
        }
        if is_empty {
            let no_answers = Vec::new();
            self.push_answer(by, no_answers, status);
        }
    }

    fn add_annotation(&mut self, value: &Value, row: &Map<String, Value>) {
        let by = row.get("annotation_agent").and_then(read_person);
        let discard_status = Value::String(DISCARDED.to_owned());
        let status = row.get("status").and_then(Value::as_str);
        let is_discarded = status.is_some_and(|status| status.eq_ignore_ascii_case(DISCARDED));
        if !value.is_null() || is_discarded {
            self.add_answer(
                by,
                "annotation",
                value,
                is_discarded.then_some(&discard_status),
            );
        }
    }

    /// Adds an answer to a question to what the same person answered to others.
    fn add_answer(
        &mut self,
        by: Option<String>,
        question: &str,
        said: &Value,
        status: Option<&Value>,
    ) {
        let verdict = match said {
            Value::Object(object) if object.contains_key("value") => {
                read_verdict(object.get("value").unwrap_or(&Value::Null))
            }
            said => read_verdict(said),
        };
        let mut answers = self.task.answers.iter_mut();
        let is_more = |answer: &&mut ToolAnswer| {
            by.is_some() && answer.by == by && answer.find_verdict(question).is_none()
        };
        match answers.find(is_more) {
            Some(known) => known.verdicts.push((question.to_owned(), verdict)),
            None => self.push_answer(by, vec![(question.to_owned(), verdict)], status),
        }
    }

    fn push_answer(
        &mut self,
        by: Option<String>,
        verdicts: Vec<(String, Verdict)>,
        status: Option<&Value>,
    ) {
        let status = status.and_then(Value::as_str).unwrap_or_default();
        let is = |word: &str| {
            status
                .rsplit('.')
                .next()
                .is_some_and(|last| last.eq_ignore_ascii_case(word))
        };
        self.task.answers.push(ToolAnswer {
            by,
            verdicts,
            skipped: is(DISCARDED).then(|| DISCARDED.to_owned()),
            is_draft: is(DRAFT),
        });
    }
}
