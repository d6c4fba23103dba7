//! Models and data sets of one's own in the place of those that a plan names.

use super::args::Replacement;
use super::file::{PlayKind, StudyPlan};
use anyhow::{Result, bail};
use elenchus_run::engine::seats::{FIXED, HUMAN, RECORDED, SAID};
use std::collections::BTreeSet;
use toml::{Table, Value};

/// Options of a run that name models.
const MODEL_OPTIONS: [&str; 10] = [
    "model",
    "debaters",
    "evaluator",
    "feedback",
    "socratic",
    "angel",
    "devil",
    "proposer",
    "critic",
    "judge",
];
/// Option of a run that names a seat and its models.
const SEAT: &str = "seat";
/// Options that name data sets, of runs and of sweeps.
const DATASET_OPTIONS: [&str; 2] = ["dataset", "benign"];
/// Keys of a sweep below which models are named.
const SWEEP_MODELS: [&str; 2] = ["model", "models"];
const SWEEP_SEATS: &str = "seats";

/// What a plan names, after what takes its place.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NamedParts {
    pub models: BTreeSet<String>,
    /// As they are named, `[KIND:]FILE`.
    pub datasets: BTreeSet<String>,
}

/// Puts models and data sets in the places of those that the plan names, and returns what it then names.
///
/// # Errors
/// When something is to be replaced that the plan does not name.
pub(super) fn replace_names(
    plan: &mut StudyPlan,
    models: &[Replacement],
    datasets: &[Replacement],
) -> Result<NamedParts> {
    let mut model_names = Names::new(models);
    let mut dataset_names = Names::new(datasets);
    for play in &mut plan.plays {
        let options = &mut play.entry.options;
        match play.kind {
            PlayKind::Run => replace_in_run(options, &mut model_names),
            PlayKind::Sweep => replace_in_sweep(options, &mut model_names),
        }
        for option in DATASET_OPTIONS {
            for text in options.get_mut(option).into_iter().flat_map(texts_of) {
                dataset_names.replace(text);
            }
        }
    }
    for figure in &mut plan.figures {
        replace_in_figure(&mut figure.options, &mut model_names);
    }
    model_names.check_all_found(&plan.name, "model")?;
    dataset_names.check_all_found(&plan.name, "dataset")?;
    Ok(NamedParts {
        models: model_names.results,
        datasets: dataset_names.results,
    })
}

/// Names of one kind that a plan holds, and those that take their places.
struct Names<'r> {
    replacements: &'r [Replacement],
    /// As the plan has them.
    found: BTreeSet<String>,
    results: BTreeSet<String>,
}

impl<'r> Names<'r> {
    fn new(replacements: &'r [Replacement]) -> Self {
        Self {
            replacements,
            found: BTreeSet::new(),
            results: BTreeSet::new(),
        }
    }

    fn replace(&mut self, name: &mut String) {
        self.found.insert(name.clone());
        let result = self.result_of(name);
        self.results.insert(result.clone());
        *name = result;
    }

    fn result_of(&self, name: &str) -> String {
        let mut replacements = self.replacements.iter();
        let replacement = replacements.find(|one| one.name == name);
        replacement.map_or_else(|| name.to_owned(), |one| one.by.clone())
    }

    /// Replaces each name of a list with commas between them.
    fn replace_list(&mut self, text: &mut String) {
        let names = text.split(',').map(|name| {
            let mut name = name.trim().to_owned();
            // A person or a script sits there.
            if !is_no_model(&name) {
                self.replace(&mut name);
            }
            name
        });
        *text = names.collect::<Vec<_>>().join(",");
    }

    fn check_all_found(&self, study: &str, option: &str) -> Result<()> {
        let mut replacements = self.replacements.iter();
        match replacements.find(|one| !self.found.contains(&one.name)) {
            None => Ok(()),
            Some(unknown) => bail!(
                "--{option} {}={}: {study} names no such {option}; it names {}",
                unknown.name,
                unknown.by,
                join_names(&self.found)
            ),
        }
    }
}

pub(super) fn join_names(names: &BTreeSet<String>) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.join(", ")
}

fn is_no_model(word: &str) -> bool {
    let scripts = [FIXED, SAID, RECORDED];
    word == HUMAN || scripts.iter().any(|script| word.starts_with(script))
}

fn replace_in_run(options: &mut Table, models: &mut Names<'_>) {
    for option in MODEL_OPTIONS {
        for text in options.get_mut(option).into_iter().flat_map(texts_of) {
            models.replace_list(text);
        }
    }
    for text in options.get_mut(SEAT).into_iter().flat_map(texts_of) {
        if let Some((seat, names)) = text.split_once('=') {
            let mut names = names.to_owned();
            models.replace_list(&mut names);
            *text = format!("{seat}={names}");
        }
    }
}

fn replace_in_sweep(options: &mut Table, models: &mut Names<'_>) {
    for (key, value) in options.iter_mut() {
        let names_models = SWEEP_MODELS.contains(&key.as_str()) || key.starts_with(SWEEP_SEATS);
        match value {
            value if names_models => replace_below(value, models),
            Value::Table(table) => replace_in_sweep(table, models),
            Value::Array(values) => {
                let tables = values.iter_mut().filter_map(Value::as_table_mut);
                tables.for_each(|table| replace_in_sweep(table, models));
            }
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_) => {}
        }
    }
}

fn replace_below(value: &mut Value, models: &mut Names<'_>) {
    match value {
        Value::String(text) => models.replace_list(text),
        Value::Array(values) => values.iter_mut().for_each(|one| replace_below(one, models)),
        Value::Table(table) => {
            let persona = |key: &str| key == "persona";
            let values = table.iter_mut().filter(|(key, _)| !persona(key));
            values.for_each(|(_, one)| replace_below(one, models));
        }
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
}

/// Replaces models where figures choose groups by them.
fn replace_in_figure(options: &mut Table, models: &mut Names<'_>) {
    for text in options.get_mut("only").into_iter().flat_map(texts_of) {
        if let Some(names) = text.strip_prefix("model=") {
            let names = names.split(',').map(|name| models.result_of(name.trim()));
            *text = format!("model={}", names.collect::<Vec<_>>().join(","));
        }
    }
    for text in options.get_mut("compare").into_iter().flat_map(texts_of) {
        let words = text.split(' ').map(|word| models.result_of(word));
        *text = words.collect::<Vec<_>>().join(" ");
    }
}

/// Returns the texts of a value, which is one or a list of them.
fn texts_of(value: &mut Value) -> Vec<&mut String> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.iter_mut().flat_map(texts_of).collect(),
        Value::Integer(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_)
        | Value::Table(_) => Vec::new(),
    }
}
