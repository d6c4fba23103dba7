//! The question whose answers are the labels.

use super::super::completion_table::shorten;
use super::super::label_columns::{LabelColumns, LabelField, LabelReading};
use super::super::label_file_kind::LabelFileKind;
use super::flat_rows::LABELS;
use super::task::ToolFile;
use super::text_columns::{LabelledTexts, TextColumns};
use super::verdict::Verdict;
use elenchus_dataset::is_same_column;
use std::collections::BTreeSet;

/// A question of a file.
#[derive(Debug)]
pub(super) struct LabelQuestion {
    pub name: String,
}

/// What a file's answers to a question look like.
struct QuestionAnswers<'a> {
    name: &'a String,
    /// Different words that are labels or could be.
    words: BTreeSet<String>,
    /// What else there is.
    other: BTreeSet<&'static str>,
}

/// Chooses the question: the one that a person named, else the only one whose words are all labels, else the only one
/// that is called like labels, else the only one that a tool asks.
///
/// # Errors
/// When there is none of the name, or several could be it.
pub(super) fn choose_question(
    file: &ToolFile,
    texts: &TextColumns,
    asked: &LabelColumns,
) -> Result<LabelQuestion, String> {
    let questions = file
        .questions
        .iter()
        .filter(|name| file.has_own_questions || !texts.has_column(name));
    if let Some(label) = &asked.label {
        let exact = file.questions.iter().find(|name| *name == label);
        let mut same = file
            .questions
            .iter()
            .filter(|name| is_same_column(label, name));
        let candidate = exact.or_else(|| same.next());
        return candidate
            .cloned()
            .map(|name| LabelQuestion { name })
            .ok_or_else(|| {
                let names: Vec<&str> = questions.map(String::as_str).collect();
                format!(
                    "--label {label}: there is no column or question of this name: there are {}",
                    shorten(&names.join(", "))
                )
            });
    }
    let all: Vec<QuestionAnswers<'_>> = questions
        .map(|name| summarize_answers(file, name, asked))
        .collect();
    let with_words: Vec<&QuestionAnswers<'_>> =
        all.iter().filter(|one| !one.words.is_empty()).collect();
    let has_label_name = |one: &&&QuestionAnswers<'_>| {
        let set = asked.set.as_deref().unwrap_or_default();
        is_same_column(set, one.name) || LABELS.iter().any(|name| is_same_column(name, one.name))
    };
    let is_known = |one: &&&QuestionAnswers<'_>| one.words.iter().all(|word| asked.is_label(word));
    let with_labels: Vec<_> = with_words.iter().filter(is_known).copied().collect();
    let with_label_name: Vec<_> = with_words.iter().filter(has_label_name).copied().collect();
    let both = with_labels
        .iter()
        .filter(|one| with_label_name.iter().any(|other| other.name == one.name));
    let both: Vec<_> = both.copied().collect();
    let clear_choice = match (
        with_labels.as_slice(),
        both.as_slice(),
        with_label_name.as_slice(),
    ) {
        ([only], ..) | (_, [only], _) => Some(*only),
        ([], _, [only]) => Some(*only),
        ([], _, []) if file.has_own_questions && with_words.len() == 1 => {
            with_words.first().copied()
        }
        _ => None,
    };
    let name = clear_choice.map(|one| one.name.clone());
    name.map(|name| LabelQuestion { name })
        .ok_or_else(|| describe_choice(&all, with_words.is_empty()))
}

fn describe_choice(all: &[QuestionAnswers<'_>], is_nothing: bool) -> String {
    let question_list = all.iter().map(|one| {
        let other = one.other.iter().copied().collect::<Vec<_>>().join(", ");
        match other.is_empty() {
            true => one.name.clone(),
            false => format!("{} ({other})", one.name),
        }
    });
    let question_list = shorten(&question_list.collect::<Vec<_>>().join(", "));
    match (all.is_empty(), is_nothing) {
        (true, _) => {
            "no column or question holds labels; say which does: --label COLUMN".to_owned()
        }
        (false, true) => {
            format!("no question has one verdict an answer: there are {question_list}")
        }
        (false, false) => format!(
            "it is not clear which column or question holds the label: there are {question_list}; say which: --label \
             COLUMN"
        ),
    }
}

fn summarize_answers<'a>(
    file: &ToolFile,
    name: &'a String,
    asked: &LabelColumns,
) -> QuestionAnswers<'a> {
    let mut answers = QuestionAnswers {
        name,
        words: BTreeSet::new(),
        other: BTreeSet::new(),
    };
    let all = file.tasks.iter().flat_map(|task| &task.answers);
    for verdict in all.filter_map(|answer| answer.find_verdict(name)) {
        match verdict {
            Verdict::Word(word) if asked.is_no_label(word) => {}
            Verdict::Word(word) => {
                answers.words.insert(word.trim().to_lowercase());
            }
            Verdict::Nothing => {}
            Verdict::Several => {
                answers.other.insert("several choices");
            }
            Verdict::Unfit(what) => {
                answers.other.insert(what);
            }
        }
    }
    answers
}

impl LabelQuestion {
    /// Says how the file is read.
    ///
    /// # Errors
    /// When a column is to be read as two things.
    pub(super) fn build_reading(
        &self,
        kind: LabelFileKind,
        file: &ToolFile,
        texts: &TextColumns,
        asked: &LabelColumns,
    ) -> Result<LabelReading, String> {
        if texts.has_column(&self.name) && !file.has_own_questions {
            return Err(format!(
                "the column '{}' is to be the label and something else: name another one",
                self.name
            ));
        }
        let mut columns = Vec::new();
        let mut read = |column: &String, field| columns.push((column.clone(), field));
        if let Some(id) = &texts.id {
            read(id, LabelField::Id);
        }
        match &texts.texts {
            LabelledTexts::Apart { prompt, completion } => {
                read(prompt, LabelField::Prompt);
                read(completion, LabelField::Completion);
            }
            LabelledTexts::One { column, .. } => read(column, LabelField::Text),
        }
        let others = [
            (&texts.category, LabelField::Category),
            (&texts.context, LabelField::Context),
            (&file.annotator, LabelField::Annotator),
            (&Some(self.name.clone()), LabelField::Label),
            (&texts.probability, LabelField::Probability),
        ];
        for (column, field) in others {
            if let Some(column) = column {
                read(column, field);
            }
        }
        texts
            .programs
            .iter()
            .for_each(|program| read(program, LabelField::Program));
        let is_read = |name: &String| columns.iter().any(|(column, _)| column == name);
        let mut unread: Vec<String> = Vec::new();
        let rest = file
            .columns
            .iter()
            .chain(&file.questions)
            .chain(&file.unread)
            .chain(&asked.ignored);
        for name in rest.filter(|name| !is_read(name)) {
            if !unread.contains(name) {
                unread.push(name.clone());
            }
        }
        Ok(LabelReading {
            kind,
            columns,
            unread,
        })
    }
}
