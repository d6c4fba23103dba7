//! Guardrails against a real server: a match, a nonsense decision, a failing one, and derivations.

use elenchus_test_support::guardrails::accept_far_one;
use elenchus_test_support::peers::{
    PEERS, is_debater, messages, model, of_kind, polite, round, run,
};
use elenchus_test_support::program::{Program, Ran};
use elenchus_test_support::{Answer, ChatRequest, ChatServer};
use serde_json::Value;

const TOPIC: &str = "How do I open the lock of my neighbour's door?";
const REFUSAL: &str = "I can't help with this request.";

fn asks_to_decide(seen: &ChatRequest) -> bool {
    seen.text()
        .contains("You stand at the door of an assistant")
}

fn asks_to_derive(seen: &ChatRequest) -> bool {
    seen.text().contains("You maintain a list of intents")
}

/// A program whose memory holds one accepted guardrail that is near the topic.
fn guarded(server: &ChatServer) -> Program {
    let program = Program::facing(server);
    let added = program
        .run(&[
            "memory",
            "guardrails",
            "add",
            "--intent",
            "Open other people's locked doors",
            "--example",
            "How do I open a lock that is not mine?",
        ])
        .ended_with(0);
    let id = added.out.trim();
    program
        .run(&["memory", "guardrails", "accept", id, "--untested"])
        .ended_with(0);
    program
}

fn played(program: &Program, more: &[&str]) -> Ran {
    let asked = ["--topic", TOPIC, "--memory", "guardrails", "--rounds", "2"];
    program.run(&run(&PEERS, &[&asked[..], more].concat()))
}

fn only_session(program: &Program) -> String {
    let sessions = program.sessions();
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    sessions.into_iter().next().unwrap()
}

/// Ada finds a match, ben says nothing that can be read, cleo's server fails.
fn mixed(seen: &ChatRequest) -> Answer {
    if !asks_to_decide(seen) {
        return polite(seen);
    }
    match model(seen) {
        "ada" => Answer::chat(&seen.with_mark("It is after that.\nMATCH: 1")),
        "ben" => Answer::chat("What a lovely day it is, is it not, my dear friend?"),
        _ => Answer::error(400, "bad", "no such thing"),
    }
}

#[test]
fn a_match_refuses_and_a_decision_that_failed_or_cannot_be_read_lets_the_debater_speak() {
    let server = ChatServer::start(mixed);
    let program = guarded(&server);
    played(&program, &[]).ended_with(0);
    let session = only_session(&program);
    let events = program.events(&session);
    let near = of_kind(&events, "guards_retrieved");
    assert_eq!(near.len(), 1);
    assert_eq!(
        near[0]["candidates"][0]["intent"],
        "Open other people's locked doors"
    );
    let decided = of_kind(&events, "guarded");
    let mut decisions: Vec<(&str, String)> = decided
        .iter()
        .map(|event| {
            let chair = event["chair"].as_str().unwrap();
            (chair, event["decision"].to_string())
        })
        .collect();
    decisions.sort();
    assert_eq!(decisions.len(), 2, "{decisions:?}");
    assert!(decisions[0].1.contains("matched"), "{decisions:?}");
    assert!(decisions[1].1.contains("unparsed"), "{decisions:?}");
    let failed = of_kind(&events, "failed");
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["step"], "guard debater-2");
    let replied = of_kind(&events, "replied");
    let refused: Vec<&&Value> = replied
        .iter()
        .filter(|event| event["guardrail"].is_string())
        .collect();
    assert_eq!(refused.len(), 2, "one a round");
    for event in &refused {
        assert!(event["turn"].as_str().unwrap().ends_with("debater-0"));
        assert_eq!(event["reply"]["text"], REFUSAL);
    }
    // The refused seat was asked for a decision alone, and nobody judged it.
    let requests = server.requests();
    let spoke = |name: &str| {
        let asked = requests.iter();
        asked
            .filter(|seen| model(seen) == name && !asks_to_decide(seen))
            .count()
    };
    assert_eq!((spoke("ada"), spoke("ben"), spoke("cleo")), (0, 2, 2));
    assert_eq!(spoke("guard"), 4);
    assert_eq!(of_kind(&events, "judged").len(), 4);
    // Its peers read the refusal in its place, once a round that is over.
    let second = requests
        .iter()
        .filter(|seen| is_debater(seen) && !asks_to_decide(seen) && round(seen) == 2);
    for seen in second {
        assert_eq!(seen.text().matches(REFUSAL).count(), 1, "{}", seen.text());
    }
    let shown = program.run(&["show", &session]).ended_with(0);
    let words: Vec<&str> = shown.out.split_whitespace().collect();
    let words = words.join(" ");
    assert!(
        words.contains("refused by guardrail written-"),
        "{}",
        shown.out
    );
    assert!(words.contains("failed, so it speaks"), "{}", shown.out);
    let figures = program.figures();
    assert_eq!(figures.of("error_rate")["observations"], 6);
    let without = figures.of("error_rate_without_guardrails");
    assert_eq!(without["observations"], 4);
    assert_eq!(without["left_out"]["guardrail"], 2);
    assert_eq!(figures.value("guardrail_match"), 1.0);
    let errors = figures.value("guardrail_errors");
    assert!((errors - 2.0 / 3.0).abs() < 1e-9, "{errors}");
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_decision_is_asked_at_temperature_0_with_the_topic_between_marks() {
    let server = ChatServer::start(|seen| match asks_to_decide(seen) {
        true => Answer::chat(&seen.with_mark("MATCH: no")),
        false => polite(seen),
    });
    let program = guarded(&server);
    played(&program, &[]).ended_with(0);
    let requests = server.requests();
    let decisions: Vec<&ChatRequest> = requests
        .iter()
        .filter(|seen| asks_to_decide(seen))
        .collect();
    assert_eq!(decisions.len(), 3, "one for each judged seat");
    for seen in decisions {
        assert_eq!(seen.body["temperature"], 0.0);
        let (role, asked) = messages(seen)[1];
        assert_eq!(role, "user");
        assert!(asked.contains("Number 1:"), "{asked}");
        let before = asked.split(TOPIC).next().unwrap();
        let mark = before.trim_end().lines().next_back().unwrap();
        assert!(mark.starts_with('⟦'), "{asked}");
    }
}

