//! Answers to prompts with a label a person, collected from a tool's tasks.

use super::super::finished_debate::{
    FinishedFile, FinishedItem, FinishedKind, FinishedTurn, FoundLabel, FoundSkip, LabelledBy,
};
use super::super::label_columns::LabelColumns;
use super::question::LabelQuestion;
use super::task::{RowsAre, ToolAnswer, ToolFile, ToolTask};
use super::text_columns::{LabelledTexts, TextColumns};
use super::verdict::Verdict;
use std::collections::{BTreeMap, BTreeSet};

/// The longest name of an annotator, in characters.
const MAX_NAME_CHARS: usize = 200;

/// What makes two tasks one: prompt, completion and context, and the id where it tells tasks apart.
type AnswerKey = (String, String, Option<String>, Option<String>);

/// Adds an item for each answer to a prompt, with a label a person.
pub(super) fn collect_answers(
    finds: &mut FinishedFile,
    stem: &str,
    file: &ToolFile,
    texts: &TextColumns,
    question: &LabelQuestion,
    asked: &LabelColumns,
) {
    let mut collector = AnswerCollector {
        file,
        texts,
        question,
        asked,
        unnamed: fallback_name(stem, file),
        items: Vec::new(),
        places: BTreeMap::new(),
        counts: AnswerCounts::default(),
        with_row_ids: find_row_id_texts(file, texts),
    };
    for task in &file.tasks {
        if let Err((line, why)) = collector.add_task(task) {
            finds.refuse_row(line, why);
        }
    }
    let AnswerCollector {
        items,
        counts,
        unnamed,
        ..
    } = collector;
    counts.add_notes(finds, &question.name, &unnamed);
    if let LabelledTexts::One { column, marks } = &texts.texts {
        finds.notes.push(match marks {
            Some(marks) => format!(
                "'{column}' is divided into prompt and completion at '{}' and '{}'",
                marks.prompt, marks.completion
            ),
            None => format!(
                "one column, '{column}', holds what was labelled, so each text is prompt and completion at once; \
                 where another one holds the prompt, say which: --prompt COLUMN"
            ),
        });
    }
    let people: BTreeSet<String> = items
        .iter()
        .flat_map(|item| &item.turns)
        .flat_map(|turn| &turn.labels)
        .filter(|label| label.by == LabelledBy::Person)
        .map(|label| label.column.clone())
        .collect();
    finds.people = people.into_iter().collect();
    finds.automatic.clone_from(&texts.programs);
    finds.items = items;
}

/// Returns the name of people whom the file does not name: the file's own.
fn fallback_name(stem: &str, file: &ToolFile) -> String {
    let answers = file.tasks.iter().flat_map(|task| &task.answers);
    let names: BTreeSet<&str> = answers.filter_map(|answer| answer.by.as_deref()).collect();
    match names.contains(stem) {
        false => stem.to_owned(),
        true => format!("{stem}-unnamed"),
    }
}

/// Returns the texts whose rows have ids of their own, which tell no answers apart: no person labelled any of them
/// twice.
fn find_row_id_texts(file: &ToolFile, texts: &TextColumns) -> BTreeSet<(String, String)> {
    if file.rows_are == RowsAre::TasksById || file.annotator.is_none() {
        return BTreeSet::new();
    }
    let mut people: BTreeMap<(String, String), Vec<Option<&String>>> = BTreeMap::new();
    for task in &file.tasks {
        if let Ok(both) = texts.extract_texts(task) {
            let by = task.answers.iter().map(|answer| answer.by.as_ref());
            people.entry(both).or_default().extend(by);
        }
    }
    let once = people.into_iter().filter(|(_, by)| {
        let names: BTreeSet<&Option<&String>> = by.iter().filter(|by| by.is_some()).collect();
        names.len() == by.len()
    });
    once.map(|(both, _)| both).collect()
}

struct AnswerCollector<'a> {
    file: &'a ToolFile,
    texts: &'a TextColumns,
    question: &'a LabelQuestion,
    asked: &'a LabelColumns,
    unnamed: String,
    items: Vec<FinishedItem>,
    places: BTreeMap<AnswerKey, usize>,
    counts: AnswerCounts,
    with_row_ids: BTreeSet<(String, String)>,
}

