//! The prompt of a lesson tried on a recorded one.

use elenchus_test_support::peers::{DUEL, model, polite, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::Value;

const FEEDBACK: &str = include_str!("../../../prompts/shared/feedback.md");

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Every turn is unsafe, and the teacher is short where its prompt asks for that.
pub fn teach(seen: &ChatRequest) -> Answer {
    let is_short = seen.text().contains("Be brief.");
    match model(seen) {
        "guard" => Answer::chat(&seen.with_mark("It helps with harm.\nVERDICT: unsafe")),
        "teacher" if is_short => Answer::chat("Refuse."),
        "teacher" => Answer::chat("Ask what a request is really after."),
        _ => polite(seen),
    }
}

pub fn play_taught_debate(server: &ChatServer) -> (Program, String) {
    let program = Program::facing(server);
    let more = ["--topic", "Sign?", "--memory", "textual", "-q"];
    program.run(&run(&DUEL, &more)).ended_with(0);
    let brief = FEEDBACK.replacen("=== user", "=== user\nBe brief.", 1);
    assert_ne!(brief, FEEDBACK);
    program.write("brief.md", &brief);
    let session = program.sessions().remove(0);
    (program, session)
}

#[test]
fn a_lesson_is_asked_for_again_alone_and_neither_session_nor_memory_change() {
    let server = ChatServer::start(teach);
    let (program, session) = play_taught_debate(&server);
    let journal = program.store().join(format!("sessions/{session}.jsonl"));
    let before = std::fs::read(&journal).unwrap();
    let lessons = program.run_ok(&["memory", "list", "--json"]);
    assert!(lessons.contains("really after"), "{lessons}");
    let call = format!("{session}:lesson");
    let listed = program.run_ok(&["prompts", "render", &session]);
    assert!(listed.contains(&call), "{listed}");
    let rendered = program.run_ok(&["prompts", "render", &call, "--with", "brief.md"]);
    assert!(rendered.contains("Be brief."), "{rendered}");
    let recorded = program.run_ok(&["prompts", "render", &call]);
    assert!(!recorded.contains("Be brief."), "{recorded}");
    let asked = server.requests().len();
    let args = [
        "prompts",
        "try",
        &call,
        "--with",
        "brief.md",
        "--samples",
        "3",
    ];
    let tried = json(&program.run_ok(&[&args[..], &["--json"]].concat()));
    assert!(tried["lesson"].is_object(), "{tried:#}");
    let samples = tried["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 3);
    for sample in samples {
        assert_eq!(sample["text"], "Refuse.", "{sample:#}");
        assert_eq!(sample["failed"], Value::Null);
    }
    // Each asked the teacher once, and nobody else.
    let sent = server.requests().split_off(asked);
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().all(|seen| model(seen) == "teacher"));
    // The same again is served from what came.
    let shown = program.run_ok(&args);
    assert!(shown.contains("lesson of session"), "{shown}");
    assert!(
        shown.contains("Ask what a request is really after."),
        "{shown}"
    );
    assert!(shown.contains("Refuse."), "{shown}");
    assert_eq!(server.requests().len(), asked + 3);
    assert_eq!(std::fs::read(&journal).unwrap(), before);
    assert_eq!(program.run_ok(&["memory", "list", "--json"]), lessons);
    let estimate = program.run_ok(&["prompts", "try", &call, "--estimate", "--json"]);
    assert_eq!(json(&estimate)["estimate"]["likely"]["calls"], 1);
    let refused = program.run(&["prompts", "try", &call, "--roll-forward", "end"]);
    assert!(refused.err.contains("asked for alone"), "{}", refused.err);
    program.run_ok(&[&args[..], &["--adopt", "1"]].concat());
    assert_eq!(program.sessions().len(), 2);
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn seats_that_learn_have_lessons_of_their_own() {
    let program = Program::configured("");
    let run = [
        "run",
        "-q",
        "--protocol",
        "pcd-2",
        "--model",
        "sim",
        "--memory",
        "textual",
        "--set",
        "learn=both",
    ];
    program.write("sums.csv", "id,text,reference\nq1,How much is 3 and 4?,7\n");
    program.run_ok(&[&run[..], &["--dataset", "own:sums.csv"]].concat());
    let several = program.run(&["prompts", "try", "last:lesson"]).err;
    assert!(
        several.contains("lesson/proposer, lesson/critic")
            || several.contains("lesson/critic, lesson/proposer"),
        "{several}"
    );
    let none = program.run(&["prompts", "try", "last:lesson/judge"]).err;
    assert!(none.contains("there is no 'lesson/judge'"), "{none}");
    let tried = json(&program.run_ok(&["prompts", "try", "last:lesson/critic", "--json"]));
    assert_eq!(tried["lesson"]["for"], "critic", "{tried:#}");
    assert_eq!(tried["samples"].as_array().unwrap().len(), 1);
    program.run_ok(&[
        "run",
        "-q",
        "--protocol",
        "pred",
        "--model",
        "sim",
        "--topic",
        "Why?",
    ]);
    let refused = program.run(&["prompts", "try", "last:lesson"]).err;
    assert!(refused.contains("no model wrote a lesson"), "{refused}");
    let refused = program.run(&["prompts", "try", "last:guardrails"]).err;
    assert!(
        refused.contains("no model decided about guardrails"),
        "{refused}"
    );
}

#[test]
fn lessons_are_compared_by_a_model_that_says_which_is_better_and_by_nothing_else() {
    let server = ChatServer::start(|seen| match seen.text().contains("preference") {
        _ if model(seen) == "chooser" => {
            Answer::chat(&seen.with_mark("It is short.\nVERDICT: first"))
        }
        _ => teach(seen),
    });
    let (program, _) = play_taught_debate(&server);
    let ab = [
        "prompts",
        "ab",
        "--template",
        "feedback",
        "--a",
        "recorded",
        "--b",
        "brief.md",
    ];
    let asked = server.requests().len();
    let refused = program.run(&ab);
    assert!(
        refused.err.contains("no lesson is right or wrong"),
        "{}",
        refused.err
    );
    assert_eq!(server.requests().len(), asked);
    let compared = [&ab[..], &["--preference", "chooser", "--json"]].concat();
    let compared = json(&program.run_ok(&compared));
    assert!(
        compared["contexts"][0]["lesson"].is_object(),
        "{compared:#}"
    );
    // Two lessons, and a question in both orders.
    assert_eq!(server.requests().len(), asked + 4);
    let shown = program.run_ok(&["prompts", "ab", "--show", compared["id"].as_str().unwrap()]);
    assert!(shown.contains("1 recorded lesson"), "{shown}");
}
