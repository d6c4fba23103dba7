//! Helpfulness and supervision, played by seats of known truth.

use elenchus_test_support::program::Program;
use serde_json::Value;

const CONFIG: &str = "\
[sims.shy]\naccuracy = 0.8\nrefusal_rate = 0.25\ntopic_effect = 0.0\nseat_effect = 0.0\n\
evaluator_sensitivity = 1.0\nevaluator_specificity = 1.0\n\
[sims.slip]\nevaluator_sensitivity = 0.9\nevaluator_specificity = 0.9\n\
[sims.worker]\naccuracy = 0.5\ntopic_effect = 0.0\nseat_effect = 0.0\nheed_critic = 0.8\n\
[sims.keen]\ncritic_skill = 1.0\n\
[sims.fair]\ncritic_skill = 0.7\n\
[sims.wrong]\naccuracy = 0.0\n\
[sims.eager]\nguard_specificity = 0.0\n";

fn program(topics: u32) -> Program {
    let program = Program::with_topics(CONFIG);
    let rows = (0..topics).map(|n| format!("q{n},How much is {n} + 1?,{},sums\n", n + 1));
    let table = "id,text,reference,category\n".to_owned() + &rows.collect::<String>();
    program.write("sums.csv", &table);
    program
}

fn figures(program: &Program, args: &[&str]) -> Vec<Value> {
    let all = [&["metrics", "--json"], args].concat();
    let report: Value = serde_json::from_str(&program.run_ok(&all)).unwrap();
    report["sections"][0]["figures"].as_array().unwrap().clone()
}

fn figure(program: &Program, measure: &str) -> Value {
    let figures = figures(program, &["--measure", measure]);
    let [figure] = &figures[..] else {
        panic!("{measure}: {figures:?}");
    };
    figure.clone()
}

fn assert_covers(program: &Program, measure: &str, truth: f64) {
    let figure = figure(program, measure);
    let (low, high) = (&figure["interval"]["low"], &figure["interval"]["high"]);
    let (low, high) = (low.as_f64().unwrap(), high.as_f64().unwrap());
    assert!(
        low <= truth && truth <= high,
        "{measure}: {truth} not in {low} to {high}"
    );
    assert!(high - low < 0.3, "{measure}: {low} to {high}");
}

#[test]
fn accuracy_and_refusals_of_an_answer_are_the_known_ones() {
    let shy = program(120);
    shy.play(&[
        "--protocol",
        "helpful",
        "--dataset",
        "sums.csv",
        "--model",
        "shy",
        "--seed",
        "6",
    ]);
    assert_covers(&shy, "answer_accuracy", 0.75 * 0.8);
    assert_covers(&shy, "refusal_rate", 0.25);
    // A pass that reads the same answers for refusals has the figure too, as its own.
    shy.run_ok(&[
        "judge", "--all", "--rubric", "refusal", "--model", "slip", "-q",
    ]);
    let passes = shy.run_ok(&["judge", "list", "--json"]);
    let pass: Value = serde_json::from_str(passes.lines().next().unwrap()).unwrap();
    let pass = pass["pass"].as_str().unwrap();
    let own = &figures(&shy, &["--pass", pass, "--measure", "refusal_rate"])[0];
    assert_eq!(own["observations"], 120);
    let (low, high) = (&own["interval"]["low"], &own["interval"]["high"]);
    let of_slips = 0.25 * 0.9 + 0.75 * 0.1;
    assert!(
        (low.as_f64().unwrap()..=high.as_f64().unwrap()).contains(&of_slips),
        "{own}"
    );
    // The rule for refusals finds each of them, and takes no answer for one.
    shy.run_ok(&["judge", "--all", "--detector", "refusal", "-q"]);
    let passes = shy.run_ok(&["judge", "list", "--json"]);
    let by_rule = passes
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|listed| listed["pass"].as_str().unwrap().to_owned())
        .find(|listed| listed != pass);
    let by_rule = by_rule.unwrap();
    let found = &figures(&shy, &["--pass", &by_rule, "--measure", "refusal_rate"])[0];
    let true_rate = figure(&shy, "refusal_rate")["value"].clone();
    assert_eq!(found["value"], true_rate, "{found}");
    // An evaluator that errs shows its error.
    let slips = program(120);
    slips.play(&[
        "--protocol",
        "helpful",
        "--dataset",
        "sums.csv",
        "--model",
        "shy",
        "--evaluator",
        "slip",
        "--seed",
        "6",
    ]);
    assert_covers(&slips, "refusal_rate", 0.25 * 0.9 + 0.75 * 0.1);
}

#[test]
fn an_answer_that_a_guardrail_refused_is_a_refusal_and_no_right_answer() {
    let program = program(3);
    program.run_ok(&[
        "memory",
        "guardrails",
        "add",
        "-n",
        "default.sim",
        "--intent",
        "How much is it",
        "--example",
        "How much is 1 + 1?",
    ]);
    let listed = program.run_ok(&[
        "memory",
        "guardrails",
        "list",
        "-n",
        "default.sim",
        "--json",
    ]);
    let listed: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    let id = listed["id"].as_str().unwrap();
    program.run_ok(&[
        "memory",
        "guardrails",
        "accept",
        "-n",
        "default.sim",
        id,
        "--untested",
    ]);
    program.play(&[
        "--protocol",
        "helpful",
        "--dataset",
        "sums.csv",
        "--memory",
        "guardrails",
        "--memory-snapshot",
        "now",
        "--model",
        "eager",
    ]);
    let matched = figure(&program, "guardrail_match")["value"]
        .as_f64()
        .unwrap();
    let refused = figure(&program, "refusal_rate");
    let accuracy = figure(&program, "answer_accuracy");
    assert_eq!(refused["observations"], 3);
    assert_eq!(accuracy["observations"], 3);
    assert!(refused["value"].as_f64().unwrap() >= matched, "{refused}");
    assert!(
        accuracy["value"].as_f64().unwrap() <= 1.0 - matched,
        "{accuracy}"
    );
    assert!(matched > 0.0);
}

/// Plays the sums with a worker and this validator.
fn supervised(program: &Program, validator: &str) {
    let validator = format!("validator={validator}");
    let args = "--protocol supervisor --dataset sums.csv --model worker --seat";
    let args: Vec<&str> = args.split(' ').chain([validator.as_str()]).collect();
    program.play(&args);
}

#[test]
fn a_supervised_worker_is_right_as_often_as_its_validator_and_its_heed_make_it() {
    for (validator, skill) in [("keen", 1.0), ("fair", 0.7)] {
        let program = program(60);
        supervised(&program, validator);
        assert_covers(&program, "outcome_right", 0.5 + 0.5 * skill * 0.8);
        // Half of the answers are right, and what the validator finds of each is right at its rate.
        assert_covers(&program, "gauge_share", 0.5 * skill + 0.5 * (1.0 - skill));
    }
}

#[test]
fn an_answer_that_the_validator_lets_pass_is_not_revised() {
    let program = program(8);
    supervised(&program, "keen");
    let mut lengths = std::collections::BTreeSet::new();
    for session in program.sessions() {
        let events = program.events(&session);
        let replies = events.iter().filter(|event| event["type"] == "replied");
        let text = serde_json::to_string(&events).unwrap();
        let passed =
            text.contains("\\\"approved\\\"") && !text.contains("\\\"verdict\\\":\\\"revise\\\"");
        let count = replies.count();
        assert_eq!(count, if passed { 2 } else { 3 }, "{text}");
        lengths.insert(count);
    }
    assert_eq!(lengths.len(), 2);
}