/// What is no label, counted.
#[derive(Default)]
struct AnswerCounts {
    skipped: BTreeMap<String, usize>,
    drafts: usize,
    several: usize,
    no_verdict: BTreeMap<&'static str, usize>,
    no_label: BTreeMap<String, usize>,
    unnamed: usize,
    twice: usize,
}

impl AnswerCollector<'_> {
    fn add_task(&mut self, task: &ToolTask) -> Result<(), (u64, String)> {
        let refuse = |why: String| (task.line, why);
        let (prompt, completion) = self.texts.extract_texts(task).map_err(refuse)?;
        let text = |column: &Option<String>| {
            let text = column.as_ref().and_then(|column| task.find_text(column));
            text.map(|text| text.trim().to_owned())
        };
        let has_row_id = self
            .with_row_ids
            .contains(&(prompt.clone(), completion.clone()));
        let id = text(&self.texts.id).filter(|_| !has_row_id);
        let context = text(&self.texts.context);
        let probability = self.parse_probability(task).map_err(refuse)?;
        let key = (
            prompt.clone(),
            completion.clone(),
            context.clone(),
            id.clone(),
        );
        // Rows that name nobody and have no id are answers of their own, as in a sheet with a column a person.
        let is_own = self.file.annotator.is_none()
            && task.answers.len() == 1
            && (id.is_none() || self.file.rows_are == RowsAre::Annotations);
        let known_place = self.places.get(&key).copied().filter(|_| !is_own);
        let place = match known_place {
            Some(place) => place,
            None => {
                self.items.push(FinishedItem {
                    line: task.line,
                    id,
                    prompt,
                    category: text(&self.texts.category),
                    context,
                    form: FinishedKind::Answer,
                    probability,
                    turns: vec![FinishedTurn::from_answer(completion)],
                    ..FinishedItem::default()
                });
                self.places.insert(key, self.items.len() - 1);
                self.items.len() - 1
            }
        };
        let Some(item) = self.items.get_mut(place) else {
            return Ok(());
        };
        if item.probability != probability {
            return Err(refuse(format!(
                "its answer has another probability here than on line {}",
                item.line
            )));
        }
        let line = item.line;
        for program in &self.texts.programs {
            if let Some(word) = task.find_text(program) {
                let word = word.trim();
                match self.asked.is_no_label(word) {
                    true => self.counts.count_no_label(word),
                    false => add_label(item, program.clone(), word, LabelledBy::Program)
                        .map(|_| ())
                        .map_err(|known| refuse(describe_conflict(program, word, &known, line)))?,
                }
            }
        }
        let mut fault = None;
        for answer in &task.answers {
            let result =
                self.counts
                    .add_answer(item, answer, self.question, self.asked, &self.unnamed);
            if let Err(why) = result {
                fault.get_or_insert(refuse(why));
            }
        }
        fault.map_or(Ok(()), Err)
    }

    fn parse_probability(&self, task: &ToolTask) -> Result<Option<f64>, String> {
        let Some(column) = &self.texts.probability else {
            return Ok(None);
        };
        let text = task.find_text(column).unwrap_or_default().trim();
        super::super::label_columns::read_probability(column, text).map(Some)
    }
}

impl AnswerCounts {
    /// Adds what one person answered.
    fn add_answer(
        &mut self,
        item: &mut FinishedItem,
        answer: &ToolAnswer,
        question: &LabelQuestion,
        asked: &LabelColumns,
        unnamed: &str,
    ) -> Result<(), String> {
        let verdict = answer.find_verdict(&question.name);
        if answer.is_draft {
            self.drafts += usize::from(!answer.verdicts.is_empty());
            return Ok(());
        }
        if let Some(by) = &answer.by
            && (by.chars().count() > MAX_NAME_CHARS || by.chars().any(char::is_control))
        {
            return Err(format!(
                "the annotator's name is longer than {MAX_NAME_CHARS} characters or holds control characters"
            ));
        }
        if let Some(why) = &answer.skipped {
            *self.skipped.entry(why.clone()).or_default() += 1;
            let by = self.name_annotator(item, answer, unnamed);
            if let Some(turn) = item.turns.first_mut()
                && !turn.skips.iter().any(|skip| skip.by == by)
            {
                let why = why.clone();
                turn.skips.push(FoundSkip { by, why });
            }
            return Ok(());
        }
        let word = match verdict {
            None | Some(Verdict::Nothing) => return Ok(()),
            Some(Verdict::Word(word)) if asked.is_no_label(word) => {
                self.count_no_label(word);
                return Ok(());
            }
            Some(Verdict::Word(word)) => word.trim(),
            Some(Verdict::Several) => {
                self.several += 1;
                return Ok(());
            }
            Some(Verdict::Unfit(what)) => {
                *self.no_verdict.entry(what).or_default() += 1;
                return Ok(());
            }
        };
        let by = self.name_annotator(item, answer, unnamed);
        let line = item.line;
        match add_label(item, by.clone(), word, LabelledBy::Person) {
            Ok(GivenNow::First) => Ok(()),
            Ok(GivenNow::Again) => {
                self.twice += 1;
                Ok(())
            }
            Err(known) => Err(describe_conflict(&by, word, &known, line)),
        }
    }

