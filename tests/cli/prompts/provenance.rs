//! Provenance of prompts: the version behind each debate, fork and sample.

use super::{changed, hash, versions};
use elenchus_test_support::program::Program;
use serde_json::Value;

const GAME: [&str; 8] = [
    "run",
    "-q",
    "--protocol",
    "sred",
    "--topic",
    "How are locks made?",
    "--rounds",
    "2",
];

/// A program with a simulated debate, and a sample of another Socratic prompt on its first question.
fn tried() -> (Program, String) {
    let program = Program::new();
    program.run(&GAME).ended_with(0);
    let session = program.sessions().pop().unwrap();
    program.write("mine.md", &changed(&program, "Ask one thing."));
    (program, session)
}

#[test]
fn samples_are_counted_for_the_text_that_they_try_and_never_as_debates() {
    let (program, session) = tried();
    let turn = format!("{session}:r1.socratic");
    program
        .run(&[
            "prompts",
            "try",
            &turn,
            "--with",
            "mine.md",
            "--samples",
            "2",
        ])
        .ended_with(0);
    let log = program
        .run(&["prompts", "log", "sred/socratic"])
        .ended_with(0);
    assert_eq!(log.out.matches("2 samples tried").count(), 1, "{}", log.out);
    assert_eq!(
        log.out.matches("no debate of this store").count(),
        1,
        "{}",
        log.out
    );
    assert_eq!(
        log.out.matches("in 1 session (1 SIMULATED)").count(),
        1,
        "{}",
        log.out
    );
    let debaters = program
        .run(&["prompts", "log", "sred/debater"])
        .ended_with(0);
    assert!(!debaters.out.contains("tried"), "{}", debaters.out);
}

/// The version that a reply's line of `show --json --views` tells.
fn made_with(program: &Program, session: &str, turn: &str) -> Value {
    let shown = program.run(&["show", session, "--json", "--views"]);
    let shown = shown.ended_with(0);
    let lines = shown.out.lines().map(|line| {
        let line: Value = serde_json::from_str(line).expect(line);
        line
    });
    let mut of_turn = lines.filter(|line| line["event"]["turn"] == turn);
    of_turn.next_back().unwrap()["prompt"].take()
}

#[test]
fn in_a_fork_with_another_prompt_each_attempt_is_told_by_the_text_that_made_it() {
    let (program, session) = tried();
    let built_in = hash(&versions(&program)[0]);
    program
        .run(&["prompts", "label", "sred/socratic", "now", "first"])
        .ended_with(0);
    // The second question is asked with the new text; the first is a copy.
    let turn = format!("{session}:r2.socratic");
    let adopted = ["prompts", "try", &turn, "--with", "mine.md", "--adopt", "0"];
    program.run(&adopted).ended_with(0);
    let fork = program.sessions().into_iter().find(|id| *id != session);
    let fork = fork.unwrap();
    let first = made_with(&program, &fork, "r1.question.socratic-0");
    assert_eq!(first["name"], "sred/socratic");
    assert!(first["sha256"].as_str().unwrap().starts_with(&built_in));
    assert_eq!(first["labels"][0], "first");
    let second = made_with(&program, &fork, "r2.question.socratic-0");
    assert!(!second["sha256"].as_str().unwrap().starts_with(&built_in));
    assert_eq!(second["labels"].as_array().unwrap().len(), 0);
    let answer = made_with(&program, &fork, "r2.answer.debater-0");
    assert_eq!(answer["name"], "sred/debater");
    // Without --views the lines are the journal's own.
    let plain = program.run(&["show", &fork, "--json"]).ended_with(0);
    let journal = program.store().join(format!("sessions/{fork}.jsonl"));
    assert_eq!(plain.out, std::fs::read_to_string(journal).unwrap());
    // People are told in the transcript.
    let shown = program.run(&["show", &fork, "--views"]).ended_with(0);
    let told = format!("prompt sred/socratic · version {built_in} [first]");
    // Both copied questions: the one of the second round was asked again, and is still there.
    assert_eq!(shown.out.matches(&told).count(), 2, "{}", shown.out);
    for attempt in [
        "does not count · attempt 1 of 2 · from the parent",
        "counts · attempt 2 of 2",
    ] {
        assert!(shown.out.contains(attempt), "{}", shown.out);
    }
    let changed = shown.out.matches("prompt sred/socratic · version ").count();
    assert_eq!(changed, 3, "{}", shown.out);
    // The copied question counts for the debate that it was asked in, not for the fork.
    let log = program
        .run(&["prompts", "log", "sred/socratic"])
        .ended_with(0);
    assert_eq!(log.out.matches("in 1 session").count(), 2, "{}", log.out);
}

#[test]
fn a_text_of_a_deleted_debate_is_still_known_from_the_fork_that_changed_it() {
    let (program, session) = tried();
    let built_in = hash(&versions(&program)[0]);
    program.write(
        ".elenchus/prompts/sred/socratic.md",
        &changed(&program, "Be kind."),
    );
    let turn = format!("{session}:r2.socratic");
    let adopted = ["prompts", "try", &turn, "--with", "mine.md", "--adopt", "0"];
    program.run(&adopted).ended_with(0);
    std::fs::remove_file(program.store().join(format!("sessions/{session}.jsonl"))).unwrap();
    let log = program
        .run(&["prompts", "log", "sred/socratic"])
        .ended_with(0);
    let told = log.out.split(&built_in).nth(1).unwrap();
    assert!(
        told.contains("a session that is deleted by now"),
        "{}",
        log.out
    );
    // The oldest text stands last, and what nobody used yet stands first.
    let all = versions(&program);
    assert_eq!(all.len(), 3, "{all:?}");
    assert!(all[0].contains("as it is now"), "{all:?}");
    assert_eq!(hash(&all[2]), built_in);
}

#[test]
fn texts_that_were_only_tried_are_listed_by_when_they_were() {
    let (program, session) = tried();
    let turn = format!("{session}:r1.socratic");
    for words in ["Ask one thing.", "Ask two things.", "Ask three things."] {
        program.write("mine.md", &changed(&program, words));
        program
            .run(&["prompts", "try", &turn, "--with", "mine.md"])
            .ended_with(0);
    }
    let all = versions(&program);
    let hashes: Vec<String> = all.iter().map(|line| hash(line)).collect();
    assert_eq!(hashes.len(), 4, "{all:?}");
    assert!(all[3].contains("as it is now"), "{all:?}");
    let last = program.run(&["prompts", "diff", &hashes[0], &hashes[1]]);
    let last = last.ended_with(0).out;
    assert!(last.contains("-Ask three things."), "{last}");
    assert!(last.contains("+Ask two things."), "{last}");
}
