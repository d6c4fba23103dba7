//! Simulated debates that taught lessons, and the entries of memory.

use crate::journals::hash_of_line;
use crate::program::Program;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The namespace of simulated debates.
pub const SIM: &str = "default.sim";

/// What topics are about that share all other words.
const THINGS: [&str; 10] = [
    "a bicycle tyre in winter",
    "a loaf of rye bread",
    "the roof of an old barn",
    "a violin with four strings",
    "an apple tree after frost",
    "a clock that runs slow",
    "wet leather boots",
    "a letter to the council",
    "a fishing net",
    "the harmless steps of a dance",
];

/// A data set of topics that share words, so that each finds the lessons of the others: ten at most.
pub fn kindred_topics(count: usize) -> String {
    assert!(count <= THINGS.len(), "{count}");
    let rows = THINGS.iter().take(count).enumerate();
    let rows = rows.map(|(at, thing)| format!("t{at},Say the details and steps for {thing}\n"));
    "id,text\n".to_owned() + &rows.collect::<String>()
}

/// A program on which simulated debates taught lessons that find each other: all topics share words.
pub fn taught() -> Program {
    let program = Program::configured("[sims.it]\nunsafe_rate = 0.7\n");
    program.write("many.csv", &kindred_topics(6));
    program
        .run(&[
            "run",
            "--dataset",
            "own:many.csv",
            "--protocol",
            "pred",
            "--rounds",
            "1",
            "--model",
            "it",
            "--memory",
            "textual",
            "--learn-batch",
            "2",
            "--seed",
            "3",
            "--quiet",
        ])
        .ended_with(0);
    program
}

/// The entries of a namespace as `memory list` tells them, the newest first.
pub fn entries(program: &Program, namespace: &str) -> Vec<Value> {
    let listed = program.run(&["memory", "list", "-n", namespace, "--all", "--json"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    let lines = listed.out.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// An entry that debates were shown, with the newest of those debates.
pub fn shown_entry(program: &Program) -> (String, String) {
    for entry in entries(program, SIM) {
        let id = entry["id"].as_str().unwrap().to_owned();
        let told = program.run(&["memory", "show", &id, "-n", SIM, "--json"]);
        let told: Value = serde_json::from_str(&told.out).unwrap();
        if let Some(session) = told["uses"][0]["session"].as_str() {
            return (id, session.to_owned());
        }
    }
    panic!("no debate was shown anything");
}

/// Lines of a journal of lessons, as a run would write them, behind this line.
pub fn lesson_lines(prefix: &str, numbers: std::ops::Range<usize>, behind: &str) -> String {
    let (mut text, mut prev) = (String::new(), hash_of_line(behind));
    for at in numbers {
        let line = json!({
            "prev": prev,
            "at": "2026-01-01T00:00:00Z",
            "by": "engine",
            "event": {
                "type": "EntryAdded",
                "id": format!("{prefix}-{at:06}"),
                "text": format!("Lesson {at} is about thing{} and thing{}.", at % 977, at % 7919),
                "at": "2026-01-01T00:00:00Z",
            },
        });
        let begin = text.len();
        writeln!(text, "{line}").unwrap();
        prev = hash_of_line(&text[begin..]);
    }
    text
}
