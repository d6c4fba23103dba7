//! Golden sets: debate and single answer on the same labelled questions.

use elenchus_test_support::compared::compared_figure;
use elenchus_test_support::journals::{events, journals, keep_lines};
use elenchus_test_support::program::{Program, copy_folder};
use serde_json::Value;
use std::collections::BTreeSet;

/// A proposer that is always wrong and a moderator that sees it.
const CONFIG: &str = "\
[sims.wrong]\naccuracy = 0.0\ntopic_effect = 0.0\nseat_effect = 0.0\nyield_to_peers = 0.0\nheed_critic = 0.0\n\
[sims.seer]\n[sims.seer.judge_if_correct]\ngood = 1.0\nmiddle = 0.0\nbad = 0.0\n\
[sims.seer.judge_if_incorrect]\ngood = 0.0\nmiddle = 0.0\nbad = 1.0\n";

const SET: &str = "\
{\"id\":\"c1\",\"text\":\"Is the clause valid?\",\"category\":\"contract\",\"reference\":\"yes\"}\n\
{\"id\":\"c2\",\"text\":\"Is the notice in time?\",\"category\":\"contract\",\"reference\":\"no\"}\n\
{\"id\":\"s1\",\"text\":\"Which port is open?\",\"category\":\"security\",\"reference\":\"8443\"}\n";

fn home() -> Program {
    let program = Program::with_topics(CONFIG);
    program.write("set.jsonl", SET);
    program
}

const PLAY: [&str; 7] = [
    "golden",
    "run",
    "set.jsonl",
    "--model",
    "wrong",
    "--seat",
    "moderator=seer",
];

#[test]
fn both_arms_play_every_question_and_a_moderator_that_sees_the_error_beats_the_single_answer() {
    let program = home();
    let told = program.run_ok(&[&PLAY[..], &["--json"]].concat());
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["debates"]["seed"], told["singles"]["seed"]);
    assert_eq!(told["debates"]["right_by"], "the debate's conclusion");
    assert_eq!(told["singles"]["right_by"], "the last graded answer");
    let demand = &told["demands"][0];
    assert_eq!(demand["gauge"], "challenge_strength");
    assert_eq!(demand["known_cases"], 3);
    assert_eq!(demand["known_cases_asked"], 20);
    assert_eq!(demand["mean_asked_above"], 7.0);
    assert_eq!(demand["fit"], false, "a pattern asks for 20 known cases");
    let report = &told["comparison"];
    let overall = compared_figure(report, "outcome_right", None);
    assert_eq!(overall["topics"], 3, "{report}");
    let right = &overall["compared"];
    assert_eq!(right["of"], 1.0, "the moderator concludes the opposite");
    assert_eq!(right["from"], 0.0, "the proposer's model answers alone");
    assert_eq!(report["sections"][0]["simulated"], true);
    for category in ["contract", "security"] {
        compared_figure(report, "outcome_right", Some(category));
    }
    let tokens = compared_figure(report, "tokens_per_debate", None);
    assert!(tokens["value"].as_f64().unwrap() > 1.0);

    // Framer, proposer, critic, rebuttal and moderator against one answer; the same seed for both.
    let mut seeds = BTreeSet::new();
    let mut played: Vec<(String, String, usize)> = program
        .session_files()
        .iter()
        .map(|path| {
            let session = events(path);
            let created = session.iter().find(|event| event["type"] == "created");
            let created = created.unwrap();
            seeds.insert(created["seed"].as_u64().unwrap());
            let calls = session
                .iter()
                .filter(|event| event["type"] == "call_started")
                .count();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (
                text(&created["protocol"]["id"]),
                text(&created["topic"]["id"]),
                calls,
            )
        })
        .collect();
    played.sort();
    let protocols: Vec<&str> = played
        .iter()
        .map(|(protocol, ..)| protocol.as_str())
        .collect();
    assert_eq!(
        protocols,
        [
            "moderated",
            "moderated",
            "moderated",
            "single",
            "single",
            "single"
        ]
    );
    for (protocol, topic, calls) in &played {
        let least = if protocol == "moderated" { 5 } else { 1 };
        assert!(*calls >= least, "{protocol} {topic}: {calls} calls");
    }
    assert_eq!(
        seeds.len(),
        3,
        "a topic's seed is the same in both arms: {seeds:?}"
    );
}

#[test]
fn what_was_played_is_compared_once_more_and_only_two_different_runs_are() {
    let program = home();
    let ids = program.run_ok(&[&PLAY[..], &["--quiet"]].concat());
    let ids: Vec<&str> = ids.lines().collect();
    let [debates, singles] = ids.as_slice() else {
        panic!("{ids:?}");
    };
    let table = program.run_ok(&["golden", "show", debates, singles]);
    let parts = [
        "SIMULATED",
        "contract",
        "security",
        "3 of 3 debates",
        "Challenge strength",
        "alert when below 6.50",
        "20 known",
        "over 3 cases: not met",
    ];
    for part in parts {
        assert!(table.contains(part), "{part}: {table}");
    }
    let wide: Vec<&str> = table
        .lines()
        .filter(|line| line.chars().count() > 80)
        .collect();
    assert!(wide.is_empty(), "{wide:?}");
    let (compared, _) = table.split_once("What the debates measure").unwrap();
    let words: Vec<&str> = compared.split_whitespace().collect();
    for place in ["other", "first", "other:", "first:"] {
        assert!(!words.contains(&place), "{place}: {table}");
    }
    for name in ["moderated", "single"] {
        assert!(words.contains(&name), "{name}: {table}");
    }
    for elsewhere in ["answer accuracy", "calls per debate"] {
        assert!(!table.contains(elsewhere), "{elsewhere}: {table}");
    }
    let same = program.run_err(1, &["golden", "show", debates, debates]);
    assert!(same.contains("same arm"), "{same}");
    let unknown = program.run_err(1, &["golden", "show", debates, "nothing"]);
    assert!(unknown.contains("nothing"), "{unknown}");
}

