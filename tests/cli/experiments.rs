//! `elenchus experiments`: lists, shows and resumes experiments of every kind.

use crate::support::program::Program;
use serde_json::Value;

const TOPICS: &str = "id,text\na,Why is that?\nb,And why not?\n";

fn home() -> Program {
    let program = Program::new();
    program.write("topics.csv", TOPICS);
    program
}

fn listed(program: &Program, more: &[&str]) -> Vec<Value> {
    let text = program.run_ok(&[&["experiments", "list", "--json"], more].concat());
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_run_that_its_ceiling_paused_is_listed_shown_and_resumed_by_its_id() {
    let program = home();
    let run = [
        "run",
        "--dataset",
        "own:topics.csv",
        "--rounds",
        "1",
        "--budget-calls",
        "5",
        "--quiet",
    ];
    let paused = program.run(&run).ended_with(4);
    let id = paused.out.trim();
    let known = listed(&program, &["--open"]);
    assert_eq!(known.len(), 1);
    assert_eq!(known[0]["experiment"], id);
    assert_eq!(
        (&known[0]["kind"], &known[0]["all"]),
        (&"run".into(), &2.into())
    );
    assert_eq!(known[0]["state"], "paused");
    assert_eq!(known[0]["resume"], format!("elenchus run --resume {id}"));
    let table = program.run_ok(&["experiments", "list"]);
    assert!(table.contains("run") && table.contains("paused"), "{table}");
    // The end of an id names it.
    let short = &id[id.len() - 6..];
    let shown = program.run_ok(&["experiments", "show", short]);
    assert!(
        shown.contains("paused: the ceiling is reached: 5 of 5 calls were made"),
        "{shown}"
    );
    assert!(shown.contains("5 at most"), "{shown}");
    assert!(
        shown.contains(&format!("go on with: elenchus run --resume {id}")),
        "{shown}"
    );

    let resume = [
        "experiments",
        "resume",
        short,
        "--budget-calls",
        "500",
        "--quiet",
    ];
    program.run(&resume).ended_with(0);
    assert!(listed(&program, &["--open"]).is_empty());
    let done = program.run_ok(&["experiments", "show", id, "--json"]);
    let done: Value = serde_json::from_str(&done).unwrap();
    assert_eq!(
        (&done["state"], &done["done"]),
        (&"completed".into(), &2.into())
    );
    assert_eq!(done["ceilings"]["calls"], 500);
    // The simulated model is free, and that is known.
    assert_eq!(done["committed_usd"], 0.0);
}

#[test]
fn every_kind_is_listed_the_newest_first() {
    let program = home();
    program.write(
        "set.jsonl",
        "{\"id\":\"c\",\"text\":\"Is it valid?\",\"category\":\"contract\",\"reference\":\"yes\"}\n",
    );
    let run = [
        "run",
        "--dataset",
        "own:topics.csv",
        "--rounds",
        "1",
        "--quiet",
    ];
    program.run_ok(&run);
    program.run_ok(&["judge", "--all", "--quiet"]);
    program.run_ok(&["golden", "run", "set.jsonl", "--model", "sim", "--quiet"]);
    let known = listed(&program, &[]);
    let kinds: Vec<&str> = known
        .iter()
        .map(|one| one["kind"].as_str().unwrap())
        .collect();
    // A golden set is two runs, begun before it.
    assert_eq!(kinds, ["golden set", "run", "run", "pass", "run"]);
    assert!(
        known.iter().all(|one| one["state"] == "completed"),
        "{known:?}"
    );
    assert_eq!(
        (&known[0]["items"], &known[0]["done"]),
        (&"runs".into(), &2.into())
    );
    assert_eq!(listed(&program, &["--limit", "2"]).len(), 2);
    // What is complete is not asked again.
    let before = program.finished_calls();
    let golden = known[0]["experiment"].as_str().unwrap();
    program.run(&["golden", "resume", golden]).ended_with(0);
    assert_eq!(program.finished_calls(), before);
    program.run_ok(&["verify"]);
}

#[test]
fn an_unknown_id_is_refused_with_the_command_that_lists() {
    let program = home();
    let none = program.run(&["experiments", "list"]).ended_with(0);
    assert!(none.err.contains("no experiments"), "{}", none.err);
    let refused = program.run_err(1, &["experiments", "show", "nothing"]);
    assert!(refused.contains("elenchus experiments list"), "{refused}");
    let run = [
        "run",
        "--dataset",
        "own:topics.csv",
        "--rounds",
        "1",
        "--quiet",
    ];
    let id = program.run_ok(&run);
    let wrong = ["experiments", "resume", id.trim(), "--no-such-option"];
    let refused = program.run(&wrong).ended_with(2);
    assert!(refused.err.contains("--no-such-option"), "{}", refused.err);
}
