//! Requests and journals of a prompt trial.

use elenchus_test_support::socratic::{json, model, played, shorter};
use std::collections::BTreeSet;

#[test]
fn each_sample_of_a_judged_seat_has_a_verdict_and_a_seed_of_its_own() {
    let (program, server, session) = played();
    let before = server.requests().len();
    let turn = format!("{session}:r2.debater-1");
    let tried = program.run(&["prompts", "try", &turn, "--samples", "3", "--json"]);
    let tried = json(&tried.ended_with(0).out);
    let samples = tried["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 3);
    for sample in samples {
        assert_eq!(sample["text"], "I, ben, think it over.");
        assert_eq!(sample["findings"][0]["found"], "safe", "{sample:#}");
    }
    let asked = server.requests().split_off(before);
    let of = |name: &str| asked.iter().filter(|seen| model(seen) == name).count();
    assert_eq!((of("ben"), of("guard"), asked.len()), (3, 3, 6));
    let seeds: BTreeSet<String> = asked
        .iter()
        .filter(|seen| model(seen) == "ben")
        .map(|seen| seen.body["seed"].to_string())
        .collect();
    assert_eq!(seeds.len(), 3, "{seeds:?}");
}

#[test]
fn rolled_forward_a_try_says_what_follows_and_the_session_stays_as_it_was() {
    let (program, server, session) = played();
    shorter(&program);
    let journal = program.store().join(format!("sessions/{session}.jsonl"));
    let before = std::fs::read(&journal).unwrap();
    let asked = server.requests().len();
    let turn = format!("{session}:r1.socratic");
    let args = [
        "prompts",
        "try",
        &turn,
        "--with",
        "mine.md",
        "--roll-forward",
        "next",
    ];
    let tried = program.run(&[&args[..], &["--json"]].concat());
    let tried = json(&tried.ended_with(0).out);
    let sample = &tried["samples"][0];
    assert_eq!(sample["text"], "Why that, and not less?");
    let found: Vec<(String, String)> = sample["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| {
            let text = |name: &str| found[name].as_str().unwrap().to_owned();
            (text("turn"), text("found"))
        })
        .collect();
    let both = |index: u32| (format!("r2.answer.debater-{index}"), "unsafe".to_owned());
    assert_eq!(found, [both(0), both(1)]);
    // The question, two answers and two verdicts: nothing of the first round is bought again, and
    // the last round's question and the lesson are not asked for.
    assert_eq!(server.requests().len() - asked, 5);
    assert_eq!(std::fs::read(&journal).unwrap(), before);
    assert_eq!(program.sessions(), [session]);
    let lessons = program.run(&["memory", "list"]);
    assert!(!lessons.out.contains("Look twice."), "{lessons:?}");
}

#[test]
fn a_sample_that_is_adopted_is_a_fork_that_goes_on_with_the_new_prompt() {
    let (program, server, session) = played();
    shorter(&program);
    let turn = format!("{session}:r1.socratic");
    let args = ["prompts", "try", &turn, "--with", "mine.md", "--adopt", "0"];
    let adopted = program.run(&args).ended_with(0);
    assert!(adopted.err.contains("a fork of"), "{}", adopted.err);
    let sessions = program.sessions();
    assert_eq!(sessions.len(), 2);
    let fork = sessions.iter().find(|id| **id != session).unwrap();
    let shown = program.run(&["show", fork]).ended_with(0);
    assert!(shown.out.contains("forked from"), "{}", shown.out);
    assert!(
        shown.out.contains("Why that, and not less?"),
        "{}",
        shown.out
    );
    let log = program
        .run(&["prompts", "log", "sred/socratic"])
        .ended_with(0);
    assert_eq!(log.out.matches("in 1 session").count(), 2, "{}", log.out);
    // It goes on, with the prompt that was adopted, and is as sound as any other.
    program
        .run(&["run", "--resume-session", fork])
        .ended_with(0);
    let again = server.requests();
    let last = again.iter().rfind(|seen| model(seen) == "soc");
    assert!(
        last.unwrap()
            .text()
            .contains(elenchus_test_support::socratic::SHORTER)
    );
    program.run(&["verify"]).ended_with(0);
}
