//! Tasks of a label tool: their texts by column, and what people answered to the tool's questions.

use super::verdict::Verdict;
use elenchus_dataset::is_same_column;

/// A file of a label tool.
#[derive(Debug, Default)]
pub(super) struct ToolFile {
    pub tasks: Vec<ToolTask>,
    /// Columns that a task can have its texts in, in the order in which they occur.
    pub columns: Vec<String>,
    /// Questions that an answer can hold a label to, in the order in which they occur.
    pub questions: Vec<String>,
    /// The column or key that names who answered; `None` where the file names nobody.
    pub annotator: Option<String>,
    /// What is known to be neither text nor label.
    pub unread: Vec<String>,
    pub rows_are: RowsAre,
    pub broken: Vec<(u64, String)>,
    /// Whether the questions are the tool's own, so that a column is none of them.
    pub has_own_questions: bool,
}

/// What a row of a file stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum RowsAre {
    /// A task that the tool numbers, or an annotation of one.
    #[default]
    TasksById,
    /// An annotation; an id may be that of the row.
    Annotations,
}

/// A task, or the part of it that one row holds.
#[derive(Debug, Default)]
pub(super) struct ToolTask {
    pub line: u64,
    /// By column.
    pub texts: Vec<(String, String)>,
    pub answers: Vec<ToolAnswer>,
}

/// What one person answered.
#[derive(Debug, Default)]
pub(super) struct ToolAnswer {
    pub by: Option<String>,
    /// By question.
    pub verdicts: Vec<(String, Verdict)>,
    /// In the tool's word, why there is no answer.
    pub skipped: Option<String>,
    /// It was begun and not submitted.
    pub is_draft: bool,
}

impl ToolTask {
    /// Returns a text that is not blank.
    pub fn find_text(&self, column: &str) -> Option<&str> {
        let mut texts = self.texts.iter().filter(|(name, _)| name == column);
        let text = texts.next().map(|(_, text)| text.as_str());
        text.filter(|text| !text.trim().is_empty())
    }
}

impl ToolAnswer {
    pub fn find_verdict(&self, question: &str) -> Option<&Verdict> {
        let mut verdicts = self.verdicts.iter().filter(|(name, _)| name == question);
        verdicts.next().map(|(_, verdict)| verdict)
    }
}

impl ToolFile {
    /// Adds a task; its columns and questions are known from then on.
    pub fn add_task(&mut self, task: ToolTask) {
        for (column, _) in &task.texts {
            if !self.columns.contains(column) {
                self.columns.push(column.clone());
            }
        }
        for (question, _) in task.answers.iter().flat_map(|answer| &answer.verdicts) {
            if !self.questions.contains(question) {
                self.questions.push(question.clone());
            }
        }
        self.tasks.push(task);
    }

    /// Keeps the name of something that is not read.
    pub fn add_unread_name(&mut self, name: &str) {
        if !self.unread.iter().any(|known| known == name) {
            self.unread.push(name.to_owned());
        }
    }
}

/// Returns the column of the first of these names that there is, else the one within an object of further columns.
pub(super) fn find_column<'a>(columns: &'a [String], names: &[&str]) -> Option<&'a String> {
    let find = |own: fn(&str) -> &str| {
        names.iter().find_map(|name| {
            let mut same = columns.iter();
            same.find(|column| is_same_column(name, own(column)))
        })
    };
    find(|column| column).or_else(|| find(own_column_name))
}

/// Returns a column's own name where it stands within an object: `prompt` of `meta.prompt`.
fn own_column_name(column: &str) -> &str {
    let objects = ["meta.", "metadata.", "fields."];
    let own = objects
        .iter()
        .find_map(|object| column.strip_prefix(object));
    own.unwrap_or(column)
}

/// Returns the column that a person named.
///
/// # Errors
/// When there is none of the name; says which there are.
pub(super) fn find_option_column<'a>(
    columns: &'a [String],
    option: &str,
    name: &str,
) -> Result<&'a String, String> {
    let exact = columns.iter().find(|column| *column == name);
    exact
        .or_else(|| find_column(columns, &[name]))
        .ok_or_else(|| {
            format!(
                "{option} {name}: there is no column '{name}': there are {}",
                super::super::completion_table::shorten(&columns.join(", "))
            )
        })
}
