//! The detector of named errors against critiques of known class.

use elenchus_test_support::program::Program;
use serde_json::{Value, json};

const RIGHT: &str = "The mean speed is the distance over the time.\nStep 1: 2.5 hours are 150 minutes.\n\
    Step 2: In 60 minutes it covers 60 km.\nThe answer is \\boxed{60}.";
const WRONG: &str = "The mean speed is the distance over the time.\nStep 1: 2.5 hours are 125 minutes.\n\
    Step 2: 150 / 125 = 1.2 km in a minute, 72 km in an hour.\nThe answer is \\boxed{72}.";

/// Six critiques, on the last of which the readers differ.
fn corpus() -> String {
    let lines = [
        (RIGHT, "I cannot accept this.", ["names_nothing"; 2]),
        (
            WRONG,
            "A speed of 72 is not to be believed.",
            ["names_nothing"; 2],
        ),
        (
            RIGHT,
            "Step 1 forgets the half hour.",
            ["names_absent_error"; 2],
        ),
        (
            WRONG,
            "Step 1 miscounts the minutes.",
            ["names_present_error"; 2],
        ),
        // It is not found: no sentence says where.
        (
            WRONG,
            "An hour has sixty of them, and who writes this took fifty.",
            ["names_present_error"; 2],
        ),
        (
            RIGHT,
            "Why minutes?",
            ["names_nothing", "names_absent_error"],
        ),
    ];
    let lines = (1..).zip(lines).map(|(id, (proposal, critique, [a, b]))| {
        let line = json!({
            "id": format!("c{id}"),
            "problem": "A train covers 150 km in 2.5 hours. What is its mean speed in km/h?",
            "answer": "60",
            "proposal": proposal,
            "critique": critique,
            "labels": { "a": a, "b": b },
        });
        format!("{line}\n")
    });
    lines.collect()
}

#[test]
fn a_detector_is_checked_against_critiques_that_two_readers_labelled() {
    let program = Program::new();
    program.write("critiques.jsonl", &corpus());
    let check = [
        "judge",
        "--detector",
        "spurious",
        "--check",
        "critiques.jsonl",
    ];
    let out = program.run_ok(&[&check[..], &["--json"]].concat());
    let told: Value = serde_json::from_str(&out).unwrap();
    let check_of = &told["check"];
    assert_eq!(told["detector"], "names_error");
    assert_eq!(
        (&check_of["critiques"], &check_of["problems"]),
        (&json!(6), &json!(1))
    );
    assert_eq!(check_of["labels"][0]["names_nothing"], 3);
    assert_eq!(check_of["labels"][1]["names_nothing"], 2);
    assert_eq!(check_of["readers"]["share"], 5.0 / 6.0);
    // Chance agreement of (3, 1, 2) and (2, 2, 2) of 6 is 1/3.
    let kappa = check_of["readers"]["kappa"].as_f64().unwrap();
    assert!((kappa - 0.75).abs() < 1e-12, "{kappa}");
    assert!(
        check_of["readers"]["ac1"]
            .as_f64()
            .is_some_and(|ac1| ac1 > kappa)
    );
    let agreed = &check_of["agreed"];
    assert_eq!(agreed["table"], json!([[2, 0, 0], [0, 1, 0], [1, 0, 1]]));
    let share = |class: &str, which: &str| {
        let share = &agreed[class][which];
        (
            share["part"].as_u64().unwrap(),
            share["of"].as_u64().unwrap(),
        )
    };
    assert_eq!(share("spurious", "sensitivity"), (3, 3));
    assert_eq!(share("spurious", "specificity"), (1, 2));
    assert_eq!(share("names_nothing", "sensitivity"), (2, 2));
    assert_eq!(share("names_nothing", "specificity"), (2, 3));
    let values = &agreed["spurious"]["predictive_values"];
    let positive: Vec<f64> = (0..3)
        .map(|at| values[at]["positive"].as_f64().unwrap())
        .collect();
    for (found, prevalence) in positive.iter().zip([0.1, 0.3, 0.5]) {
        let naive = prevalence / (prevalence + 0.5 * (1.0 - prevalence));
        assert!((found - naive).abs() < 1e-12, "{found} {naive}");
    }
    assert_eq!(
        check_of["differing"],
        json!({ "critiques": 1, "as_a": 1, "as_b": 0, "as_neither": 0 })
    );
    let text = program.run_ok(&check);
    for said in [
        "sensitivity 100.0 % (3 of 3; no interval)",
        "kappa 0.75",
        "The 1 on which they differ",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn the_critiques_that_come_with_the_program_are_said_to_be_labelled_by_models() {
    let program = Program::new();
    let text = program.run_ok(&["judge", "--detector", "spurious", "--check"]);
    assert!(text.contains("by language models, not by people"), "{text}");
    // The first line is a sentence, which may be as long as it likes.
    let wide: Vec<&str> = text
        .lines()
        .skip(1)
        .filter(|line| line.chars().count() > 80)
        .collect();
    assert!(wide.is_empty(), "{wide:#?}");
}

#[test]
fn a_file_that_holds_no_labelled_critiques_is_refused_with_its_line() {
    let program = Program::new();
    let twice = corpus().lines().next().unwrap().to_owned();
    for (text, said) in [
        ("", "there is no critique in it"),
        ("{\"id\":\"c1\"}\n", "line 1: missing field `problem`"),
        (
            &format!("{twice}\n\n{twice}\n"),
            "line 3: the id 'c1' stands on an earlier line",
        ),
        (
            &corpus().replace("names_nothing", "empty"),
            "line 1: unknown variant `empty`",
        ),
    ] {
        program.write("critiques.jsonl", text);
        let check = [
            "judge",
            "--detector",
            "spurious",
            "--check",
            "critiques.jsonl",
        ];
        let ran = program.run(&check).ended_with(1);
        assert!(ran.err.contains(said), "{said}: {ran:?}");
    }
    let ran = program.run(&["judge", "--detector", "stance", "--check"]);
    let ran = ran.ended_with(1);
    assert!(
        ran.err.contains("only --detector spurious can be checked"),
        "{ran:?}"
    );
}
