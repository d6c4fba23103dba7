//! `elenchus protocols diff`.

use elenchus_test_support::program::{DUO, Program};
use serde_json::Value;

const PROJECT: &str = "work/.elenchus/prompts";

/// A program whose project has 'duo' and a game that differs from it as `change` says.
fn place(change: impl Fn(&str) -> String) -> Program {
    let program = Program::new().with_duo();
    program.write_at(&format!("{PROJECT}/other/protocol.toml"), &change(DUO));
    let template = program.read(&format!("{PROJECT}/duo/speaker.md"));
    program.write_at(&format!("{PROJECT}/other/speaker.md"), &template);
    program
}

fn compare(program: &Program, more: &[&str]) -> String {
    let ran = program.run_tidy(&[&["protocols", "diff"], more].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    for line in ran.out.lines().filter(|_| !more.contains(&"--json")) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    ran.out
}

/// The levers as (group, name, a, b).
fn levers(program: &Program, more: &[&str]) -> Vec<(String, String, Value, Value)> {
    let out = compare(program, &[more, &["--json"]].concat());
    let found: Value = serde_json::from_str(&out).unwrap();
    let levers = found["levers"].as_array().unwrap();
    levers
        .iter()
        .map(|lever| {
            let text = |name: &str| lever[name].as_str().unwrap().to_owned();
            (
                text("group"),
                text("name"),
                lever["a"].clone(),
                lever["b"].clone(),
            )
        })
        .collect()
}

#[test]
fn a_game_differs_in_no_lever_from_itself_whatever_it_is_called() {
    let program = place(|duo| duo.replace("name = \"Two answers\"", "name = \"Another name\""));
    for other in ["duo", "other", ".elenchus/prompts/duo/protocol.toml"] {
        let out = compare(&program, &["duo", other]);
        assert!(out.ends_with("\nno lever differs\n"), "{other}\n{out}");
    }
}

#[test]
fn the_same_game_with_another_setting_differs_in_that_lever_alone() {
    let found = levers(
        &Program::new().with_duo(),
        &["duo", "duo", "--set-a", "rounds=1", "--set-b", "rounds=3"],
    );
    let rounds = ("turn_order".into(), "rounds".into(), "1".into(), "3".into());
    assert_eq!(found, [rounds]);
}

#[test]
fn a_renamed_seat_is_one_that_went_and_one_that_came() {
    let program = Program::new();
    let seats = |found: &[(String, String, Value, Value)]| -> Vec<(String, bool, bool)> {
        let seats = found.iter().filter(|lever| lever.1.starts_with("seat "));
        seats
            .map(|(_, name, a, b)| (name.clone(), a.is_null(), b.is_null()))
            .collect()
    };
    let found = levers(&program, &["pred", "sred"]);
    assert_eq!(seats(&found), [("seat socratic".to_owned(), true, false)]);
    let found = levers(&program, &["pcd-2", "self-critique"]);
    let speakers: Vec<(String, bool, bool)> = seats(&found).into_iter().take(3).collect();
    assert_eq!(
        speakers,
        [
            ("seat proposer".to_owned(), false, true),
            ("seat critic".to_owned(), false, true),
            ("seat agent".to_owned(), true, false),
        ]
    );
}

#[test]
fn rewards_are_compared_label_by_label_and_seat_by_seat() {
    let program = Program::new();
    let text = std::fs::read_to_string("prompts/pcd-2/protocol.toml").unwrap();
    let changed = text.replace(
        "flawed = { proposer = 0.0, critic = 0.0 }",
        "flawed = { proposer = -0.5 }",
    );
    assert_ne!(text, changed);
    program.write_at(&format!("{PROJECT}/pcd-2/protocol.toml"), &changed);
    let found = levers(&program, &["built-in:pcd-2", "pcd-2"]);
    let lever = |seat: &str, a: Value, b: Value| {
        let name = format!("decision = flawed: {seat}");
        ("rewards".to_owned(), name, a, b)
    };
    assert_eq!(
        found,
        [
            lever("critic", "+0".into(), Value::Null),
            lever("proposer", "+0".into(), "-0.5".into()),
        ]
    );
}

#[test]
fn words_that_differ_are_summed_up_and_printed_when_asked_for() {
    let program = place(str::to_owned);
    program.write_at(
        &format!("{PROJECT}/other/speaker.md"),
        "=== user\n{{ topic }}\nNever before seen.\n",
    );
    let folded = compare(&program, &["duo", "other"]);
    assert!(folded.contains("only in B"), "{folded}");
    assert!(!folded.contains("Never before"), "{folded}");
    let full = compare(&program, &["duo", "other", "--prompts"]);
    assert!(full.contains("+ Never before seen."), "{full}");
}

#[test]
fn two_games_are_laid_out_lever_by_lever_initialisation_first() {
    let program = place(|duo| {
        duo.replace("id = \"answer\"", "id = \"reply\"")
            .replace("label = \"Speaker\"", "label = \"Peer\"")
            .replace("grader = \"exact\"", "grader = \"numeric\"")
            + "\n[rewards.truth]\ncorrect = { speaker = 1.0 }\n"
    });
    insta::assert_snapshot!(compare(&program, &["duo", "other", "--set-b", "rounds=2"]));
}
