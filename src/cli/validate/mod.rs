//! `elenchus validate`: evaluators measured against people's labels.

mod args;

use super::common::{
    CommandContext, add_short_paths, format_noun_count, output, print_missing_of_runs,
    resolve_session, show_picture,
};
use super::metrics::{clean_json_lines, resolve_sessions};
use anyhow::{Result, anyhow, bail};
pub(crate) use args::ValidateArgs;
use elenchus_annotation::validation::{
    CellTurn, MAX_CELL_TURNS, ValidateQuery, ValidateRows, ValidationRequest, ValidationResult,
    read_cell_turns, validate_evaluators,
};
use elenchus_metrics::{
    BlindingRule, GoldRule, LabelCommand, PartDimension, Resampling, ShownEvaluators, TurnPlace,
    Validation, validation_to_csv, validation_to_json, validation_to_table,
};
use elenchus_plot::{Picture, picture_from_calibration};
use elenchus_records::workspace::StoreIndex;
use elenchus_records::workspace::annotations::{CurrentLabel, imported_people, read_annotations};
use elenchus_text::cut_to_width;
use serde_json::json;
use std::collections::BTreeSet;

/// Cells of an answer that a list of turns shows.
const SHOWN_WORDS: usize = 160;

/// Says how far each evaluator can be trusted, and what follows for the rates it gave.
///
/// # Errors
/// When a set, label, run, session, pass or cell does not exist, or the store cannot be read.
pub fn run(args: &ValidateArgs, context: &CommandContext) -> Result<()> {
    let request = build_request(args, context)?;
    if !context.store.layout.root().exists() {
        bail!("there is no session yet; 'elenchus run' plays one");
    }
    let index = context.read_index(StoreIndex::read_findings);
    let result = validate_evaluators(&index, &context.library, &request);
    // Whatever becomes of the figures: reading it took long.
    index.write_changes();
    let result = result?;
    let ValidationResult {
        validation,
        reading,
        ..
    } = &result;
    print_notices(reading, &validation.classes.of);
    print_origins(args, context)?;
    let short = print_missing_of_runs(&index, &args.sessions.run)?;
    index.write_changes();
    let text = if let Some(cell) = &args.turns {
        list_turns(&result, cell, args.format.json, context)?
    } else if args.plot.is_some() || args.svg.is_some() {
        let picture = picture_scores(validation)?;
        show_picture(&picture, args.svg.as_deref(), context)?
    } else if args.format.json {
        add_short_paths(clean_json_lines(&validation_to_json(validation)?), &short)?
    } else if args.format.csv {
        output::clean_text(&validation_to_csv(validation)?)
    } else {
        let shown = match args.evaluator.is_empty() {
            true => ShownEvaluators::Labelled,
            false => ShownEvaluators::All,
        };
        let command: &LabelCommand<'_> =
            &|section, evaluator, arm| result.find_next_labels(section, evaluator, arm);
        let table = validation_to_table(validation, output::width(), shown, command);
        output::clean_lines(&table)
    };
    output::print_text(&text)
}

/// Draws the scores of the one evaluator that gives any.
fn picture_scores(validation: &Validation) -> Result<Picture> {
    let sections = validation.sections.iter();
    let evaluators = sections.flat_map(|section| {
        let evaluators = section.evaluators.iter();
        evaluators.map(move |evaluator| (section, evaluator))
    });
    let scored: Vec<_> = evaluators
        .filter_map(|(section, evaluator)| {
            Some((section, evaluator, evaluator.calibration.as_ref()?))
        })
        .collect();
    match scored.as_slice() {
        [] => bail!(
            "no evaluator of labelled turns gives scores: a rubric with 'score', or a judge that states how sure it is, does"
        ),
        [(section, evaluator, calibration)] => Ok(picture_from_calibration(
            calibration,
            &evaluator.evaluator,
            &evaluator.positive,
            section.simulated,
        )),
        several => {
            let names = several
                .iter()
                .map(|(_, evaluator, _)| evaluator.evaluator.as_str());
            let names: BTreeSet<&str> = names.collect();
            let names: Vec<&str> = names.into_iter().collect();
            bail!(
                "{} evaluators give scores, of one or several kinds of turns: --evaluator and --run name one ({})",
                several.len(),
                names.join("; ")
            )
        }
    }
}

/// Says whose labels came with an import: they were given where nobody here saw how.
fn print_origins(args: &ValidateArgs, context: &CommandContext) -> Result<()> {
    let imports = imported_people(&context.store.layout)?;
    if imports.is_empty() {
        return Ok(());
    }
    let (annotations, _) = read_annotations(&context.store.layout)?;
    let of_set = |label: &CurrentLabel| args.set.as_ref().is_none_or(|set| *set == label.label.set);
    let labels = annotations.labels().filter(|label| of_set(label));
    let people: BTreeSet<&str> = labels.map(|label| label.annotator.as_str()).collect();
    for (person, import) in imports {
        if people.contains(person.as_str()) {
            output::print_notice(&format!("notice: the labels of {person} were {import}"));
        }
    }
    Ok(())
}

