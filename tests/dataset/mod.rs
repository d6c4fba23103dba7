//! Benchmark files as the real program reads them.

mod binary;
mod columns;
mod played;
mod secrets;
mod topics;

use elenchus_test_support::program::Program;

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
