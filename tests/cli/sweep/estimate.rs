//! Estimates of sweeps and runs: nothing is played, nothing is written.

use elenchus_test_support::program::Program;
use serde_json::Value;

const PLAN: &str = "\
dataset = \"own:topics.csv\"
model = \"slow\"
seeds = [1, 2]
rounds = 2

[axes]
protocol = [\"pred\", \"sred\"]
";

/// A simulated model whose replies take a while, so that there is something to estimate.
const SLOW: &str = "[sims.slow]\nlatency_ms = 20\nunsafe_rate = 0.5\n";

fn json(program: &Program, args: &[&str]) -> Value {
    serde_json::from_str(&program.run_ok(args)).unwrap()
}

#[test]
fn a_sweep_says_its_arms_with_debates_calls_and_cost_and_writes_nothing() {
    let program = Program::with_topics(SLOW);
    program.write("plan.toml", PLAN);
    let ran = program
        .run(&["sweep", "plan.toml", "--estimate"])
        .ended_with(0);
    for line in [
        "2 arms, 2 seeds, 4 runs: 20 debates over 5 topics",
        "  pred      10  $0.0000; ",
        "  sred      10  $0.0000; ",
        "estimate: $0.0000; ",
        "time: unknown: no earlier reply of slow",
    ] {
        assert!(ran.out.contains(line), "{line}\n{}", ran.out);
    }
    assert!(ran.err.contains("simulated: "), "{}", ran.err);
    assert!(program.store_files().is_empty());
    let told = json(&program, &["sweep", "plan.toml", "--estimate", "--json"]);
    let calls = |value: &Value| value["likely"]["calls"].as_u64().unwrap();
    let arms = told["arms"].as_array().unwrap();
    let sum: u64 = arms.iter().map(|arm| calls(&arm["estimate"])).sum();
    assert_eq!(calls(&told["estimate"]), sum);
    // Three debaters and a verdict each, in two rounds, then a lesson.
    assert_eq!(calls(&arms[0]["estimate"]), 10 * (3 * 2 * 2 + 1));
}

#[test]
fn a_run_is_estimated_without_being_played() {
    let program = Program::with_topics(SLOW);
    let run = ["run", "--protocol", "pred", "--model", "slow", "--estimate"];
    let one = [&run[..], &["--topic", "How do locks work?"]].concat();
    let ran = program.run(&one).ended_with(0);
    assert!(
        ran.out
            .starts_with("1 debate of 'pred' on 1 topic\nestimate: $0.0000; 19 calls"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("time: unknown: no earlier reply of slow"),
        "{}",
        ran.out
    );
    let many = [&run[..], &["--dataset", "own:topics.csv", "--json"]].concat();
    let told = json(&program, &many);
    assert_eq!(told["debates"], 5);
    assert_eq!(told["estimate"]["likely"]["calls"], 5 * 19);
    assert_eq!(told["time"]["seconds"], Value::Null);
    assert!(program.store_files().is_empty());
    program.run_err(2, &["run", "--resume", "x", "--estimate"]);
    let played = json(&program, &["run", "--topic", "x", "--json"]);
    assert!(played["report"]["sections"].is_array(), "{played}");
}

#[test]
fn time_follows_earlier_replies_along_the_critical_path() {
    let program = Program::with_topics(SLOW);
    program.play(&[
        "--protocol",
        "pred",
        "--model",
        "slow",
        "--rounds",
        "1",
        "--topic",
        "How do locks work?",
    ]);
    let seconds = |more: &[&str]| {
        let run = [
            "run",
            "--protocol",
            "pred",
            "--model",
            "slow",
            "--estimate",
            "--json",
        ];
        let told = json(&program, &[&run[..], more].concat());
        assert_eq!(told["time"]["earlier_replies"]["slow"], 6);
        told["time"]["seconds"].as_f64().unwrap()
    };
    let median = seconds(&["--topic", "x", "--rounds", "1"]) / 3.0;
    assert!(median >= 0.02, "a reply takes 20 ms: {median}");
    let is = |found: f64, calls: f64| (found - calls * median).abs() < 1e-9;
    // One turn a round, side by side; the last verdict; the lesson.
    assert!(is(seconds(&["--topic", "x", "--rounds", "3"]), 5.0));
    assert!(is(seconds(&["--topic", "x", "--rounds", "10"]), 12.0));
    let five = ["--dataset", "own:topics.csv", "--rounds", "1"];
    let at =
        |many: &str, more: &[&str]| seconds(&[&five[..], &["--concurrency", many], more].concat());
    assert!(is(at("1", &[]), 15.0));
    assert!(is(at("5", &[]), 3.0));
    // Debates that learn one from another wait for each other.
    assert!(is(at("5", &["--memory", "textual"]), 15.0));
}