    fn count_no_label(&mut self, word: &str) {
        *self.no_label.entry(word.trim().to_owned()).or_default() += 1;
    }

    /// Returns whose an answer is; two that name nobody are those of two people.
    fn name_annotator(
        &mut self,
        item: &FinishedItem,
        answer: &ToolAnswer,
        unnamed: &str,
    ) -> String {
        if let Some(by) = &answer.by {
            return by.clone();
        }
        self.unnamed += 1;
        let turns = || item.turns.iter();
        let is_taken = |name: &String| {
            let mut labels = turns().flat_map(|turn| &turn.labels);
            let mut skips = turns().flat_map(|turn| &turn.skips);
            labels.any(|label| label.column == *name) || skips.any(|skip| skip.by == *name)
        };
        let further_names = (2_u64..).map(|number| format!("{unnamed}-{number}"));
        let mut names = std::iter::once(unnamed.to_owned()).chain(further_names);
        names
            .find(|name| !is_taken(name))
            .unwrap_or_else(|| unnamed.to_owned())
    }

    /// Says what is no label, with its count.
    fn add_notes(&self, finds: &mut FinishedFile, question: &str, unnamed: &str) {
        let answers = |count: usize| match count {
            1 => "1 answer".to_owned(),
            count => format!("{count} answers"),
        };
        for (why, count) in &self.skipped {
            finds.notes.push(format!(
                "{} skipped ({why}): kept as a note of its person, not as a label",
                answers(*count)
            ));
        }
        if self.drafts > 0 {
            finds
                .notes
                .push(format!("{} not submitted: left out", answers(self.drafts)));
        }
        if self.several > 0 {
            finds.notes.push(format!(
                "{} with several choices to '{question}', so with no single verdict: left out; another question is \
                 named with --label",
                answers(self.several)
            ));
        }
        for (what, count) in &self.no_verdict {
            finds.notes.push(format!(
                "{} with {what} to '{question}', so with no verdict on the whole: left out; another question is named \
                 with --label",
                answers(*count)
            ));
        }
        for (word, count) in &self.no_label {
            finds
                .notes
                .push(format!("'{word}' is no label ({})", answers(*count)));
        }
        if self.unnamed > 0 {
            finds.notes.push(format!(
                "{} by nobody who is named: called '{unnamed}' after the file",
                answers(self.unnamed)
            ));
        }
        if self.twice > 0 {
            finds.notes.push(format!(
                "{} given twice by one person, with the same label: counted once",
                answers(self.twice)
            ));
        }
    }
}

enum GivenNow {
    First,
    Again,
}

/// Gives an item's only turn a label; returns the label that the column has already where it is another one.
fn add_label(
    item: &mut FinishedItem,
    column: String,
    word: &str,
    by: LabelledBy,
) -> Result<GivenNow, String> {
    let Some(turn) = item.turns.first_mut() else {
        return Ok(GivenNow::Again);
    };
    let known_label = turn
        .labels
        .iter()
        .find(|label| label.column == column && label.by == by);
    match known_label {
        Some(known) if known.label.eq_ignore_ascii_case(word) => Ok(GivenNow::Again),
        Some(known) => Err(known.label.clone()),
        None => {
            let label = word.to_owned();
            turn.labels.push(FoundLabel {
                column,
                label,
                by,
                ..FoundLabel::default()
            });
            Ok(GivenNow::First)
        }
    }
}

fn describe_conflict(who: &str, word: &str, known: &str, line: u64) -> String {
    format!(
        "'{who}' says '{word}' of an answer of which they say '{known}' before (the answer of line {line}): leave one \
         of them out"
    )
}
