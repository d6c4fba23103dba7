//! `elenchus validate`: evaluators measured against people's labels.

mod args;

use super::common::{
    Workshop, counted, output, print_missing_of_runs, resolve_session, with_short,
};
use super::metrics::{harmless_lines, selected};
use anyhow::{Result, anyhow, bail};
pub(crate) use args::ValidateArgs;
use elenchus_annotation::validation::{
    ValidateQuery, ValidateRows, ValidationRequest, ValidationResult, validate_evaluators,
};
use elenchus_metrics::{
    GoldRule, PartDimension, Resampling, TurnPlace, Validation, validation_to_csv,
    validation_to_json, validation_to_table,
};
use elenchus_records::workspace::StoreIndex;
use elenchus_records::workspace::annotations::{CurrentLabel, imported_people, read_annotations};
use serde_json::json;
use std::collections::BTreeSet;

/// Says how far each evaluator can be trusted, and what follows for the rates it gave.
///
/// # Errors
/// When a set, label, run, session, pass or cell does not exist, or the store cannot be read.
pub fn run(args: &ValidateArgs, shop: &Workshop) -> Result<()> {
    let wish = wish(args, shop)?;
    if !shop.layout.root().exists() {
        bail!("there is no session yet; 'elenchus run' plays one");
    }
    let index = shop.read_index(StoreIndex::read_found);
    let result = validate_evaluators(&index, &shop.library, &wish);
    // Whatever becomes of the figures: reading it took long.
    index.write();
    let ValidationResult {
        validation,
        reading,
        ..
    } = result?;
    print_notices(&reading);
    print_origins(args, shop)?;
    let short = print_missing_of_runs(&index, &args.sessions.run)?;
    index.write();
    let text = if let Some(cell) = &args.turns {
        turns(&validation, cell, args.format.json)?
    } else if args.format.json {
        with_short(harmless_lines(&validation_to_json(&validation)?), &short)?
    } else if args.format.csv {
        output::harmless_text(&validation_to_csv(&validation)?)
    } else {
        let table = validation_to_table(&validation, output::width());
        output::harmless(&table)
    };
    output::out(&text)
}

/// Says whose labels came with an import: they were given where nobody here saw how.
fn print_origins(args: &ValidateArgs, shop: &Workshop) -> Result<()> {
    let imported = imported_people(&shop.layout)?;
    if imported.is_empty() {
        return Ok(());
    }
    let (annotations, _) = read_annotations(&shop.layout)?;
    let of_set = |label: &CurrentLabel| args.set.as_ref().is_none_or(|set| *set == label.label.set);
    let labels = annotations.labels().filter(|label| of_set(label));
    let people: BTreeSet<&str> = labels.map(|label| label.annotator.as_str()).collect();
    for (person, import) in imported {
        if people.contains(person.as_str()) {
            output::notice(&format!("notice: the labels of {person} were {import}"));
        }
    }
    Ok(())
}

fn wish(args: &ValidateArgs, shop: &Workshop) -> Result<ValidationRequest> {
    let by = args.by.iter().map(|name| {
        let name = name.trim();
        PartDimension::named(name)
            .ok_or_else(|| anyhow!("--by: '{name}' is none of seat, round and category"))
    });
    let named = args.sessions.session.iter();
    let named = named.map(|text| resolve_session(shop, text));
    Ok(ValidationRequest {
        set: args.set.clone(),
        query: ValidateQuery {
            sessions: selected(&args.sessions.run, &args.sessions.session, shop)?,
            evaluators: args.evaluator.clone(),
            people: args.with_people,
            forks: args.with_forks,
            named: named.collect::<Result<_>>()?,
        },
        gold: gold(&args.gold)?,
        positive: args.positive.clone(),
        blindfold: args.with_unblinded,
        queue: args.queue.clone(),
        by: by.collect::<Result<BTreeSet<PartDimension>>>()?,
        resampling: Resampling::seeded(args.seed.seed),
    })
}

fn gold(text: &str) -> Result<GoldRule> {
    match text.trim().split_once(':') {
        Some(("single", name)) if !name.trim().is_empty() => {
            Ok(GoldRule::Single(name.trim().to_owned()))
        }
        Some(_) => bail!("--gold: '{text}' is no rule; one person's labels are single:NAME"),
        None => match text.trim() {
            "best" => Ok(GoldRule::Best),
            "majority" => Ok(GoldRule::Majority),
            "adjudicated" => Ok(GoldRule::Adjudicated),
            other => bail!(
                "--gold: '{other}' is no rule; there are best, single:NAME, majority, adjudicated"
            ),
        },
    }
}

/// Lists the turns of a cell, evaluator by evaluator.
fn turns(validation: &Validation, cell: &str, as_json: bool) -> Result<String> {
    let evaluators = || {
        let sections = validation.sections.iter();
        sections.flat_map(|section| &section.evaluators)
    };
    let names = || {
        let matrices = evaluators().map(|evaluator| &evaluator.matrix);
        let cells: BTreeSet<String> = matrices
            .flat_map(|matrix| {
                let gold = matrix.gold.iter();
                gold.flat_map(|gold| {
                    matrix
                        .found
                        .iter()
                        .map(move |found| format!("{gold}/{found}"))
                })
            })
            .collect();
        cells.into_iter().collect::<Vec<_>>().join(", ")
    };
    let Some((gold, found)) = cell.split_once('/') else {
        bail!("--turns: '{cell}' names no cell; there are {}", names());
    };
    let (gold, found) = (gold.trim(), found.trim());
    let mut known = false;
    let mut text = String::new();
    for evaluator in evaluators() {
        let Some(cell) = evaluator.matrix.cell(gold, found) else {
            continue;
        };
        known = true;
        if !as_json {
            text.push_str(&format!(
                "{}: {} with gold {gold} and verdict {found}\n",
                evaluator.evaluator,
                counted(cell.turns.len(), "turn")
            ));
        }
        for TurnPlace {
            session,
            turn,
            topic,
        } in &cell.turns
        {
            if as_json {
                let line = json!({
                    "evaluator": evaluator.evaluator,
                    "gold": gold,
                    "found": found,
                    "session": session,
                    "turn": turn,
                    "topic": topic,
                });
                text.push_str(&output::harmless_json(&line.to_string()));
                text.push('\n');
            } else {
                text.push_str(&format!("  {session}  {turn}  {topic}\n"));
            }
        }
    }
    if !known {
        bail!("--turns: there is no cell '{cell}'; there are {}", names());
    }
    Ok(if as_json {
        text
    } else {
        output::harmless(&text)
    })
}

/// Says on standard error what the figures rest on.
fn print_notices(reading: &ValidateRows) {
    for why in &reading.unreadable {
        output::notice(&format!("notice: not counted: {why}"));
    }
    let mut text = format!(
        "{} of {} read",
        counted(reading.rows.len(), "turn"),
        counted(reading.sessions, "session")
    );
    let counts = [
        (reading.unfinished, "sessions not played to the end"),
        (reading.by_people, "turns by people left out"),
        (
            reading.elsewhere,
            "labels on attempts that are not chosen or not here",
        ),
        (
            reading.other_codebook,
            "labels by another version of the set or its codebook",
        ),
        (
            reading.unknown_codebook,
            "labels from files that do not say their codebook",
        ),
        (
            reading.saw_marks,
            "labels on simulated turns given where the simulated truth was on the screen",
        ),
    ];
    for (count, what) in counts {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    if reading.forks > 0 {
        text.push_str(&format!(
            ", {} left out, which a person made having seen a debate (--with-forks)",
            counted(reading.forks, "fork")
        ));
    }
    output::notice(&text);
}
