//! Columns of what was labelled: prompt and completion, or one text for both.

use super::super::completion_table::shorten;
use super::super::label_columns::LabelColumns;
use super::divided_text::TextMarks;
use super::task::{ToolFile, ToolTask, find_column, find_option_column};
use elenchus_dataset::is_same_column;

/// Columns of prompts; the first that there is wins.
pub(super) const PROMPTS: &[&str] = &[
    "prompt",
    "question",
    "instruction",
    "query",
    "input",
    "user_prompt",
    "user_input",
    "user_query",
    "user_message",
    "request",
    "goal",
];
/// Columns of completions.
pub(super) const COMPLETIONS: &[&str] = &[
    "completion",
    "response",
    "answer",
    "output",
    "reply",
    "generation",
    "generated_text",
    "model_response",
    "model_output",
    "model_answer",
    "assistant",
    "text",
];
/// Columns of what was labelled where no completion is called so.
pub(super) const TEXTS: &[&str] = &[
    "text",
    "displayed_text",
    "document",
    "sentence",
    "comment",
    "content",
    "data",
    "html",
    "message",
    "body",
    "post",
];
const IDS: &[&str] = &[
    "id",
    "instance_id",
    "task_id",
    "item_id",
    "record_id",
    "external_id",
    "example_id",
    "doc_id",
    "prompt_id",
    "question_id",
    "uid",
    "uuid",
    "index",
];
const CATEGORIES: &[&str] = &["category", "type"];
const CONTEXTS: &[&str] = &["context"];

/// The columns of a file's texts.
#[derive(Debug)]
pub(super) struct TextColumns {
    pub id: Option<String>,
    pub texts: LabelledTexts,
    pub category: Option<String>,
    pub context: Option<String>,
    pub probability: Option<String>,
    pub programs: Vec<String>,
}

/// Where prompts and completions stand.
#[derive(Debug)]
pub(super) enum LabelledTexts {
    Apart {
        prompt: String,
        completion: String,
    },
    /// In one text: divided where every text has the same marks, else the text stands for both.
    One {
        column: String,
        marks: Option<TextMarks>,
    },
}

impl TextColumns {
    /// Says whether a column is one of these.
    pub(super) fn has_column(&self, column: &str) -> bool {
        let names = [&self.id, &self.category, &self.context, &self.probability];
        let mut names = names.into_iter().flatten().chain(&self.programs);
        let is_text = match &self.texts {
            LabelledTexts::Apart { prompt, completion } => column == prompt || column == completion,
            LabelledTexts::One { column: text, .. } => column == text,
        };
        is_text || names.any(|name| name == column)
    }

    /// Returns the prompt and the completion of a task.
    ///
    /// # Errors
    /// When either is empty.
    pub(super) fn extract_texts(&self, task: &ToolTask) -> Result<(String, String), String> {
        let text = |column: &str| {
            let text = task.find_text(column).map(str::to_owned);
            text.ok_or_else(|| format!("'{column}' is empty"))
        };
        match &self.texts {
            LabelledTexts::Apart { prompt, completion } => Ok((text(prompt)?, text(completion)?)),
            LabelledTexts::One { column, marks } => {
                let text = text(column)?;
                let parts = marks.as_ref().and_then(|marks| marks.divide(&text));
                Ok(parts.unwrap_or_else(|| (text.clone(), text)))
            }
        }
    }
}

/// Chooses the columns of the texts: those that a person named, else by their names.
///
/// # Errors
/// When a column that was named is not there, or none holds what was labelled.
pub(super) fn choose_texts(file: &ToolFile, asked: &LabelColumns) -> Result<TextColumns, String> {
    let is_other = |column: &String| {
        let other_names = [&asked.label, &asked.probability];
        let mut other_names = other_names.into_iter().flatten().chain(&asked.automatic);
        other_names.any(|name| is_same_column(name, column))
    };
    let free: Vec<String> = file
        .columns
        .iter()
        .filter(|name| !is_other(name))
        .cloned()
        .collect();
    let option_column = |option: &str, name: &Option<String>| {
        let column = name
            .as_ref()
            .map(|name| find_option_column(&file.columns, option, name));
        column.transpose().map(|column| column.cloned())
    };
    let prompt = option_column("--prompt", &asked.prompt)?;
    let completion = option_column("--completion", &asked.completion)?;
    let probability = option_column("--probability", &asked.probability)?;
    let programs = asked.automatic.iter();
    let programs =
        programs.map(|name| find_option_column(&file.columns, "--automatic", name).cloned());
    let texts = choose_text_columns(file, &free, prompt, completion)?;
    let rest: Vec<String> = match &texts {
        LabelledTexts::Apart { prompt, completion } => {
            let rest = free.into_iter();
            rest.filter(|name| name != prompt && name != completion)
                .collect()
        }
        LabelledTexts::One { column, .. } => {
            free.into_iter().filter(|name| name != column).collect()
        }
    };
    Ok(TextColumns {
        id: find_column(&rest, IDS).cloned(),
        category: find_column(&rest, CATEGORIES).cloned(),
        context: find_column(&rest, CONTEXTS).cloned(),
        texts,
        probability,
        programs: programs.collect::<Result<_, _>>()?,
    })
}

fn choose_text_columns(
    file: &ToolFile,
    free: &[String],
    prompt: Option<String>,
    completion: Option<String>,
) -> Result<LabelledTexts, String> {
    let without = |names: &[String], other: &Option<String>| -> Vec<String> {
        let others = names.iter().filter(|name| Some(*name) != other.as_ref());
        others.cloned().collect()
    };
    let prompt = prompt.or_else(|| find_column(&without(free, &completion), PROMPTS).cloned());
    let rest = without(free, &prompt);
    let usual_column = find_column(&rest, COMPLETIONS).or_else(|| find_column(&rest, TEXTS));
    let completion = completion.or_else(|| usual_column.cloned());
    let one = |column: String| {
        let texts = file.tasks.iter().filter_map(|task| task.find_text(&column));
        let marks = TextMarks::find_common(texts);
        LabelledTexts::One { column, marks }
    };
    match (prompt, completion) {
        (Some(prompt), Some(completion)) if prompt != completion => {
            Ok(LabelledTexts::Apart { prompt, completion })
        }
        (Some(only), _) | (None, Some(only)) => Ok(one(only)),
        (None, None) => Err(format!(
            "no column holds what was labelled: there are {}; say which are its prompt and its completion: \
             --prompt COLUMN --completion COLUMN",
            shorten(&file.columns.join(", "))
        )),
    }
}
