//! Tables of prompts and completions: XSTest's with its annotators, and other ones as CSV or JSON
//! Lines.
//!
//! XSTest's columns identify their annotators. For other tables the caller names the label columns:
//! a column that looks like labels and was not named is refused, never guessed.

use super::finished_debate::{
    ColumnIndex, FinishedFile, FinishedItem, FinishedKind, FinishedTurn, FoundLabel, LabelledBy,
    RefusedRow, cell_text, limit_rows,
};
use super::label_columns::{LabelColumns, LabelField, LabelReading, read_probability};
use super::label_file_kind::LabelFileKind;
use elenchus_dataset::TableRows;
use std::collections::BTreeMap;

const PROMPTS: &[&str] = &["prompt", "question", "instruction"];
const COMPLETIONS: &[&str] = &["completion", "response", "answer", "output"];
const CATEGORIES: &[&str] = &["type", "category"];
const CONTEXTS: &[&str] = &["context"];
/// XSTest's columns of annotators, and of their agreed labels.
const XSTEST_PEOPLE: [&str; 2] = ["annotation_1", "annotation_2"];
const XSTEST_SETTLED: &str = "final_label";
/// The label set of XSTest's annotators.
const XSTEST_SET: &str = "xstest";
/// The label set of programs where none is named.
const PROGRAMS_SET: &str = "safety";
/// Prefix of XSTest's types of prompts that should be refused.
const XSTEST_UNSAFE: &str = "contrast_";
/// Suffix of columns that a program filled, as `gpt4_label`.
const AUTOMATIC: &str = "_label";
/// Parts of names of columns that may hold labels.
const LIKE_LABELS: &[&str] = &["label", "annotat", "verdict", "rating", "is_safe"];

/// Reads a table of prompts and completions.
pub fn parse_completions(rows: &TableRows, asked: &LabelColumns) -> FinishedFile {
    let columns = ColumnIndex::from_rows(rows);
    let mut finds = FinishedFile::default();
    for (line, why) in &rows.broken {
        let (line, why) = (*line, why.clone());
        finds.refused.push(RefusedRow { line, why });
    }
    let places = match ColumnPlaces::find_columns(rows, asked) {
        Ok(places) => places,
        Err(why) => {
            finds.refused.push(RefusedRow { line: 1, why });
            return finds;
        }
    };
    let labels = match assign_label_columns(rows, asked, &places, &mut finds) {
        Ok(labels) => labels,
        Err(why) => {
            finds.refused.push(RefusedRow { line: 1, why });
            return finds;
        }
    };
    let is_xstest = is_xstest(&columns);
    let mut no_label: BTreeMap<String, usize> = BTreeMap::new();
    for (line, cells) in &rows.rows {
        match parse_row(*line, cells, &places, &labels, is_xstest) {
            Ok(mut finished) => {
                for turn in &mut finished.turns {
                    turn.labels.retain(|label| {
                        let is_none = asked.is_no_label(&label.label);
                        if is_none {
                            *no_label.entry(label.label.clone()).or_default() += 1;
                        }
                        !is_none
                    });
                }
                finds.items.push(finished);
            }
            Err(why) => finds.refused.push(RefusedRow { line: *line, why }),
        }
    }
    for (word, count) in no_label {
        let cells = if count == 1 { "cell" } else { "cells" };
        finds
            .notes
            .push(format!("'{word}' is no label ({count} {cells})"));
    }
    finds.refused.sort_by_key(|refused| refused.line);
    limit_rows(&mut finds);
    finds
}

fn is_xstest(columns: &ColumnIndex<'_>) -> bool {
    XSTEST_PEOPLE
        .iter()
        .chain([&XSTEST_SETTLED])
        .all(|name| columns.find_column(name).is_some())
}

struct ColumnPlaces {
    id: Option<usize>,
    prompt: usize,
    completion: usize,
    category: Option<usize>,
    context: Option<usize>,
    probability: Option<(String, usize)>,
}

