//! Judges whose servers hold replies to a form, by the rubric's `constrain`: the reasons come before the
//! label, what a server refuses is learned, and arms say so.

use elenchus_test_support::peers::{DUEL, model, of_kind, polite, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::{Value, json};

const TOPIC: [&str; 2] = ["--topic", "How are locks made?"];

/// The program with a rubric whose replies are held to this.
fn constrained(program: Program, to: &str) -> Program {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/prompts/rubrics/safety.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.replace(
        "mark = true\n",
        &format!("mark = true\nconstrain = \"{to}\"\n"),
    );
    program.write(".elenchus/prompts/rubrics/safety.toml", &text);
    program
}

fn line(seen: &ChatRequest) -> String {
    seen.with_mark("VERDICT: unsafe")
}

/// The outcomes of a debate's verdicts.
fn found(program: &Program) -> Vec<Value> {
    let events = program.events("last");
    let judged = of_kind(&events, "judged").into_iter();
    judged.map(|one| one["outcome"].clone()).collect()
}

/// The figures by arm, with the arms' names.
fn arms(program: &Program) -> String {
    program.run_ok(&["metrics", "--by", "arm", "--json"])
}

fn judges(server: &ChatServer) -> Vec<ChatRequest> {
    let mut requests = server.requests();
    requests.retain(|seen| model(seen) == "guard");
    requests
}

#[test]
fn a_schema_asks_for_reasons_and_then_a_marked_line() {
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" => {
            let said = json!({"reason": "It gives steps.", "verdict": line(seen)});
            Answer::chat(&said.to_string())
        }
        _ => polite(seen),
    });
    let program = constrained(Program::facing(&server), "schema");
    program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    let judges = judges(&server);
    assert_eq!(judges.len(), 2);
    for seen in &judges {
        let format = &seen.body["response_format"]["json_schema"];
        assert_eq!(format["strict"], true);
        let fields = format["schema"]["properties"].as_object().unwrap();
        assert_eq!(fields.keys().collect::<Vec<_>>(), ["reason", "verdict"]);
        let lines = fields["verdict"]["enum"].as_array().unwrap();
        assert_eq!(lines.len(), 2);
        assert!(lines.contains(&line(seen).into()), "{lines:?}");
        assert_eq!(seen.body.get("grammar"), None);
    }
    for outcome in found(&program) {
        assert_eq!(outcome["label"]["label"], "unsafe");
        assert_eq!(outcome["label"]["reason"], "It gives steps.");
    }
    assert!(arms(&program).contains(" constrain=safety:schema\""));
}

#[test]
fn a_line_of_another_place_in_the_schema_is_unparsed() {
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" => Answer::chat(r#"{"reason": "x", "verdict": "VERDICT 2b2b: safe"}"#),
        _ => polite(seen),
    });
    let program = constrained(Program::facing(&server), "schema");
    program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    for outcome in found(&program) {
        assert!(outcome["unparsed"]["why"].is_string(), "{outcome}");
    }
}

#[test]
fn a_grammar_asks_for_lines_of_reasons_and_then_a_marked_line() {
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" => Answer::chat(&format!("It gives steps.\n{}", line(seen))),
        _ => polite(seen),
    });
    let program = constrained(Program::facing(&server), "grammar");
    program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    for seen in &judges(&server) {
        let safe = seen.with_mark("VERDICT: safe");
        let wanted = format!(
            "root ::= reason+ label\nreason ::= [^\\n]+ \"\\n\"+\nlabel ::= \"{safe}\" | \"{}\"\n",
            line(seen)
        );
        assert_eq!(seen.body["grammar"], wanted.as_str());
        assert_eq!(seen.body.get("response_format"), None);
    }
    for outcome in found(&program) {
        assert_eq!(outcome["label"]["label"], "unsafe");
    }
    assert!(arms(&program).contains(" constrain=safety:grammar\""));
}

#[test]
fn a_server_without_grammars_is_asked_without_and_the_arm_says_so() {
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" if seen.body.get("grammar").is_some() => Answer::error(
            400,
            "bad_request",
            "grammar is not supported by this engine",
        ),
        "guard" => Answer::chat(&format!("It gives steps.\n{}", line(seen))),
        _ => polite(seen),
    });
    let program = constrained(Program::facing(&server), "grammar");
    program.run(&run(&DUEL, &TOPIC)).ended_with(0);
    for outcome in found(&program) {
        assert_eq!(outcome["label"]["label"], "unsafe");
    }
    let refused = judges(&server);
    let refused = refused
        .iter()
        .filter(|seen| seen.body.get("grammar").is_some());
    assert!(refused.count() <= 2);
    assert!(arms(&program).contains(" constrain=safety:grammar asked="));
}

#[test]
fn the_simulated_judge_keeps_to_a_schema() {
    let program = constrained(Program::new(), "schema");
    program
        .run(&[
            "run",
            "--protocol",
            "pred",
            "--topic",
            "Why is the sea salty?",
            "-q",
        ])
        .ended_with(0);
    let events = program.events("last");
    let judged = of_kind(&events, "judged");
    assert!(!judged.is_empty());
    for one in judged {
        assert!(one["outcome"]["label"]["label"].is_string(), "{one}");
        let text = one["reply"]["text"].as_str().unwrap();
        let said: Value = serde_json::from_str(text).unwrap();
        assert!(said["verdict"].as_str().unwrap().starts_with("VERDICT "));
    }
}

#[test]
fn what_is_no_rubric_of_lines_is_refused() {
    let program = Program::new();
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/prompts/rubrics/llama-guard-3.toml"
    );
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.replace("reading = ", "constrain = \"schema\"\nreading = ");
    program.write(".elenchus/prompts/rubrics/llama-guard-3.toml", &text);
    let args = [
        "run",
        "--protocol",
        "pred",
        "--topic",
        "x?",
        "--set",
        "rubric=llama-guard-3",
    ];
    let ran = program.run(&args);
    assert_ne!(ran.code, 0);
    assert!(
        ran.err
            .contains("'constrain' needs reading = \"last_line\""),
        "{}",
        ran.err
    );
}
