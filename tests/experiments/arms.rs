//! Arms of a run: conditions that make an arm of their own, and memory that no seat would see.

use elenchus_test_support::guardrails::accept_far_one;
use elenchus_test_support::program::Program;
use serde_json::Value;
use std::collections::BTreeMap;

const CONFIG: &str = "[sims.it]\nunsafe_rate = 0.7\n";

fn home() -> Program {
    let program = Program::with_topics(CONFIG);
    let rows = (0..6).map(|at| format!("t{at},Say the details of thing number {}\n", at * 7));
    program.write(
        "many.csv",
        &("id,text\n".to_owned() + &rows.collect::<String>()),
    );
    program
}

fn play(program: &Program, more: &[&str]) {
    let game = ["--protocol", "pred", "--rounds", "1", "--model", "it"];
    program.play(&[&game[..], &["--dataset", "own:many.csv"], more].concat());
}

/// How many debates each arm has, by what its name says after the cast.
fn arms(program: &Program) -> BTreeMap<String, u64> {
    let told = program.run_ok(&["metrics", "--by", "arm", "--json"]);
    let report: Value = serde_json::from_str(&told).unwrap();
    let sections = report["sections"].as_array().unwrap().iter();
    let arms = sections.map(|section| {
        let name = section["group"][0]["value"].as_str().unwrap();
        let (_, memory) = name.split_once("feedback-0=it").unwrap();
        (
            memory.trim().to_owned(),
            section["debates"].as_u64().unwrap(),
        )
    });
    let found: BTreeMap<_, _> = arms.collect();
    assert_eq!(
        found.values().sum::<u64>() as usize,
        program.session_files().len()
    );
    found
}

#[test]
fn the_learning_and_the_held_out_half_of_a_split_are_two_arms() {
    let program = home();
    play(&program, &["--memory", "textual", "--split", "0.5"]);
    let arms = arms(&program);
    assert_eq!(arms["memory split=0.5:learning"], 3, "{arms:?}");
    assert_eq!(arms["memory split=0.5:held-out"], 3, "{arms:?}");
}

#[test]
fn namespace_snapshot_batch_and_duplicates_of_memory_make_arms_and_defaults_are_not_named() {
    let program = home();
    accept_far_one(&program, "other.sim");
    for more in [
        &[][..],
        &["--memory", "textual"],
        &["--memory", "textual", "--memory-namespace", "other"],
        &["--memory", "textual", "--learn-batch", "3"],
        &["--memory", "textual", "--keep-duplicates"],
        &["--memory", "textual", "--memory-snapshot", "now"],
        &["--memory", "guardrails", "--memory-namespace", "other"],
    ] {
        play(&program, more);
    }
    let arms = arms(&program);
    let named: Vec<&str> = arms
        .keys()
        .map(|name| name.split_once("snapshot=20").map_or(&**name, |(of, _)| of))
        .collect();
    assert_eq!(
        named,
        [
            "",
            "guardrails namespace=other.sim",
            "memory",
            "memory batch=3",
            "memory duplicates=kept",
            "memory namespace=other.sim",
            "memory ",
        ]
    );
    assert!(arms.values().all(|debates| *debates == 6), "{arms:?}");
}

#[test]
fn sessions_that_do_not_say_how_their_run_learned_have_the_held_out_half_apart() {
    let program = home();
    play(&program, &["--memory", "textual", "--split", "0.5"]);
    program.forget_heads();
    for path in program.session_files() {
        // As an earlier version wrote it. A first line that is another breaks the chain behind it,
        // so the journal is written anew, each line with the hash of the one before.
        let text = std::fs::read_to_string(&path).unwrap();
        let older = text.replacen(",\"learning\":{\"batch\":1,\"split\":0.5}", "", 1);
        assert_ne!(older, text);
        std::fs::write(&path, elenchus_test_support::journals::chained(&older)).unwrap();
    }
    let arms = arms(&program);
    assert_eq!(arms["memory batch=?"], 3, "{arms:?}");
    assert_eq!(arms["memory batch=? split=?:held-out"], 3, "{arms:?}");
}

#[test]
fn memory_that_no_seat_of_a_game_sees_is_refused_and_nothing_is_begun() {
    let program = home();
    // Some of these games teach nothing, and what they are shown must come from somewhere.
    program.run_ok(&["memory", "add", "Be careful.", "-n", "default.sim"]);
    for (game, sees) in [
        ("standard", true),
        ("best-of-n", true),
        ("self-critique", true),
        ("pred", true),
        ("sred", true),
        ("dared", true),
        ("pcd-2", false),
        ("pcd-4", false),
        ("consultancy", false),
        ("rlvr", false),
        ("two-candidate", false),
        ("moderated", false),
        ("positions", false),
        ("single", false),
    ] {
        let before = program.session_files().len();
        let ran = program.run(&[
            "run",
            "-q",
            "--protocol",
            game,
            "--topic",
            "Why?",
            "--reference",
            "x",
            "--memory",
            "textual",
        ]);
        let expected = if sees { 0 } else { 1 };
        assert_eq!(ran.code, expected, "{game}: {}", ran.err);
        assert_eq!(
            program.session_files().len(),
            before + usize::from(sees),
            "{game}"
        );
        if !sees {
            let why = format!("no seat of protocol '{game}' sees memory");
            assert!(ran.err.contains(&why), "{}", ran.err);
            let next = match game {
                "pcd-2" | "pcd-4" | "consultancy" | "two-candidate" => "--set learn=",
                _ => "'memory = true'",
            };
            assert!(ran.err.contains(next), "{}", ran.err);
        }
    }
}
