//! Repeated trials reuse recorded replies unless new ones are asked for.

use elenchus_test_support::answer::{event, finish, usage};
use elenchus_test_support::program::Program;
use elenchus_test_support::socratic::{json, played, shorter};
use serde_json::Value;

fn tried(program: &Program, turn: &str, more: &[&str]) -> Value {
    let args = ["prompts", "try", turn, "--samples", "2", "--json"];
    json(&program.run(&[&args[..], more].concat()).ended_with(0).out)
}

fn cached(tried: &Value) -> Vec<bool> {
    let samples = tried["samples"].as_array().unwrap().iter();
    samples
        .map(|sample| sample["cached"].as_bool().unwrap())
        .collect()
}

#[test]
fn the_same_request_and_sample_is_answered_with_what_came_then_until_asked_anew() {
    let (program, server, session) = played();
    let turn = format!("{session}:r2.debater-1");
    let before = server.requests().len();
    let first = tried(&program, &turn, &[]);
    assert_eq!(cached(&first), [false, false]);
    // Each sample asks its seat and its judge.
    assert_eq!(server.requests().len() - before, 4);
    let again = tried(&program, &turn, &[]);
    assert_eq!(cached(&again), [true, true]);
    assert_eq!(again["samples"][0]["text"], first["samples"][0]["text"]);
    assert_eq!(
        again["samples"][0]["findings"],
        first["samples"][0]["findings"]
    );
    assert_eq!(server.requests().len() - before, 4);
    let shown = program
        .run(&["prompts", "try", &turn, "--samples", "2"])
        .ended_with(0);
    assert!(shown.out.contains("sample 0: safe (cached)"), "{shown:?}");
    // One more sample is one that was never asked for.
    let args = ["prompts", "try", &turn, "--samples", "3", "--json"];
    let third = json(&program.run(&args).ended_with(0).out);
    assert_eq!(cached(&third), [true, true, false]);
    assert_eq!(server.requests().len() - before, 6);
    let anew = tried(&program, &turn, &["--ask-anew"]);
    assert_eq!(cached(&anew), [false, false]);
    assert_eq!(server.requests().len() - before, 10);
    let checked = program.run(&["verify"]).ended_with(0).out;
    assert!(
        checked.contains("(5 prompt trials, 11 samples of tries/)"),
        "{checked}"
    );
}

#[test]
fn another_prompt_is_asked_and_so_is_what_was_lost_or_damaged() {
    let (program, server, session) = played();
    shorter(&program);
    let turn = format!("{session}:r1.socratic");
    tried(&program, &turn, &[]);
    let before = server.requests().len();
    assert_eq!(
        cached(&tried(&program, &turn, &["--with", "mine.md"])),
        [false, false]
    );
    assert_eq!(server.requests().len() - before, 2);
    let kept = program.store().join("tries/replies");
    let files = || std::fs::read_dir(&kept).unwrap().map(Result::unwrap);
    assert_eq!(files().count(), 4);
    for file in files() {
        let mut bytes = std::fs::read(file.path()).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(file.path(), bytes).unwrap();
    }
    assert_eq!(cached(&tried(&program, &turn, &[])), [false, false]);
    assert_eq!(cached(&tried(&program, &turn, &[])), [true, true]);
    std::fs::remove_dir_all(&kept).unwrap();
    assert_eq!(cached(&tried(&program, &turn, &[])), [false, false]);
    assert_eq!(server.requests().len() - before, 6);
}

#[test]
fn a_debate_that_is_run_is_never_answered_with_replies_to_tries() {
    let (program, server, session) = played();
    let turn = format!("{session}:r1.debater-0");
    let anew = ["prompts", "try", &turn, "--adopt", "0"];
    program.run(&anew).ended_with(0);
    let before = server.requests().len();
    let topic = ["--topic", "How are locks made?", "--seed", "7"];
    program
        .run(&[&elenchus_test_support::socratic::SOCRATIC[..], &topic].concat())
        .ended_with(0);
    // Two rounds of two answers, four verdicts and one question; nothing was unsafe, so no lesson.
    assert_eq!(server.requests().len() - before, before - 2);
}

#[test]
fn a_ceiling_holds_nothing_up_that_is_paid_for_already() {
    let server = elenchus_test_support::ChatServer::start(elenchus_test_support::socratic::answer);
    let program = Program::configured(&crate::experiments::prompt_ab::http::priced(&server));
    let topic = ["--topic", "How are locks made?", "--set", "max_tokens=100"];
    program
        .run(&[&elenchus_test_support::socratic::SOCRATIC[..], &topic].concat())
        .ended_with(0);
    let session = program.sessions().pop().unwrap();
    let turn = format!("{session}:r1.socratic");
    tried(&program, &turn, &[]);
    let before = server.requests().len();
    let again = tried(&program, &turn, &["--budget-usd", "0.000001"]);
    assert_eq!(cached(&again), [true, true]);
    assert_eq!(again["samples"][0]["cost_usd"], 0.0);
    assert_eq!(server.requests().len(), before);
}

#[test]
fn what_was_spared_is_counted_at_its_price_when_prompts_are_compared_by_cost() {
    let server =
        elenchus_test_support::ChatServer::start(
            |seen| match elenchus_test_support::socratic::model(seen) {
                "soc" => elenchus_test_support::Answer::sse([
                    event(&serde_json::json!({"content": "Why that?"})),
                    finish("stop"),
                    usage(500, 60),
                    "data: [DONE]\n\n".to_owned(),
                ]),
                _ => elenchus_test_support::socratic::answer(seen),
            },
        );
    let program = Program::configured(&crate::experiments::prompt_ab::http::priced(&server));
    let topic = ["--topic", "How are locks made?", "--set", "max_tokens=100"];
    program
        .run(&[&elenchus_test_support::socratic::SOCRATIC[..], &topic].concat())
        .ended_with(0);
    shorter(&program);
    let args = [
        "--seat", "socratic", "--a", "built-in", "--b", "mine.md", "--json",
    ];
    let args = [&["prompts", "ab", "--round", "1"][..], &args].concat();
    let cost = |shown: &Value| {
        let rows = shown["comparison"]["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["measure"] == "cost").unwrap();
        (row["a"].as_f64().unwrap(), row["b"].as_f64().unwrap())
    };
    let first = json(&program.run(&args).ended_with(0).out);
    assert_eq!(cost(&first), (0.06, 0.06));
    let before = server.requests().len();
    let again = json(&program.run(&args).ended_with(0).out);
    assert_eq!(
        server.requests().len(),
        before,
        "everything is served again"
    );
    assert_eq!(cost(&again), (0.06, 0.06));
}