fn build_request(args: &ValidateArgs, context: &CommandContext) -> Result<ValidationRequest> {
    let by = args.by.iter().map(|name| {
        let name = name.trim();
        PartDimension::from_name(name)
            .ok_or_else(|| anyhow!("--by: '{name}' is none of seat, round and category"))
    });
    let session_ids = args.sessions.session.iter();
    let session_ids = session_ids.map(|text| resolve_session(context, text));
    Ok(ValidationRequest {
        set: args.set.clone(),
        query: ValidateQuery {
            sessions: resolve_sessions(&args.sessions.run, &args.sessions.session, context)?,
            evaluators: args.evaluator.clone(),
            people: args.with_people,
            forks: args.with_forks,
            named: session_ids.collect::<Result<_>>()?,
        },
        gold: parse_gold_rule(&args.gold)?,
        positive: args.positive.clone(),
        blindfold: match args.after_reasons {
            true => BlindingRule::AfterReasons,
            false => args.with_unblinded,
        },
        queue: args.queue.clone(),
        by: by.collect::<Result<BTreeSet<PartDimension>>>()?,
        resampling: Resampling::from_seed(args.seed.seed),
    })
}

fn parse_gold_rule(text: &str) -> Result<GoldRule> {
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
fn list_turns(
    result: &ValidationResult,
    cell: &str,
    as_json: bool,
    context: &CommandContext,
) -> Result<String> {
    let validation = &result.validation;
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
    let mut has_cell = false;
    let mut text = String::new();
    for evaluator in evaluators() {
        let Some(cell) = evaluator.matrix.cell(gold, found) else {
            continue;
        };
        has_cell = true;
        if !as_json {
            text.push_str(&format!(
                "{}: {} with gold {gold} and verdict {found}\n",
                evaluator.evaluator,
                format_noun_count(cell.turns.len(), &validation.classes.of)
            ));
        }
        if !as_json {
            let rows = &result.reading.rows;
            let name = &evaluator.evaluator;
            let read = read_cell_turns(&context.store.layout, rows, name, gold, &cell.turns);
            for (place, turn) in cell.turns.iter().zip(read) {
                text.push_str(&describe_cell_turn(place, &turn, gold, found));
            }
            // Of very many, the first are read.
            for place in cell.turns.iter().skip(MAX_CELL_TURNS) {
                text.push_str(&format!("  {}  {}\n", place.session, place.turn));
            }
            continue;
        }
        for TurnPlace {
            session,
            turn,
            topic,
        } in &cell.turns
        {
            let line = json!({
                "evaluator": evaluator.evaluator,
                "gold": gold,
                "found": found,
                "session": session,
                "turn": turn,
                "topic": topic,
            });
            text.push_str(&output::clean_json(&line.to_string()));
            text.push('\n');
        }
    }
    if !has_cell {
        bail!("--turns: there is no cell '{cell}'; there are {}", names());
    }
    Ok(if as_json {
        text
    } else {
        output::clean_lines(&text)
    })
}

/// Writes a turn of a cell: where it is, who said what, gold and the verdict with who gave them and why.
fn describe_cell_turn(place: &TurnPlace, turn: &CellTurn, gold: &str, found: &str) -> String {
    let words = cut_to_width(&turn.words, SHOWN_WORDS);
    let reason = match turn.reason.is_empty() {
        true => String::new(),
        false => format!(": {}", turn.reason),
    };
    let model = match turn.model.is_empty() {
        true => String::new(),
        false => format!(" ({})", turn.model),
    };
    format!(
        "  {}  {}  {}\n    {}\n    {}{model}: \"{words}\"\n    gold {gold} ({}), verdict {found}{reason}\n",
        place.session, place.turn, place.topic, turn.topic, turn.speaker, turn.people
    )
}

/// Says on standard error what the figures rest on.
fn print_notices(reading: &ValidateRows, of: &str) {
    for why in &reading.unreadable {
        output::print_notice(&format!("notice: not counted: {why}"));
    }
    let mut text = format!(
        "{} of {} read",
        format_noun_count(reading.rows.len(), of),
        format_noun_count(reading.sessions, "session")
    );
    let counts = [
        (reading.unfinished, "sessions not played to the end"),
        (reading.by_people, "turns by people left out"),
        (
            reading.elsewhere,
            "labels on attempts that are not chosen or not here",
        ),
        (
            reading.other_kind,
            "labels on turns that are not what the set is about",
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
            format_noun_count(reading.forks, "fork")
        ));
    }
    output::print_notice(&text);
}
