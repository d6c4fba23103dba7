//! Exports of label tools, and sheets of labels: what comes in by `labels import`, and what is said of it.

mod exports;
mod fixtures;
mod long_sheets;
mod no_labels;
mod probabilities;
mod questions;
mod tools;
mod variants;

use elenchus_test_support::program::{Program, Ran};
use serde_json::Value;
use std::collections::BTreeSet;

/// An answer with its prompt, its person and their label.
type Given = (String, String, String, String);

fn import(program: &Program, args: &[&str]) -> Ran {
    program.run(&[&["labels", "import"], args, &["--set", "safety"]].concat())
}

/// Every label that is kept, read from what `labels export` writes.
fn labels(program: &Program) -> BTreeSet<Given> {
    let out = program.work().join("kept.jsonl");
    let _ = std::fs::remove_file(&out);
    program
        .run(&["labels", "export", "-o", "kept.jsonl"])
        .ended_with(0);
    let text = std::fs::read_to_string(out).unwrap();
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        (
            text("prompt"),
            text("completion"),
            text("annotator"),
            text("label"),
        )
    };
    text.lines().map(row).collect()
}

/// What everyone noted on what: the person, and the note.
fn notes(program: &Program) -> BTreeSet<(String, String)> {
    let mut notes = BTreeSet::new();
    for (path, bytes) in program.store_files() {
        if path
            .parent()
            .is_none_or(|folder| !folder.ends_with("notes"))
        {
            continue;
        }
        for line in String::from_utf8_lossy(&bytes).lines() {
            let Ok(line) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            if line["event"]["type"] == "noted" || line["type"] == "noted" {
                let event = if line["event"].is_null() {
                    &line
                } else {
                    &line["event"]
                };
                let by = line["by"].as_str().unwrap_or_default().to_owned();
                notes.insert((by, event["text"].as_str().unwrap().to_owned()));
            }
        }
    }
    notes
}

/// The section of turns as `validate` knows it, labels of unknown blindness counted.
fn validated(program: &Program) -> Value {
    let args = ["validate", "--set", "safety", "--with-unblinded", "--json"];
    let ran = program.run(&args).ended_with(0);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    report["sections"][0].clone()
}
