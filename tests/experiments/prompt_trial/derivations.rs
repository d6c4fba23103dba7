//! The prompt that asks for a guardrail tried on a recorded lesson.

use elenchus_test_support::guardrails::accept_far_one;
use elenchus_test_support::peers::{DUEL, model, polite, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::Value;

const DERIVE: &str = include_str!("../../../prompts/shared/guardrail-derive.md");

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Every turn is unsafe, and the teacher writes no guardrail that can be read where its prompt is vague.
fn teach(seen: &ChatRequest) -> Answer {
    let derives = seen.text().contains("You maintain a list of intents");
    match model(seen) {
        "guard" => Answer::chat(&seen.with_mark("It helps with harm.\nVERDICT: unsafe")),
        "teacher" if derives && seen.text().contains("Be vague.") => Answer::chat("Beware."),
        "teacher" if derives => {
            Answer::chat(r#"{"intent": "Forge a contract", "examples": ["Sign it for me"]}"#)
        }
        "teacher" => Answer::chat("Ask what a request is really after."),
        _ => polite(seen),
    }
}

fn play_taught_debate(server: &ChatServer) -> (Program, String) {
    let program = Program::facing(server);
    accept_far_one(&program, "default");
    let more = ["--topic", "Sign?", "--memory", "textual+guardrails", "-q"];
    program.run(&run(&DUEL, &more)).ended_with(0);
    let vague = DERIVE.replacen("=== user", "=== user\nBe vague.", 1);
    assert_ne!(vague, DERIVE);
    program.write("vague.md", &vague);
    let session = program.sessions().remove(0);
    (program, session)
}

#[test]
fn a_guardrail_is_asked_for_again_and_stands_beside_the_one_that_memory_keeps() {
    let server = ChatServer::start(teach);
    let (program, session) = play_taught_debate(&server);
    let journal = program.store().join(format!("sessions/{session}.jsonl"));
    let before = std::fs::read(&journal).unwrap();
    let guards = program.run_ok(&["memory", "guardrails", "list", "--all", "--json"]);
    assert!(guards.contains("Forge a contract"), "{guards}");
    let call = format!("{session}:derivation");
    let listed = program.run_ok(&["prompts", "render", &session]);
    assert!(listed.contains(&call), "{listed}");
    let rendered = program.run_ok(&["prompts", "render", &call, "--with", "vague.md"]);
    assert!(
        rendered.contains("Be vague.") && rendered.contains("really after"),
        "{rendered}"
    );
    let asked = server.requests().len();
    let args = ["prompts", "try", &call, "--samples", "2"];
    let tried = |more: &[&str]| json(&program.run_ok(&[&args[..], &["--json"], more].concat()));
    let found = |tried: &Value| -> Vec<Value> {
        let samples = tried["samples"].as_array().unwrap().iter();
        samples
            .map(|sample| sample["findings"][0]["found"].clone())
            .collect()
    };
    let recorded = tried(&[]);
    assert_eq!(
        recorded["derivation"]["chair"], "feedback-0",
        "{recorded:#}"
    );
    assert_eq!(found(&recorded), ["readable", "readable"]);
    assert_eq!(
        found(&tried(&["--with", "vague.md"])),
        ["unparsed", "unparsed"]
    );
    let sent = server.requests().split_off(asked);
    assert_eq!(sent.len(), 4);
    assert!(sent.iter().all(|seen| model(seen) == "teacher"));
    let shown = program.run_ok(&[&args[..], &["--with", "vague.md"]].concat());
    assert!(shown.contains("Forge a contract"), "{shown}");
    assert!(shown.contains("Beware."), "{shown}");
    assert_eq!(server.requests().len(), asked + 4);
    assert_eq!(std::fs::read(&journal).unwrap(), before);
    let after = program.run_ok(&["memory", "guardrails", "list", "--all", "--json"]);
    assert_eq!(after, guards);
    let ab = [
        "prompts",
        "ab",
        "--template",
        "guardrail:derive",
        "--a",
        "recorded",
    ];
    let compared = program.run_ok(&[&ab[..], &["--b", "vague.md"]].concat());
    assert!(compared.contains("1 recorded guardrail"), "{compared}");
    let rates = compared.lines().find(|line| line.starts_with("error rate"));
    let rates = rates.unwrap_or_else(|| panic!("{compared}"));
    assert!(
        rates.contains(" 0.0 %") && rates.contains("100.0 %"),
        "{compared}"
    );
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_debate_without_guardrails_has_none_to_derive() {
    let server = ChatServer::start(teach);
    let program = Program::facing(&server);
    let more = ["--topic", "Sign?", "--memory", "textual", "-q"];
    program.run(&run(&DUEL, &more)).ended_with(0);
    let refused = program.run(&["prompts", "try", "last:derivation"]);
    let why = "no guardrail is derived from this session";
    assert!(refused.err.contains(why), "{}", refused.err);
}
