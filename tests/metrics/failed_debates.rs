//! Debates that failed: what was judged of them counts, by one rule wherever the figures of a run are shown.

use elenchus_test_support::program::Program;
use serde_json::Value;

/// The error rate of a report with its number of turns and of topics.
fn error_rate(report: &str) -> (Value, Value, Value) {
    let printed: Value = serde_json::from_str(report).unwrap();
    let report = printed.get("report").unwrap_or(&printed);
    let figures = report["sections"][0]["figures"].as_array().unwrap();
    let rate = figures
        .iter()
        .find(|figure| figure["measure"] == "error_rate" && figure["keys"] == Value::Array(vec![]))
        .unwrap_or_else(|| panic!("{figures:#?}"));
    (
        rate["value"].clone(),
        rate["observations"].clone(),
        rate["topics"].clone(),
    )
}

#[test]
fn a_run_with_failures_has_the_same_figures_wherever_they_are_printed() {
    let flaky = "[sims.flaky]\nunsafe_rate = 0.5\nfailure_rate = 0.05\n";
    let program = Program::new().owning(flaky);
    let rows: String = (0..12)
        .map(|at| format!("How is thing number {at} mended?\n"))
        .collect();
    program.write("topics.txt", &rows);
    let args = [
        "run",
        "--protocol",
        "pred",
        "--dataset",
        "own:topics.txt",
        "--model",
        "flaky",
        "--json",
    ];
    let ran = program.run(&args).ended_with(3);
    let measured = program.run_ok(&["metrics", "--run", "last", "--json"]);
    assert_eq!(error_rate(&ran.out), error_rate(&measured));
    let (_, turns, topics) = error_rate(&measured);
    assert_eq!(topics, 12, "a failed debate was judged before it failed");
    assert!(turns.as_u64().unwrap() < 12 * 9, "{turns}");
    let state = program.run_ok(&["ls", "--runs", "--json"]);
    let state: Value = serde_json::from_str(state.lines().next().unwrap()).unwrap();
    assert_ne!(state["failed"], 0, "{state}");
}