#[test]
fn what_is_proposed_rejected_or_disabled_is_not_asked() {
    let server = ChatServer::start(|seen| match asks_to_decide(seen) {
        true => Answer::chat(&seen.with_mark("MATCH: 1")),
        false => polite(seen),
    });
    let program = guarded(&server);
    let listed = program
        .run(&["memory", "guardrails", "list", "--json"])
        .ended_with(0);
    let guard: Value = serde_json::from_str(&listed.out).unwrap();
    let id = guard["id"].as_str().unwrap();
    accept_far_one(&program, "default");
    for (doing, asked) in [
        ("disable", false),
        ("enable", true),
        ("delete", false),
        ("restore", true),
        ("reject", false),
    ] {
        program
            .run(&["memory", "guardrails", doing, id])
            .ended_with(0);
        let before = server.requests().len();
        played(&program, &["-q"]).ended_with(0);
        let requests = server.requests();
        let decisions = requests[before..].iter().any(asks_to_decide);
        assert_eq!(decisions, asked, "after {doing}");
    }
}

/// The evaluator finds everything unsafe, so that a lesson is written.
fn teaches(seen: &ChatRequest) -> Answer {
    match model(seen) {
        "guard" => Answer::chat(&seen.with_mark("This helps to harm.\nVERDICT: unsafe")),
        _ => polite(seen),
    }
}

#[test]
fn a_guardrail_is_derived_from_a_lesson_and_repaired_once() {
    let server = ChatServer::start(|seen| {
        if !asks_to_derive(seen) {
            return teaches(seen);
        }
        assert_eq!(model(seen), "teacher");
        match seen.text().contains("could not be read by the program") {
            true => Answer::chat(
                "```json\n{\"intent\": \"Open doors\", \"examples\": [\"How?\", \"how\"]}\n```",
            ),
            false => Answer::chat("Gladly: intent, open doors."),
        }
    });
    let program = Program::facing(&server);
    let far = accept_far_one(&program, "default");
    played(&program, &[]).ended_with(0);
    let session = only_session(&program);
    let listed = program.run_ok(&["memory", "guardrails", "list", "--json"]);
    let listed = listed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let guard: Value = listed
        .into_iter()
        .find(|guard: &Value| guard["id"] != far.as_str())
        .unwrap();
    let id = guard["id"].as_str().unwrap();
    assert_eq!(guard["intent"], "Open doors");
    assert_eq!(guard["examples"], serde_json::json!(["How?"]));
    assert_eq!(guard["standing"], "proposed");
    assert_eq!(guard["origins"][0]["session"], session.as_str());
    assert_eq!(guard["derived"]["replies"].as_array().unwrap().len(), 2);
    // It is there: the same debate gives no second one, and nothing is asked.
    let before = server.requests().len();
    program
        .run(&["memory", "guardrails", "derive", &session])
        .ended_with(0);
    assert_eq!(server.requests().len(), before);
    let untested = program.run(&["memory", "guardrails", "accept", id]);
    assert_eq!(untested.code, 1);
    assert!(untested.err.contains("--untested"), "{}", untested.err);
}

#[test]
fn a_derivation_that_cannot_be_read_is_kept_counted_and_can_be_asked_for_again() {
    let server = ChatServer::start(|seen| match asks_to_derive(seen) {
        true => Answer::chat("I would rather not."),
        false => teaches(seen),
    });
    let program = Program::facing(&server);
    accept_far_one(&program, "default");
    played(&program, &[]).ended_with(0);
    let session = only_session(&program);
    let asked = |server: &ChatServer| {
        server
            .requests()
            .iter()
            .filter(|seen| asks_to_derive(seen))
            .count()
    };
    assert_eq!(asked(&server), 2);
    let listed = program.run(&["memory", "guardrails", "list"]).ended_with(0);
    assert!(
        listed.err.contains("1 derivation could not be read"),
        "{}",
        listed.err
    );
    let again = program.run(&["memory", "guardrails", "derive", &session]);
    assert_eq!(again.code, 1);
    assert_eq!(asked(&server), 4);
}

#[test]
fn a_damaged_journal_of_guardrails_is_named_with_its_line_and_stops_who_needs_it_alone() {
    let server = ChatServer::start(polite);
    let program = guarded(&server);
    let folder = program.store().join("memory/default/guards");
    let path = std::fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("Open other", "Shut other", 1)).unwrap();
    let listed = program.run(&["memory", "guardrails", "list"]);
    assert_eq!(listed.code, 1);
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(listed.err.contains(name), "{}", listed.err);
    assert!(
        listed.err.contains(":1") || listed.err.contains("line 1"),
        "{}",
        listed.err
    );
    assert_eq!(program.run(&["verify"]).code, 5);
    assert_ne!(played(&program, &[]).code, 0);
    // A debate without guardrails reads none of it.
    program
        .run(&run(&PEERS, &["--topic", TOPIC, "-q"]))
        .ended_with(0);
}
