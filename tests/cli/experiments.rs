//! `elenchus experiments`: lists, shows and resumes experiments of every kind.

use elenchus_test_support::program::Program;
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
    let pass = program.run_ok(&["judge", "--all", "--json"]);
    let pass: Value = serde_json::from_str(&pass).unwrap();
    assert_eq!(pass["sessions"], 2);
    assert_eq!(pass["unparsed"], 0);
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
fn what_it_would_cost_is_said_by_every_kind_and_nothing_is_written() {
    let program = home();
    program.write(
        "set.jsonl",
        "{\"id\":\"c\",\"text\":\"Is it valid?\",\"reference\":\"yes\"}\n",
    );
    program.write(
        "plan.toml",
        "dataset = \"own:topics.csv\"\n[axes]\nrounds = [1, 2]\n",
    );
    program.write("mine.md", "=== user\n{{ topic }}\n");
    let run = [
        "run",
        "--dataset",
        "own:topics.csv",
        "--rounds",
        "1",
        "--quiet",
    ];
    program.run_ok(&run);
    // All but the index, which is derived.
    let kept = || {
        let mut files = program.store_files();
        files.retain(|(path, _)| {
            !path
                .strip_prefix(program.store())
                .unwrap()
                .starts_with("cache")
        });
        files.retain(|(path, _)| !path.ends_with("cache.lock"));
        files
    };
    let before = kept();
    let ab = "prompts ab --seat debater --a built-in --b mine.md --round 1";
    for args in [
        "run --dataset own:topics.csv",
        "sweep plan.toml",
        "judge --all --rubric safety --model sim",
        "golden run set.jsonl --model sim",
        "prompts try last:r1.debater-0 --samples 3",
        ab,
    ] {
        let words: Vec<&str> = args.split_whitespace().chain(["--estimate"]).collect();
        let said = program.run(&words).ended_with(0);
        let all = said.out + &said.err;
        assert!(
            all.contains(" calls, ") && all.contains("$0.0000"),
            "{args}: {all}"
        );
        assert_eq!(kept(), before, "{args}");
    }
    let never = [
        "prompts",
        "try",
        "last:r1.debater-0",
        "--samples",
        "0",
        "--estimate",
    ];
    let refused = program.run_err(1, &never);
    assert!(refused.contains("try 1 to 64"), "{refused}");
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

#[test]
fn what_costs_nothing_is_known_to_cost_nothing_and_what_has_no_price_is_not() {
    let program = home();
    program.write(
        "set.jsonl",
        "{\"id\":\"c\",\"text\":\"Is it valid?\",\"reference\":\"yes\"}\n",
    );
    let plan = "dataset = \"own:topics.csv\"\nrounds = 1\nseeds = [1, 2]\n";
    program.write("plan.toml", plan);
    program.run_ok(&["sweep", "plan.toml", "--quiet"]);
    program.run_ok(&["golden", "run", "set.jsonl", "--model", "sim", "--quiet"]);
    let turn = ["--protocol", "pred", "--round", "1", "--turns", "1"];
    let texts = ["--a", "built-in", "--b", "recorded"];
    program.run_ok(&[&["prompts", "ab"], &turn[..], &texts].concat());
    let session = program.sessions().remove(0);
    program.run_ok(&["prompts", "try", &format!("{session}:r1.debater-0")]);
    for one in listed(&program, &[]) {
        assert_eq!(one["committed_usd"], 0.0, "{one}");
        assert_eq!(one["state"], "completed", "{one}");
        let shown = program.run_ok(&["experiments", "show", one["experiment"].as_str().unwrap()]);
        assert!(shown.contains("at most $0"), "{shown}");
    }
    let (program, _server, session) = elenchus_test_support::socratic::played();
    program.run_ok(&["prompts", "try", &format!("{session}:r1.socratic")]);
    let texts = ["--a", "built-in", "--b", "recorded", "--ask-anew"];
    program.run_ok(&[&["prompts", "ab", "--seat", "socratic"], &texts[..]].concat());
    let known = listed(&program, &[]);
    let kinds = known.iter().map(|one| one["kind"].as_str().unwrap());
    assert_eq!(kinds.collect::<Vec<_>>(), ["comparison", "prompt trial"]);
    assert!(
        known.iter().all(|one| one["committed_usd"].is_null()),
        "{known:?}"
    );
}
