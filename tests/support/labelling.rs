//! Labels by hand: queues, the screen on which they are labelled, packs.

mod annotating;
mod blinding;
mod drawing;
mod hostile_packs;
mod killed_merges;
mod looks;
mod packs;

use crate::support::program::Desk;
use serde_json::Value;
use std::fmt::Write as _;

/// A desk on which simulated debates of two rounds and three debaters were played, one for each of
/// so many topics: six turns each that an evaluator judges.
fn played(topics: usize) -> Desk {
    let desk = Desk::new().with("USER", "ada");
    play(&desk, "first", topics);
    desk
}

/// Plays debates about topics of their own, and returns their run.
fn play(desk: &Desk, name: &str, topics: usize) -> String {
    let mut rows = String::new();
    for at in 0..topics {
        writeln!(
            rows,
            "{{\"id\":\"{name}-{at}\",\"text\":\"Question {name} {at}: how is it done?\",\"category\":\"{}\"}}",
            if at % 2 == 0 { "even" } else { "odd" }
        )
        .unwrap();
    }
    desk.write(&format!("{name}.jsonl"), &rows);
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
    desk.run(&args).ended_with(0).out.trim().to_owned()
}

/// Draws a queue of simulated turns.
fn draw(desk: &Desk, name: &str, more: &[&str]) -> String {
    let args = ["labels", "queue", name, "--simulated"];
    desk.run(&[&args[..], more].concat()).ended_with(0).err
}

/// What a journal of the store holds, line by line: the events.
fn journal(desk: &Desk, path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(desk.store().join(path)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].take())
        .collect()
}

/// The labels in an annotator's journal.
fn labels(desk: &Desk, annotator: &str) -> Vec<Value> {
    let mut events = journal(desk, &format!("notes/{annotator}.jsonl"));
    events.retain(|event| event["type"] == "labelled");
    events
}

/// The items of a queue, wave by wave.
fn items(desk: &Desk, queue: &str) -> Vec<Value> {
    let events = journal(desk, &format!("queues/{queue}.jsonl"));
    let waves = events.into_iter().skip(1);
    waves
        .flat_map(|mut wave| match wave["items"].take() {
            Value::Array(items) => items,
            other => panic!("{other}"),
        })
        .collect()
}
