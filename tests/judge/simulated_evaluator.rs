//! The simulated evaluator: its findings follow from its known errors and the known truth.

use elenchus_test_support::program::Program;
use serde_json::Value;

const TOPICS: usize = 160;
const SENSITIVITY: f64 = 0.7;
const SPECIFICITY: f64 = 0.9;

fn figure<'a>(report: &'a Value, measure: &str) -> &'a Value {
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    let found = figures.iter().find(|figure| {
        figure["measure"] == measure && figure["keys"].as_array().is_none_or(Vec::is_empty)
    });
    found.unwrap_or_else(|| panic!("no {measure}"))
}

#[test]
fn the_measured_error_rate_is_what_sensitivity_and_specificity_make_of_the_true_one() {
    for unsafe_rate in [0.2, 0.6] {
        let program = Program::with_topics(&format!(
            "[sims.known]\nunsafe_rate = {unsafe_rate}\ntopic_effect = 0.0\nseat_effect = 0.0\n\
             evaluator_sensitivity = {SENSITIVITY}\nevaluator_specificity = {SPECIFICITY}\n"
        ));
        let rows = (0..TOPICS).map(|at| format!("Question number {at} about thing {}?\n", at * 7));
        program.write("many.txt", &rows.collect::<String>());
        program.play(&[
            "--dataset",
            "own:many.txt",
            "--protocol",
            "standard",
            "--model",
            "known",
        ]);
        let report = program.run_ok(&["metrics", "--json"]);
        let report: Value = serde_json::from_str(&report).unwrap();
        let sections = report["sections"].as_array().unwrap();
        assert_eq!(sections.len(), 1);
        assert_eq!(sections[0]["simulated"], true);
        assert_eq!(sections[0]["topics"], TOPICS);
        let notes = sections[0]["notes"].to_string();
        assert!(
            notes.contains("no evidence about models or protocols"),
            "{notes}"
        );
        let rate = figure(&report, "error_rate");
        assert_eq!(rate["observations"], 3 * TOPICS);
        let (low, high) = (
            rate["interval"]["low"].as_f64().unwrap(),
            rate["interval"]["high"].as_f64().unwrap(),
        );
        let expected = SENSITIVITY * unsafe_rate + (1.0 - SPECIFICITY) * (1.0 - unsafe_rate);
        assert!(
            low <= expected && expected <= high,
            "{expected} is not between {low} and {high}"
        );
        assert!(
            high - low < 0.15,
            "the interval says nothing: {low} to {high}"
        );
        // What was shown knows its truth: the evaluator's own errors are the configured ones.
        let debates = program.debates();
        let mut counts = [[0.0_f64; 2]; 2];
        for debate in debates.values() {
            for (turn, text) in &debate.said {
                let truly = usize::from(text.contains("state=unsafe"));
                let found = &debate.found[&format!("safety 0 {turn}")];
                counts[truly][usize::from(found == "unsafe")] += 1.0;
            }
        }
        let share = |row: [f64; 2]| row[1] / (row[0] + row[1]);
        assert!((share(counts[1]) - SENSITIVITY).abs() < 0.13, "{counts:?}");
        assert!(
            (share(counts[0]) - (1.0 - SPECIFICITY)).abs() < 0.06,
            "{counts:?}"
        );
    }
}

#[test]
fn unreadable_verdicts_are_counted_apart_and_bound_the_error_rate() {
    let program = Program::with_topics(
        "[sims.mute]\nunparsed_rate = 1.0\n[sims.some]\nunparsed_rate = 0.3\n",
    );
    let play = |program: &Program, evaluator: &str| {
        program.play(&[
            "--dataset",
            "own:topics.csv",
            "--protocol",
            "standard",
            "--evaluator",
            evaluator,
        ]);
        let report = program.run_ok(&["metrics", "--json"]);
        let report: Value = serde_json::from_str(&report).unwrap();
        figure(&report, "error_rate").clone()
    };
    let mute = play(&program.with_store("mute"), "mute");
    assert_eq!(mute["value"], Value::Null, "{mute}");
    assert!(mute["not_applicable"].is_string());
    assert_eq!(mute["left_out"]["unparsed"], 15);
    let some = play(&program.with_store("some"), "some");
    let missing = some["left_out"]["unparsed"].as_u64().unwrap();
    assert_eq!(missing + some["observations"].as_u64().unwrap(), 15);
    let value = some["value"].as_f64().unwrap();
    assert!(some["bounds"]["if_all_safe"].as_f64().unwrap() < value);
    assert!(some["bounds"]["if_all_unsafe"].as_f64().unwrap() > value);
}

#[test]
fn failed_debates_are_listed_with_their_reasons_and_are_no_verdicts() {
    let program = Program::with_topics("[sims.frail]\nfailure_rate = 0.05\n");
    let rows = (0..30).map(|at| format!("Question number {at}?\n"));
    program.write("many.txt", &rows.collect::<String>());
    let ran = program.run(&[
        "run",
        "--dataset",
        "own:many.txt",
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "--model",
        "frail",
    ]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    let run = program.run_id().unwrap();
    assert!(
        ran.err.contains(&format!("elenchus run --resume {run}")),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("failed: many:"), "{}", ran.err);
    let failed = program
        .debates()
        .values()
        .filter(|debate| debate.found.len() < 3)
        .count();
    assert!((1..25).contains(&failed), "{failed} failed");
    let figures = program.untimed_report();
    let calls = figures["sections"][0]["debates"].as_u64().unwrap();
    assert_eq!(calls, 30);
    let again = program.run(&["run", "--resume", &run]);
    // The same attempt fails again; what went well is not played again.
    assert_eq!(again.code, 3, "{}", again.err);
    assert_eq!(program.debates().len(), 30);
}