#[test]
fn a_set_without_expert_answers_is_refused_before_anything_is_played() {
    let program = home();
    program.write(
        "half.jsonl",
        "{\"id\":\"a\",\"text\":\"Q?\",\"reference\":\"yes\"}\n{\"id\":\"b\",\"text\":\"R?\"}\n",
    );
    let said = program.run_err(1, &["golden", "run", "half.jsonl"]);
    assert!(
        said.contains("1 of 2 questions") && said.contains("'b'") && said.contains("'reference'"),
        "{said}"
    );
    assert!(program.session_files().is_empty());
    let said = program.run_err(1, &["golden", "run", "set.jsonl", "--single", "nobody"]);
    assert!(said.contains("no protocol 'nobody'"), "{said}");
    assert!(program.session_files().is_empty());
}

#[test]
fn arms_that_could_not_be_compared_are_refused_before_anything_is_played() {
    let program = home();
    for (options, why) in [
        (
            ["--protocol", "sred"],
            "'sred' compares no answer with the expert's",
        ),
        (
            ["--single", "sred"],
            "'sred' compares no answer with the expert's",
        ),
        (["--protocol", "single"], "both would play 'single'"),
        (["--single", "moderated"], "both would play 'moderated'"),
    ] {
        let said = program.run_err(1, &[&["golden", "run", "set.jsonl"], &options[..]].concat());
        assert!(said.contains(why), "{why}: {said}");
    }
    assert!(program.session_files().is_empty());
    assert_eq!(program.run_id(), None);
}

#[test]
fn one_protocol_by_two_models_is_compared_and_a_single_answer_is_right_as_often_as_its_truth_says()
{
    let program = Program::with_topics(
        "[sims.wrong]\naccuracy = 0.0\ntopic_effect = 0.0\nseat_effect = 0.0\n\
         [sims.mostly]\naccuracy = 0.75\ntopic_effect = 0.0\nseat_effect = 0.0\n",
    );
    let questions = (0..100).map(|at| {
        format!("{{\"id\":\"q{at}\",\"text\":\"Item {at}?\",\"category\":\"lookup\",\"reference\":\"yes\"}}\n")
    });
    program.write("many.jsonl", &questions.collect::<String>());
    let told = program.run_ok(&[
        "golden",
        "run",
        "many.jsonl",
        "--protocol",
        "single",
        "--model",
        "wrong",
        "--single-model",
        "mostly",
        "--json",
    ]);
    let told: Value = serde_json::from_str(&told).unwrap();
    // A set of one task type names it.
    let row = compared_figure(&told["comparison"], "outcome_right", Some("lookup"));
    assert_eq!(row["topics"], 100);
    assert_eq!(row["compared"]["of"], 0.0);
    // Four standard errors of a share of 0.75 over 100 questions.
    let right = row["compared"]["from"].as_f64().unwrap();
    assert!(
        (right - 0.75).abs() < 4.0 * (0.75 * 0.25 / 100.0_f64).sqrt(),
        "{right}"
    );
    assert!(told.get("demands").is_none(), "nobody criticised: {told}");
}

#[test]
fn a_set_that_is_cut_off_while_its_runs_begin_goes_on_to_the_same_figures() {
    let program = home();
    let figures = |out: &str| {
        let told: Value = serde_json::from_str(out).unwrap();
        let right = compared_figure(&told["comparison"], "outcome_right", None);
        let shares = (right["compared"].clone(), right["topics"].clone());
        (shares, told["demands"].clone(), told["debates"].clone())
    };
    let play = [&PLAY[..], &["--json"]].concat();
    let whole = program.with_store("whole");
    let expected = figures(&whole.run_ok(&play));
    let calls = whole.finished_calls();
    for (name, lines) in [
        ("before", [0, 0]),
        ("in-the-first", [3, 0]),
        ("between", [4, 0]),
        ("in-the-second", [4, 2]),
        ("behind", [4, 4]),
    ] {
        let cut = program.with_store(name);
        copy_folder(&whole.store(), &cut.store());
        let set = journals(&cut.store().join("experiments/golden")).remove(0);
        keep_lines(&set, 1);
        let plan = &events(&set)[0]["plan"];
        for (run, lines) in ["singles", "debates"].into_iter().zip(lines) {
            let run = plan[run].as_str().unwrap();
            let path = cut.store().join(format!("runs/{run}.jsonl"));
            match lines {
                0 => std::fs::remove_file(&path).unwrap(),
                lines => keep_lines(&path, lines),
            }
        }
        for folder in ["sessions", "cache"] {
            let _ = std::fs::remove_dir_all(cut.store().join(folder));
        }
        cut.forget_heads();
        // Files that it was begun with count no more.
        cut.write("set.jsonl", "");
        let id = set.file_stem().unwrap().to_str().unwrap();
        cut.run_ok(&["experiments", "show", id]);
        let resumed = cut.run_ok(&["golden", "resume", id, "--json"]);
        assert_eq!(figures(&resumed), expected, "{name}");
        assert_eq!(cut.finished_calls(), calls, "{name}");
        cut.run_ok(&["verify"]);
        cut.write("set.jsonl", SET);
    }
}
