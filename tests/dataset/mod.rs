//! Benchmark files as the real program reads them.

mod binary;
mod columns;
mod played;
mod secrets;
mod topics;

use elenchus_test_support::program::{Program, copy_folder};
use serde_json::Value;
use std::path::Path;

/// A program beside small files in the shapes that benchmarks and tools have.
fn program() -> Program {
    let program = Program::new();
    let files = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/datasets/columns"
    ));
    copy_folder(files, &program.work());
    program
}

/// The topic of every debate that was played, by id.
fn played_topics(program: &Program) -> Vec<Value> {
    let sessions = program.sessions();
    let mut topics: Vec<Value> = sessions
        .iter()
        .map(|session| program.events(session).remove(0)["topic"].take())
        .collect();
    topics.sort_by_key(|topic| topic["id"].to_string());
    topics
}

#[test]
fn every_row_of_an_array_that_is_written_on_one_line_is_played() {
    let program = Program::new();
    let rows = "[{\"text\":\"one\"},{\"text\":\"two\"},{\"text\":\"three\"}]";
    program.write("rows.json", rows);
    let run = [
        "run",
        "--protocol",
        "standard",
        "--dataset",
        "rows.json",
        "-q",
    ];
    let played = program.run(&run).ended_with(0);
    assert!(!played.err.contains("left out"), "{}", played.err);
    assert_eq!(program.sessions().len(), 3);
}
