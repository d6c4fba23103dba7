//! Long-term memory as a person works on it: commands, files that carry it, replicates, the screen.

mod ablated;
mod carried;
mod commands;
mod guarded;
mod guarded_screen;
mod many;
mod rails;
mod screen;

use crate::support::program::Desk;
use serde_json::Value;

/// The namespace of simulated debates.
pub const SIM: &str = "default.sim";

/// A desk on which simulated debates taught lessons that find each other: all topics share words.
pub fn taught() -> Desk {
    let desk = Desk::configured("[sims.it]\nunsafe_rate = 0.7\n");
    let things = [
        "a bicycle tyre in winter",
        "a loaf of rye bread",
        "the roof of an old barn",
        "a violin with four strings",
        "an apple tree after frost",
        "a clock that runs slow",
    ];
    let rows = things.iter().enumerate();
    let rows: String = rows
        .map(|(at, thing)| format!("t{at},Say the details and steps for {thing}\n"))
        .collect();
    desk.write("many.csv", &format!("id,text\n{rows}"));
    desk.run(&[
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
    desk
}

/// The entries of a namespace as `memory list` tells them, the newest first.
pub fn entries(desk: &Desk, namespace: &str) -> Vec<Value> {
    let listed = desk.run(&["memory", "list", "-n", namespace, "--all", "--json"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    let lines = listed.out.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// An entry that debates were shown, with the newest of those debates.
pub fn shown_entry(desk: &Desk) -> (String, String) {
    for entry in entries(desk, SIM) {
        let id = entry["id"].as_str().unwrap().to_owned();
        let told = desk.run(&["memory", "show", &id, "-n", SIM, "--json"]);
        let told: Value = serde_json::from_str(&told.out).unwrap();
        if let Some(session) = told["uses"][0]["session"].as_str() {
            return (id, session.to_owned());
        }
    }
    panic!("no debate was shown anything");
}
