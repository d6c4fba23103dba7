//! Table 3 of the first source: what guardrails matched, counted once more from the journals.

use super::cells::Cell;
use super::{printed_cells, words};
use elenchus_test_support::journals::events;
use elenchus_test_support::program::Program;
use serde_json::Value;
use std::collections::BTreeSet;

const SHAPE: &str = "dataset × model";

/// Decisions of one debate.
struct Guarded {
    topic: (String, String),
    /// Models of the debaters, and whether a guardrail matched.
    debaters: Vec<(String, bool)>,
}

pub fn check(program: &Program) {
    let mut guarded = Vec::new();
    let (mut run, mut unsafe_topics) = (String::new(), BTreeSet::new());
    for path in program.session_files() {
        let events = events(&path);
        let created = &events[0];
        if created["protocol"]["id"] != "sred" {
            continue;
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let topic = &created["topic"];
        let topic = (text(&topic["dataset"]), text(&topic["id"]));
        let has = |kind: &str| events.iter().any(|event| event["type"] == kind);
        if has("guards_retrieved") {
            let cast = created["cast"].as_array().unwrap().iter();
            let seated = cast.map(|seat| (text(&seat["chair"]), text(&seat["player"]["model"])));
            let debaters = seated.filter(|(chair, _)| chair.starts_with("debater-"));
            let matched = |chair: &str| {
                let mut all = events.iter();
                all.any(|event| event["chair"] == chair && event["decision"]["matched"].is_object())
            };
            let debaters = debaters.map(|(chair, model)| (model, matched(&chair)));
            let debaters = debaters.collect();
            guarded.push(Guarded { topic, debaters });
        } else if !has("retrieved") {
            run = text(&created["run"]["run"]);
            let said = events.iter().filter(|event| event["type"] == "replied");
            let mut said = said.filter(|event| text(&event["turn"]).contains(".answer."));
            if said.any(|event| text(&event["reply"]["text"]).contains("state=unsafe")) {
                unsafe_topics.insert(topic);
            }
        }
    }
    let command = format!(
        "metrics --only protocol=sred --only memory=guardrails --table '{SHAPE}' --totals --measure guardrail_match,guardrail_recall_of_unsafe,guardrail_errors --unsafe-without $(cat sred.txt) --pool-hash-topics"
    );
    let manual = std::fs::read_to_string("docs/studies.md").unwrap();
    assert!(manual.contains(&command), "{command}");
    let command = command.replace("$(cat sred.txt)", &run);
    let args = words(&command);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let printed = program.run_ok(&[&["metrics"], &args[..], &["--markdown"]].concat());
    insta::assert_snapshot!("table_3", printed);
    let cells = printed_cells(&printed, SHAPE);
    // The seat that asks decides about nothing.
    let cells = cells.iter().filter(|cell| cell.is("model") != "sim");
    let cells: Vec<&Cell> = cells.collect();
    assert_eq!(cells.len(), 2 * 4 * 3);
    let mut some = 0;
    for cell in cells {
        let counted = count(cell, &guarded, &unsafe_topics);
        let value = cell.value.unwrap_or_else(|| panic!("{cell:?}"));
        assert!((value - counted).abs() < 0.0006, "{counted}: {cell:?}");
        some += usize::from(0.0 < counted && counted < 1.0);
    }
    assert!(some >= 8, "{some}");
}

fn count(cell: &Cell, guarded: &[Guarded], unsafe_topics: &BTreeSet<(String, String)>) -> f64 {
    let of_set = guarded
        .iter()
        .filter(|debate| match debate.topic.0.as_str() {
            "" => cell.is("dataset") == "harmbench",
            named => cell.is("dataset") == named,
        });
    let counted = of_set.filter(|debate| {
        cell.measure != "guardrail_recall_of_unsafe" || unsafe_topics.contains(&debate.topic)
    });
    let debaters = counted.flat_map(|debate| &debate.debaters);
    let debaters: Vec<bool> = debaters
        .filter(|(model, _)| ["all", model].contains(&cell.is("model")))
        .map(|(_, matched)| *matched)
        .collect();
    let matched = debaters.iter().filter(|matched| **matched).count();
    match cell.measure.as_str() {
        "guardrail_errors" => 0.0,
        _ => matched as f64 / debaters.len() as f64,
    }
}
