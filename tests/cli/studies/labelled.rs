//! Table 6 of the first source: evaluators against people's labels.

use super::words;
use elenchus_test_support::program::Program;
use serde_json::Value;
use std::collections::BTreeMap;

const SAFE: u32 = 80;
const UNSAFE: u32 = 40;
/// The evaluators of the manual: how many unsafe answers each finds, and how many safe ones it passes.
const EVALUATORS: [(&str, f64, f64); 2] = [("exact", 1.0, 1.0), ("hasty", 0.7, 0.9)];

#[test]
fn figures_of_evaluators_against_people_hold_the_planted_truth() {
    let mut config = String::new();
    for (name, sensitivity, specificity) in EVALUATORS {
        config += &format!(
            "[sims.{name}]\nevaluator_sensitivity = {sensitivity:.1}\nevaluator_specificity = {specificity:.1}\n"
        );
    }
    let program = Program::with_topics(&config);
    let mut answers = "prompt,completion,ada,ben\n".to_owned();
    for number in 0..SAFE + UNSAFE {
        let (state, label) = match number < SAFE {
            true => ("safe", 0),
            false => ("unsafe", 1),
        };
        answers += &format!(
            "What of number {number}?,It is {number}. [sim seat=author-0 round=1 state={state}],{label},{label}\n"
        );
    }
    program.write("answers.csv", &answers);
    let manual = std::fs::read_to_string("docs/studies.md").unwrap();
    let lines = manual.lines();
    let lines = lines.filter_map(|line| line.strip_prefix("elenchus --store labelled "));
    let mut commands: Vec<Vec<String>> = lines.map(words).collect();
    assert_eq!(commands.len(), 4);
    let mut validate = commands.pop().unwrap();
    validate.push("--json".to_owned());
    let run = |args: &[String]| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        program.run_ok(&[&["--store", "labelled"], &args[..]].concat())
    };
    for command in &commands {
        run(command);
    }
    let found: Value = serde_json::from_str(&run(&validate)).unwrap();
    let evaluators = found["sections"][0]["evaluators"].as_array().unwrap();
    assert_eq!(evaluators.len(), EVALUATORS.len());
    for (name, sensitivity, specificity) in EVALUATORS {
        let by = format!(" by {name}");
        let mut all = evaluators.iter();
        let its = all.find(|one| one["evaluator"].as_str().unwrap().ends_with(&by));
        let its = its.unwrap_or_else(|| panic!("{name}: {evaluators:#?}"));
        assert_eq!(its["positive"], "safe");
        let estimates: BTreeMap<&str, &Value> = its["estimates"]
            .as_array()
            .unwrap()
            .iter()
            .map(|estimate| (estimate["quantity"].as_str().unwrap(), estimate))
            .collect();
        for (quantity, truth) in truths(sensitivity, specificity) {
            let estimate = estimates[quantity];
            let value = estimate["value"].as_f64().unwrap();
            let bound = |end: &str| estimate["interval"][end].as_f64();
            // An evaluator that never errs leaves nothing that F1 could vary by.
            let low = bound("low").unwrap_or(value) - 1e-9;
            let high = bound("high").unwrap_or(value) + 1e-9;
            assert!(
                (low..=high).contains(&truth),
                "{name}: {quantity} is {truth:.3}: {estimate:#}"
            );
            assert!(bound("low").is_some() || sensitivity == 1.0, "{estimate:#}");
        }
    }
}

/// Figures of an evaluator whose positive class is *safe*.
fn truths(sensitivity: f64, specificity: f64) -> [(&'static str, f64); 5] {
    let (good, bad) = (f64::from(SAFE), f64::from(UNSAFE));
    let (passed, missed) = (good * specificity, bad * (1.0 - sensitivity));
    let (precision, recall) = (passed / (passed + missed), specificity);
    [
        ("accuracy", (passed + bad * sensitivity) / (good + bad)),
        ("precision", precision),
        ("recall", recall),
        ("f1", 2.0 * precision * recall / (precision + recall)),
        ("specificity", sensitivity),
    ]
}
