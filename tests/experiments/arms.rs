//! What makes an arm of its own, and memory that nobody would see.

use super::home::Home;
use serde_json::Value;
use std::collections::BTreeMap;

const CONFIG: &str = "[sims.it]\nunsafe_rate = 0.7\n";

fn home() -> Home {
    let home = Home::with_config(CONFIG);
    let rows = (0..6).map(|at| format!("t{at},Say the details of thing number {}\n", at * 7));
    home.write(
        "work/many.csv",
        &("id,text\n".to_owned() + &rows.collect::<String>()),
    );
    home
}

fn play(home: &Home, more: &[&str]) {
    let game = ["--protocol", "pred", "--rounds", "1", "--model", "it"];
    home.play(&[&game[..], &["--dataset", "own:many.csv"], more].concat());
}

/// How many debates each arm has, by what its name says after the cast.
fn arms(home: &Home) -> BTreeMap<String, u64> {
    let told = home.fine(&["metrics", "--by", "arm", "--json"]);
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
    assert_eq!(found.values().sum::<u64>() as usize, home.sessions().len());
    found
}

#[test]
fn the_learning_and_the_held_out_half_of_a_split_are_two_arms() {
    let home = home();
    play(&home, &["--memory", "textual", "--split", "0.5"]);
    let arms = arms(&home);
    assert_eq!(arms["memory split=0.5:learning"], 3, "{arms:?}");
    assert_eq!(arms["memory split=0.5:held-out"], 3, "{arms:?}");
}

#[test]
fn namespace_snapshot_batch_and_duplicates_of_memory_make_arms_and_defaults_are_not_named() {
    let home = home();
    for more in [
        &[][..],
        &["--memory", "textual"],
        &["--memory", "textual", "--memory-namespace", "other"],
        &["--memory", "textual", "--learn-batch", "3"],
        &["--memory", "textual", "--keep-duplicates"],
        &[
            "--memory",
            "textual",
            "--memory-snapshot",
            "2026-01-31T12:00:00Z",
        ],
        &["--memory", "guardrails", "--memory-namespace", "other"],
    ] {
        play(&home, more);
    }
    let arms = arms(&home);
    let named: Vec<&str> = arms.keys().map(String::as_str).collect();
    assert_eq!(
        named,
        [
            "",
            "guardrails namespace=other.sim",
            "memory",
            "memory batch=3",
            "memory duplicates=kept",
            "memory namespace=other.sim",
            "memory snapshot=2026-01-31T12:00:00Z",
        ]
    );
    assert!(arms.values().all(|debates| *debates == 6), "{arms:?}");
}

#[test]
fn sessions_that_do_not_say_how_their_run_learned_have_the_held_out_half_apart() {
    let home = home();
    play(&home, &["--memory", "textual", "--split", "0.5"]);
    home.forget_heads();
    for path in home.sessions() {
        // As an earlier version wrote it. A first line that is another breaks the chain behind it,
        // so the journal is written anew, each line with the hash of the one before.
        let text = std::fs::read_to_string(&path).unwrap();
        let older = text.replacen(",\"learning\":{\"batch\":1,\"split\":0.5}", "", 1);
        assert_ne!(older, text);
        std::fs::write(&path, super::home::chained(&older)).unwrap();
    }
    let arms = arms(&home);
    assert_eq!(arms["memory batch=?"], 3, "{arms:?}");
    assert_eq!(arms["memory batch=? split=?:held-out"], 3, "{arms:?}");
}

#[test]
fn memory_that_no_seat_of_a_game_sees_is_refused_and_nothing_is_begun() {
    let home = home();
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
        let before = home.sessions().len();
        let ran = home.run(&[
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
        let expected = if sees { Some(0) } else { Some(1) };
        assert_eq!(ran.code, expected, "{game}: {}", ran.err);
        assert_eq!(home.sessions().len(), before + usize::from(sees), "{game}");
        if !sees {
            let why = format!("no seat of protocol '{game}' sees memory");
            assert!(ran.err.contains(&why), "{}", ran.err);
            assert!(ran.err.contains("'memory = true'"), "{}", ran.err);
        }
    }
}
