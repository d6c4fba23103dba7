//! Queues: drawn, extended, listed, refused.

use elenchus_test_support::labelling::{draw, items, journal, play, played};
use elenchus_test_support::program::Program;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn queue(program: &Program, name: &str) -> Value {
    let shown = program
        .run(&["labels", "queues", name, "--json"])
        .ended_with(0);
    serde_json::from_str(&shown.out).unwrap()
}

#[test]
fn a_sample_is_drawn_by_the_seed_and_its_strata_say_out_of_how_many() {
    let program = played(5);
    let said = draw(&program, "one", &["--sample", "10", "--seed", "3"]);
    assert!(said.contains("all: 10 of 30 turns"), "{said}");
    assert!(said.contains("elenchus annotate one"), "{said}");
    draw(&program, "two", &["--sample", "10", "--seed", "4"]);
    let on = |name: &str| -> BTreeSet<String> {
        items(&program, name)
            .iter()
            .map(|item| item["on"].to_string())
            .collect()
    };
    assert_eq!(on("one").len(), 10);
    assert_ne!(on("one"), on("two"), "another seed, another sample");
    let again = draw(
        &program,
        "by-seat",
        &[
            "--per-stratum",
            "4",
            "--strata",
            "round,category",
            "--seed",
            "3",
        ],
    );
    for stratum in [
        "round=1, category=even: 4 of 9",
        "round=2, category=odd: 4 of 6",
    ] {
        assert!(again.contains(stratum), "{again}");
    }
    let shown = queue(&program, "by-seat");
    assert_eq!(shown["items"], 16);
    assert_eq!(shown["by_verdict"], false);
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_queue_is_grouped_by_topic_so_that_a_question_is_read_once() {
    let program = played(6);
    draw(&program, "all", &["--all"]);
    let topics: Vec<String> = items(&program, "all")
        .iter()
        .map(|item| item["topic"].to_string())
        .collect();
    let mut runs = topics.clone();
    runs.dedup();
    assert_eq!(runs.len(), 6, "{topics:?}");
    assert_eq!(topics.len(), 36);
    let sorted = {
        let mut sorted = runs.clone();
        sorted.sort();
        sorted
    };
    assert_ne!(runs, sorted, "topics come as the seed draws them");
}

#[test]
fn a_pair_is_drawn_as_one_and_its_turns_are_labelled_once() {
    let program = played(4);
    let said = draw(&program, "pairs", &["--pairs", "--sample", "5"]);
    // Three debaters, each with one step from round 1 to round 2.
    assert!(said.contains("all: 5 of 12 pairs"), "{said}");
    let items = items(&program, "pairs");
    assert_eq!(items.len(), 10);
    let mut by_chair: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for item in &items {
        let turn = item["on"]["attempt"]["turn"].as_str().unwrap();
        let (round, rest) = turn.split_once('.').unwrap();
        let chair = format!("{}/{rest}", item["on"]["session"]);
        by_chair
            .entry(chair)
            .or_default()
            .push(round[1..].parse().unwrap());
    }
    assert_eq!(by_chair.len(), 5);
    assert!(
        by_chair.values().all(|rounds| rounds == &[1, 2]),
        "{by_chair:?}"
    );
    let refused = program.run(&[
        "labels",
        "queue",
        "bad",
        "--simulated",
        "--pairs",
        "--per-stratum",
        "2",
        "--strata",
        "round",
    ]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.err.contains("their two turns may differ"),
        "{}",
        refused.err
    );
}

#[test]
fn a_filter_by_verdict_is_told_and_written_down() {
    let program = played(6);
    let said = draw(&program, "unsafe", &["--verdict", "unsafe", "--all"]);
    assert!(said.contains("sensitivity"), "{said}");
    let shown = queue(&program, "unsafe");
    assert_eq!(shown["by_verdict"], true);
    assert!(shown["items"].as_u64().unwrap() < 36);
    // Dividing by what evaluators found leaves nothing out, and is no such filter.
    draw(
        &program,
        "divided",
        &["--strata", "verdict", "--sample", "12"],
    );
    let shown = queue(&program, "divided");
    assert_eq!(shown["by_verdict"], false);
    let strata = shown["strata"].as_array().unwrap();
    let of: u64 = strata
        .iter()
        .map(|stratum| stratum["of"].as_u64().unwrap())
        .sum();
    let taken: u64 = strata
        .iter()
        .map(|stratum| stratum["taken"].as_u64().unwrap())
        .sum();
    assert_eq!((of, taken), (36, 12));
}

#[test]
fn extending_draws_from_what_has_come_and_changes_nothing_of_what_was_drawn() {
    let program = played(3);
    draw(&program, "growing", &["--sample", "6"]);
    let before = items(&program, "growing");
    let refused = program.run(&["labels", "extend", "growing"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused
            .err
            .contains("no earlier draw of this queue has considered"),
        "{}",
        refused.err
    );
    play(&program, "second", 2);
    let extended = program
        .run(&["labels", "extend", "growing", "--sample", "4"])
        .ended_with(0);
    assert!(
        extended.err.contains("wave 2: all: 4 of 12 turns"),
        "{}",
        extended.err
    );
    let after = items(&program, "growing");
    assert_eq!(after[..6], before[..]);
    assert_eq!(after.len(), 10);
    assert!(
        after[6..]
            .iter()
            .all(|item| item["topic"].as_str().unwrap().contains("second"))
    );
    let events = journal(&program, "queues/growing.jsonl");
    assert_eq!(events.len(), 3, "definition and two waves");
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn the_same_draw_once_more_finds_the_queue_and_another_one_is_refused() {
    let program = played(2);
    let args = ["--sample", "4", "--seed", "3"];
    draw(&program, "pilot", &args);
    let drawn = queue(&program, "pilot");
    play(&program, "later", 1);
    let draw_again = |more: &[&str]| {
        let first = ["labels", "queue", "pilot", "--simulated"];
        program.run(&[&first[..], &args, more].concat())
    };
    let again = draw_again(&[]).ended_with(0);
    for words in [
        "queue 'pilot' is there already",
        "nothing was drawn",
        "elenchus labels extend pilot",
        "elenchus annotate pilot",
    ] {
        assert!(again.err.contains(words), "{words}: {}", again.err);
    }
    assert_eq!(queue(&program, "pilot"), drawn);
    let other = draw_again(&["--round", "1", "--strata", "seat"]).ended_with(1);
    let differs = "drawn otherwise (what it is drawn from, strata)";
    assert!(other.err.contains(differs), "{}", other.err);
}

#[test]
fn what_cannot_be_drawn_is_refused_with_a_reason() {
    let program = played(1);
    let cases: [(&[&str], i32, &str); 9] = [
        (&["labels", "queue", "x", "--all"], 1, "--simulated"),
        (&["labels", "queue", "x", "--simulated"], 2, "--all"),
        (
            &["labels", "queue", "x", "--simulated", "--sample", "0"],
            1,
            "at least 1",
        ),
        (
            &["labels", "queue", "../x", "--simulated", "--all"],
            1,
            "queue",
        ),
        (
            &[
                "labels",
                "queue",
                "x",
                "--simulated",
                "--all",
                "--set",
                "nope",
            ],
            1,
            "critique-quality",
        ),
        (
            &[
                "labels",
                "queue",
                "x",
                "--simulated",
                "--all",
                "--run",
                "nope",
            ],
            1,
            "elenchus ls",
        ),
        (
            &[
                "labels",
                "queue",
                "x",
                "--simulated",
                "--all",
                "--repeats",
                "90",
            ],
            1,
            "0 to 50",
        ),
        (
            &[
                "labels",
                "queue",
                "x",
                "--simulated",
                "--all",
                "--strata",
                "mood",
            ],
            2,
            "verdict, seat",
        ),
        (&["labels", "extend", "nowhere"], 1, "labels queues"),
    ];
    for (args, code, why) in cases {
        let ran = program.run(args);
        assert_eq!(ran.code, code, "{args:?}\n{}", ran.err);
        assert!(ran.err.contains(why), "{args:?}\n{}", ran.err);
    }
    draw(&program, "x", &["--all"]);
    let twice = program.run(&["labels", "queue", "x", "--simulated", "--all"]);
    assert!(twice.err.contains("labels extend x"), "{}", twice.err);
}

#[test]
fn a_queue_that_was_changed_by_hand_is_named_by_verify() {
    let program = played(1);
    draw(&program, "x", &["--all"]);
    let path = program.store().join("queues/x.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"taken\":6", "\"taken\":7")).unwrap();
    // The last line's own hash is held by nobody; a definition that is changed breaks the chain.
    let changed = std::fs::read_to_string(&path)
        .unwrap()
        .replacen("\"seed\":0", "\"seed\":1", 1);
    std::fs::write(&path, changed).unwrap();
    let verified = program.run(&["verify"]);
    assert_eq!(verified.code, 5, "{}", verified.err);
    assert!(verified.out.contains("queues/x.jsonl"), "{}", verified.out);
}
