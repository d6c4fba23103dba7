//! Simulated debates to label, queues over them, and what labels and queues hold on disk.

use crate::program::Program;
use serde_json::Value;
use std::fmt::Write as _;

/// A program on which simulated debates of two rounds and three debaters were played, one for each of
/// so many topics: six turns each that an evaluator judges.
pub fn played(topics: usize) -> Program {
    let program = Program::new().with("USER", "ada");
    play(&program, "first", topics);
    program
}

/// Plays debates about topics of their own, and returns their run.
pub fn play(program: &Program, name: &str, topics: usize) -> String {
    let mut rows = String::new();
    for at in 0..topics {
        writeln!(
            rows,
            "{{\"id\":\"{name}-{at}\",\"text\":\"Question {name} {at}: how is it done?\",\"category\":\"{}\"}}",
            if at % 2 == 0 { "even" } else { "odd" }
        )
        .unwrap();
    }
    program.write(&format!("{name}.jsonl"), &rows);
    let dataset = format!("own:{name}.jsonl");
    let args = [
        "run",
        "--protocol",
        "pred",
        "--dataset",
        &dataset,
        "--rounds",
        "2",
        "-q",
    ];
    program.run(&args).ended_with(0).out.trim().to_owned()
}

/// Draws a queue of simulated turns.
pub fn draw(program: &Program, name: &str, more: &[&str]) -> String {
    let args = ["labels", "queue", name, "--simulated"];
    program.run(&[&args[..], more].concat()).ended_with(0).err
}

/// What a journal of the store holds, line by line: the events. A line that is being written has no end yet.
pub fn journal(program: &Program, path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(program.store().join(path)).unwrap();
    text.split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].take())
        .collect()
}

/// The labels in an annotator's journal.
pub fn labels(program: &Program, annotator: &str) -> Vec<Value> {
    let mut events = journal(program, &format!("notes/{annotator}.jsonl"));
    events.retain(|event| event["type"] == "labelled");
    events
}

/// The items of a queue, wave by wave.
pub fn items(program: &Program, queue: &str) -> Vec<Value> {
    let events = journal(program, &format!("queues/{queue}.jsonl"));
    let waves = events.into_iter().skip(1);
    waves
        .flat_map(|mut wave| match wave["items"].take() {
            Value::Array(items) => items,
            other => panic!("{other}"),
        })
        .collect()
}
