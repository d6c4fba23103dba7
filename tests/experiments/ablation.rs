//! Ablation: replicates that leave a memory entry out.

use elenchus_test_support::lessons::{entries, shown_entry, taught};
use elenchus_test_support::program::Program;
use serde_json::Value;
use std::collections::BTreeMap;

fn ablation_of(program: &Program, more: &[&str]) -> elenchus_test_support::program::Ran {
    let (entry, session) = shown_entry(program);
    let mut args = vec!["memory", "ablate", &session, "--entry", &entry];
    args.extend(more);
    program.run(&args)
}

/// The run of replicates: the newest one.
fn newest_run(program: &Program) -> String {
    let listed = program.run(&["ls", "--runs", "--json", "--limit", "1"]);
    let run: Value = serde_json::from_str(listed.out.lines().next().unwrap()).unwrap();
    run["run"].as_str().unwrap().to_owned()
}

/// First events and retrievals of a run's sessions, by rollout.
fn pairs(program: &Program, run: &str) -> BTreeMap<u64, Vec<(Value, Value)>> {
    let mut pairs: BTreeMap<u64, Vec<(Value, Value)>> = BTreeMap::new();
    for session in program.sessions() {
        let events = program.events(&session);
        let created = events[0].clone();
        if created["run"]["run"] != run {
            continue;
        }
        let gave = events.iter().find(|event| event["type"] == "retrieved");
        let rollout = created["run"]["rollout"].as_u64().unwrap();
        pairs
            .entry(rollout)
            .or_default()
            .push((created, gave.unwrap().clone()));
    }
    pairs
}

#[test]
fn both_debates_of_a_pair_differ_in_the_entry_and_in_nothing_else() {
    let program = taught();
    let before = entries(&program, elenchus_test_support::lessons::SIM);
    let (entry, session) = shown_entry(&program);
    let events = program.events(&session);
    let recorded = events
        .iter()
        .find(|event| event["type"] == "retrieved")
        .unwrap();
    let ran = ablation_of(&program, &["--replicates", "3", "--json"]).ended_with(0);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["done_with"], 3);
    assert_eq!(report["done_without"], 3);
    assert_eq!(report["about"]["entry"], entry.as_str());
    assert_eq!(report["found"]["measure"], "error_rate");
    assert_eq!(report["found"]["topics"], 3);
    assert_eq!(report["simulated"], true);
    assert!(ran.err.contains("estimate: "), "{ran:?}");
    let pairs = pairs(&program, &newest_run(&program));
    assert_eq!(pairs.len(), 3);
    let mut seeds = Vec::new();
    for pair in pairs.values() {
        let [(one, gave_one), (other, gave_other)] = &pair[..] else {
            panic!("{} debates in a pair", pair.len());
        };
        let with = |gave: &Value| gave["entries"].as_array().unwrap().len();
        let (gave, without) = match with(gave_one) > with(gave_other) {
            true => (gave_one, gave_other),
            false => (gave_other, gave_one),
        };
        assert_eq!(gave["entries"], recorded["entries"]);
        let rest: Vec<Value> = recorded["entries"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|shown| shown["id"] != entry.as_str())
            .cloned()
            .collect();
        assert_eq!(without["entries"], Value::from(rest));
        let same = |created: &Value| {
            let mut created = created.clone();
            created["session"] = Value::Null;
            created["memory"]["given"] = Value::Null;
            created["run"]["item"] = Value::Null;
            created
        };
        assert_eq!(same(one), same(other));
        assert_eq!(same(one)["memory"]["writes"], false);
        seeds.push(one["seed"].clone());
    }
    seeds.dedup();
    assert_eq!(seeds.len(), 3, "every pair draws anew");
    assert_eq!(
        entries(&program, elenchus_test_support::lessons::SIM),
        before,
        "replicates teach nothing"
    );
}

#[test]
fn what_is_finished_is_never_played_again_and_a_cut_off_run_goes_on() {
    let program = taught();
    ablation_of(&program, &["--replicates", "2", "--quiet-not-an-option"]).ended_with(2);
    ablation_of(&program, &["--replicates", "2"]).ended_with(0);
    let run = newest_run(&program);
    // As after a kill: the journal of the run has lost what it knew of the last debates.
    let journal = program.store().join("runs").join(format!("{run}.jsonl"));
    let whole = std::fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let finished = lines
        .iter()
        .position(|line| line.contains("\"type\":\"finished\""))
        .unwrap();
    std::fs::write(&journal, lines[..=finished].join("\n") + "\n").unwrap();
    program.forget_heads();
    let sessions = |program: &Program| -> Vec<_> {
        let kept = program.store_files().into_iter();
        let is_session = |path: &std::path::Path| {
            let folder = path.parent().and_then(|folder| folder.file_name());
            let is_journal = path.extension().is_some_and(|ending| ending == "jsonl");
            is_journal && folder.is_some_and(|name| name == "sessions")
        };
        kept.filter(|(path, _)| is_session(path)).collect()
    };
    let before: BTreeMap<_, _> = sessions(&program).into_iter().collect();
    let resumed = program
        .run(&["memory", "ablate", "--resume", &run])
        .ended_with(0);
    assert!(
        resumed.out.contains("2 debates with it and 2 without"),
        "{resumed:?}"
    );
    let after: BTreeMap<_, _> = sessions(&program).into_iter().collect();
    assert_eq!(before.len(), after.len());
    for (path, bytes) in &before {
        let now = String::from_utf8_lossy(&after[path]).into_owned();
        let was = String::from_utf8_lossy(bytes).into_owned();
        let replies = |text: &str| text.matches("\"type\":\"replied\"").count();
        assert_eq!(replies(&now), replies(&was), "{}", path.display());
    }
    let shown = program
        .run(&["memory", "ablate", "--show", &run])
        .ended_with(0);
    assert!(
        shown.out.contains("nothing about other topics"),
        "{shown:?}"
    );
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn what_cannot_be_left_out_is_refused_before_anything_is_played() {
    let program = taught();
    let before = program.store_files();
    let (entry, session) = shown_entry(&program);
    let cost = program.run(&[
        "memory",
        "ablate",
        &session,
        "--entry",
        &entry,
        "--estimate",
    ]);
    assert!(cost.ended_with(0).err.contains("20 debates"));
    let other = program.run(&["memory", "ablate", &session, "--entry", "lesson-nobody"]);
    let other = other.ended_with(1);
    assert!(other.err.contains("was not shown the entry"), "{other:?}");
    let run = program.run_id().unwrap();
    let none = program
        .run(&["memory", "ablate", "--resume", &run])
        .ended_with(1);
    assert!(none.err.contains("leaves no entry out"), "{none:?}");
    program
        .run(&[
            "memory",
            "ablate",
            &session,
            "--entry",
            &entry,
            "--budget-usd",
            "-1",
        ])
        .ended_with(1);
    assert_eq!(program.store_files(), before);
    let topic = "Say the details and steps for a kite";
    let alone = program.run(&["run", "--topic", topic, "--protocol", "pred", "--quiet"]);
    let alone = alone.ended_with(0).out.trim().to_owned();
    let nothing = program
        .run(&["memory", "ablate", &alone, "--entry", &entry])
        .ended_with(1);
    assert!(
        nothing.err.contains("nothing can be left out"),
        "{nothing:?}"
    );
}