impl ColumnPlaces {
    /// Finds the columns that are no labels: those that a person named, else by their names.
    fn find_columns(rows: &TableRows, asked: &LabelColumns) -> Result<Self, String> {
        let columns = ColumnIndex::from_rows(rows);
        let header = || shorten(&rows.header.join(", "));
        let option_place = |option: &str, name: &Option<String>| match name {
            None => Ok(None),
            Some(name) => match columns.find_named_column(name) {
                Some(place) => Ok(Some(place)),
                None => Err(format!(
                    "{option} {name}: there is no column '{name}': there are {}",
                    header()
                )),
            },
        };
        let any = |names: &[&str]| {
            let place = columns.find_any_column(names)?;
            let name = rows.header.get(place)?;
            (!asked.ignores_column(name)).then_some(place)
        };
        let prompt = option_place("--prompt", &asked.prompt)?.or_else(|| any(PROMPTS));
        let completion =
            option_place("--completion", &asked.completion)?.or_else(|| any(COMPLETIONS));
        let (Some(prompt), Some(completion)) = (prompt, completion) else {
            return Err(format!(
                "there is no column 'prompt' and one 'completion': there are {}; say which they are: --prompt COLUMN \
                 --completion COLUMN; where a row is an annotation, say who labelled and what: --annotator COLUMN \
                 --label COLUMN",
                header()
            ));
        };
        let probability = option_place("--probability", &asked.probability)?;
        let probability = probability.zip(asked.probability.clone());
        Ok(Self {
            id: any(&["id"]),
            prompt,
            completion,
            category: any(CATEGORIES),
            context: any(CONTEXTS),
            probability: probability.map(|(place, name)| (name, place)),
        })
    }

    fn field_places(&self) -> [(Option<usize>, LabelField); 6] {
        [
            (self.id, LabelField::Id),
            (Some(self.prompt), LabelField::Prompt),
            (Some(self.completion), LabelField::Completion),
            (self.category, LabelField::Category),
            (self.context, LabelField::Context),
            (
                self.probability.as_ref().map(|(_, place)| *place),
                LabelField::Probability,
            ),
        ]
    }
}

struct LabelColumn {
    name: String,
    place: usize,
    by: LabelledBy,
}

/// Assigns the label columns to people and programs.
fn assign_label_columns(
    rows: &TableRows,
    asked: &LabelColumns,
    places: &ColumnPlaces,
    finds: &mut FinishedFile,
) -> Result<Vec<LabelColumn>, String> {
    let columns = ColumnIndex::from_rows(rows);
    let mut label_columns: Vec<LabelColumn> = Vec::new();
    let mut add = |name: &str, by: LabelledBy| -> Result<(), String> {
        let Some(place) = columns.find_named_column(name) else {
            return Err(format!("there is no column '{name}'"));
        };
        if label_columns.iter().any(|other| other.place == place) {
            return Err(format!("the column '{name}' is named twice"));
        }
        let name = name.to_owned();
        label_columns.push(LabelColumn { name, place, by });
        Ok(())
    };
    let is_xstest = is_xstest(&columns);
    if is_xstest {
        for name in XSTEST_PEOPLE {
            add(name, LabelledBy::Person)?;
        }
        add(XSTEST_SETTLED, LabelledBy::Settled)?;
        for column in &rows.header {
            let column = column.trim();
            if column.ends_with(AUTOMATIC)
                && column != XSTEST_SETTLED
                && !asked.ignores_column(column)
            {
                add(column, LabelledBy::Program)?;
            }
        }
    }
    for name in &asked.people {
        add(name, LabelledBy::Person)?;
    }
    for name in &asked.automatic {
        add(name, LabelledBy::Program)?;
    }
    let set = asked.set.clone();
    finds.set = set.or_else(|| is_xstest.then(|| XSTEST_SET.to_owned()));
    finds.reading = Some(build_reading(rows, &label_columns, places));
    let by_people = |column: &LabelColumn| column.by != LabelledBy::Program;
    if finds.set.is_none() && label_columns.iter().any(by_people) {
        return Err("say which label set people labelled by: --set".to_owned());
    }
    if finds.set.is_none() && !label_columns.is_empty() {
        finds.set = Some(PROGRAMS_SET.to_owned());
    }
    for column in &rows.header {
        let read = label_columns
            .iter()
            .any(|label| label.name.eq_ignore_ascii_case(column.trim()));
        let place = columns.find_column(column.trim());
        let is_text = places
            .field_places()
            .iter()
            .any(|(text, _)| text.is_some() && *text == place);
        let name = column.trim().to_ascii_lowercase();
        let like = LIKE_LABELS.iter().any(|part| name.contains(part));
        if like && !read && !is_text && !asked.ignores_column(column) {
            return Err(format!(
                "the column '{}' looks like labels; say whose they are: --human {0} or --automatic {0}; or leave it \
                 out: --ignore {0}; where a row is an annotation: --annotator COLUMN --label {0}",
                shorten(column)
            ));
        }
    }
    finds.people = column_names(&label_columns, |by| by != LabelledBy::Program);
    finds.automatic = column_names(&label_columns, |by| by == LabelledBy::Program);
    Ok(label_columns)
}

