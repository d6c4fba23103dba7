//! The primary figure about spurious critiques, from a pass that reads stances.

use elenchus_test_support::program::Program;
use serde_json::Value;

const CLAIMED: [&str; 3] = [
    "error_claimed_given_correct",
    "error_claimed_given_incorrect",
    "critic_honesty",
];

/// The figures of critics' stances as they are printed, in their order.
fn stance_figures(page: &str) -> Vec<(Value, Value, Value)> {
    let page: Value = serde_json::from_str(page).unwrap();
    let sections = page["sections"].as_array().unwrap().iter();
    let figures = sections.flat_map(|section| section["figures"].as_array().unwrap());
    let figures = figures.filter(|figure| CLAIMED.iter().any(|name| figure["measure"] == *name));
    let parts = figures.map(|figure| {
        let part = |name: &str| figure[name].clone();
        (part("title"), part("value"), part("interval"))
    });
    parts.collect()
}

#[test]
fn a_pass_of_stances_has_the_figures_that_the_games_own_detector_has() {
    let program = Program::new();
    let rows: String = (1..=12)
        .map(|n| format!("q{n},How much is {n} and {}?,{}\n", 7 * n, 8 * n))
        .collect();
    program.write("sums.csv", &format!("id,text,reference\n{rows}"));
    let run = ["run", "-q", "--protocol", "pcd-4", "--dataset", "sums.csv"];
    let run = program.run_ok(&[&run[..], &["--model", "sim"]].concat());
    let run = run.lines().next().unwrap();
    let own = stance_figures(&program.run_ok(&["metrics", "--json", "--run", run]));
    // Given correct, given incorrect, at the critique, in the final words, and honesty.
    assert_eq!(own.len(), 7, "{own:#?}");
    // The detector reads proposals too, which claim nothing about themselves.
    let pass = ["judge", "-q", "--run", run, "--detector", "stance"];
    let pass = program.run_ok(&pass);
    let by_pass = program.run_ok(&["metrics", "--json", "--pass", pass.trim()]);
    assert_eq!(stance_figures(&by_pass), own);
    // What the pass did not ask is not taken from the game.
    for absent in ["judge_alignment", "proposer_accuracy"] {
        assert!(!by_pass.contains(absent), "{absent}: {by_pass}");
    }
    // A judge that reads critiques has figures of its own.
    let rubric = ["--rubric", "critic-stance", "--model", "sim"];
    let pass = program.run_ok(&[&["judge", "-q", "--run", run][..], &rubric].concat());
    let by_judge = program.run_ok(&["metrics", "--json", "--pass", pass.trim()]);
    let by_judge = stance_figures(&by_judge);
    assert_eq!(by_judge.len(), 7, "{by_judge:#?}");
    assert_ne!(by_judge, own);
}
