//! Trial of a turn that a retry rule sent back: it uses the second request.

use elenchus_test_support::program::Program;
use elenchus_test_support::socratic::json;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::Value;

const PROTOCOL: &str = r#"id = "probe"
name = "Probe"
description = "One critic, sent back while it is weak"
source = "a test"
measures = "quality"
rounds = 1
style = "single"

[[seats]]
id = "critic"
kind = "speaker"

[[stages]]
id = "objection"
seats = ["critic"]
template = "say"
output = { type = "object", required = ["thesis"] }
retry = [{ field = "strength", below = 6.0, at_most = 1, template = "more" }]
sees = { topic = true }
"#;

const SAY: &str = "=== user\n{{ topic }}\nSay what speaks against it.\n";
const MORE: &str = "=== user\nAgain, harder: {{ retry.value }} is too low.\n";

fn reply(seen: &ChatRequest) -> Answer {
    let again = seen.text().contains("Again, harder: 4");
    Answer::chat(match again {
        true => r#"{"thesis": "Never sign.", "strength": 7}"#,
        false => r#"{"thesis": "Hm.", "strength": 4}"#,
    })
}

#[test]
fn it_is_shown_what_was_sent_back_and_asked_once_more() {
    let server = ChatServer::start(reply);
    let program = Program::facing(&server);
    let home = ".elenchus/prompts/probe";
    for (name, text) in [
        ("protocol.toml", PROTOCOL),
        ("say.md", SAY),
        ("more.md", MORE),
    ] {
        program.write(&format!("{home}/{name}"), text);
    }
    let run = [
        "run",
        "-q",
        "--protocol",
        "probe",
        "--model",
        "carl",
        "--topic",
        "Sign?",
    ];
    program.run(&run).ended_with(0);
    let session = program.sessions().pop().unwrap();
    let turn = format!("{session}:r1.critic");
    let recorded = json(
        &program
            .run(&["prompts", "render", &turn, "--json"])
            .ended_with(0)
            .out,
    );
    assert_eq!(recorded["messages"].as_array().unwrap().len(), 3);
    let changed = SAY.replace("Say what", "Say in one word what");
    program.write("mine.md", &changed);
    let args = ["prompts", "render", &turn, "--with", "mine.md", "--json"];
    let rendered = json(&program.run(&args).ended_with(0).out);
    // The first request in other words, what came of it, and what was asked then.
    let texts = |view: &Value| -> Vec<String> {
        let messages = view["messages"].as_array().unwrap().iter();
        let whole = messages.map(|message| {
            let parts = message["parts"].as_array().unwrap().iter();
            parts.map(|part| part["text"].as_str().unwrap()).collect()
        });
        whole.collect()
    };
    let (before, after) = (texts(&recorded), texts(&rendered));
    assert!(after[0].contains("Say in one word what"), "{after:?}");
    assert_eq!(before[1..], after[1..]);
    assert!(after[2].contains("Again, harder: 4"), "{after:?}");
    let asked = server.requests().len();
    let tried = program.run(&["prompts", "try", &turn, "--with", "mine.md", "--json"]);
    let tried = json(&tried.ended_with(0).out);
    let text = tried["samples"][0]["text"].as_str().unwrap();
    assert!(text.contains("Never sign."), "{text}");
    let requests = server.requests().split_off(asked);
    assert_eq!(requests.len(), 1);
    let sent = requests[0].body["messages"].as_array().unwrap();
    let sent: Vec<&str> = sent
        .iter()
        .map(|said| said["content"].as_str().unwrap())
        .collect();
    assert_eq!(sent, after);
    program.run(&["verify"]).ended_with(0);
}