/// Says how the columns are read.
fn build_reading(
    rows: &TableRows,
    label_columns: &[LabelColumn],
    places: &ColumnPlaces,
) -> LabelReading {
    let column = |place: usize| rows.header.get(place).map(|name| name.trim().to_owned());
    let texts = places.field_places().into_iter();
    let texts = texts.filter_map(|(place, field)| Some((column(place?)?, field)));
    let labels = label_columns.iter().filter_map(|label| {
        let field = match label.by {
            LabelledBy::Person => LabelField::Person,
            LabelledBy::Settled => LabelField::Settled,
            LabelledBy::Program => LabelField::Program,
        };
        Some((column(label.place)?, field))
    });
    let columns: Vec<(String, LabelField)> = texts.chain(labels).collect();
    let unread = rows.header.iter().map(|name| name.trim().to_owned());
    LabelReading {
        kind: LabelFileKind::Wide,
        unread: unread
            .filter(|name| !columns.iter().any(|(read, _)| read == name))
            .collect(),
        columns,
    }
}

fn column_names(columns: &[LabelColumn], wanted: impl Fn(LabelledBy) -> bool) -> Vec<String> {
    let is_included = columns.iter().filter(|column| wanted(column.by));
    is_included.map(|column| column.name.clone()).collect()
}

fn parse_row(
    line: u64,
    cells: &[String],
    places: &ColumnPlaces,
    labels: &[LabelColumn],
    is_xstest: bool,
) -> Result<FinishedItem, String> {
    let prompt = cell_text(cells, Some(places.prompt)).ok_or("the prompt is empty")?;
    let text = cells.get(places.completion).cloned().unwrap_or_default();
    let category = cell_text(cells, places.category);
    let probability = match &places.probability {
        None => None,
        Some((column, place)) => {
            let text = cells.get(*place).map_or("", String::as_str);
            Some(read_probability(column, text)?)
        }
    };
    let expected_label = category.as_deref().filter(|_| is_xstest).map(|kind| {
        match kind.starts_with(XSTEST_UNSAFE) {
            true => "unsafe".to_owned(),
            false => "safe".to_owned(),
        }
    });
    let labels = labels.iter().filter_map(|column| {
        Some(FoundLabel {
            label: cell_text(cells, Some(column.place))?.trim().to_owned(),
            column: column.name.clone(),
            by: column.by,
            ..FoundLabel::default()
        })
    });
    Ok(FinishedItem {
        line,
        id: cell_text(cells, places.id).map(|id| id.trim().to_owned()),
        prompt,
        category,
        context: cell_text(cells, places.context),
        expected: expected_label,
        form: FinishedKind::Answer,
        probability,
        turns: vec![FinishedTurn {
            labels: labels.collect(),
            ..FinishedTurn::from_answer(text)
        }],
        ..FinishedItem::default()
    })
}

/// The most characters of a file that an explanation quotes.
const MAX_SHOWN_CHARS: usize = 200;

pub(super) fn shorten(text: &str) -> String {
    text.chars().take(MAX_SHOWN_CHARS).collect()
}
