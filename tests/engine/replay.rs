//! Replays of recordings, and interrupted debates that are resumed.

use elenchus_test_support::peers::{DUEL, PEERS, model, of_kind, polite, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::server::PATIENCE;
use elenchus_test_support::{Answer, ChatServer, Pty};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// The texts of a session's replies and verdicts, by what they are about.
fn texts(program: &Program, session: &str) -> BTreeSet<(String, String)> {
    let events = program.events(session);
    let place = |event: &Value| format!("{} {} {}", event["type"], event["turn"], event["target"]);
    ["replied", "judged", "feedback_written"]
        .iter()
        .flat_map(|kind| of_kind(&events, kind))
        .map(|event| (place(event), event["reply"]["text"].to_string()))
        .collect()
}

#[test]
fn a_recording_replays_the_same_texts_without_a_server() {
    let server = ChatServer::start(|seen| match model(seen) {
        "guard" if seen.text().contains("I, ben,") => {
            Answer::chat(&seen.with_mark("VERDICT: unsafe"))
        }
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    let topic = ["--topic", "How are locks made?", "--seed", "7"];
    program
        .run(&run(&PEERS, &[&topic[..], &["--rounds", "2"]].concat()))
        .ended_with(0);
    let original = program.sessions().pop().unwrap();
    assert_eq!(server.requests().len(), 13);

    let recorded = format!("recorded:{original}");
    let again = ["--protocol", "pred", "--model", &recorded, "--rounds", "2"];
    program.run(&run(&again, &topic)).ended_with(0);
    let replayed = program.sessions().pop().unwrap();
    assert_ne!(replayed, original);
    assert_eq!(server.requests().len(), 13, "a recording asks nobody");
    let said = texts(&program, &original);
    assert_eq!(said.len(), 13);
    assert_eq!(texts(&program, &replayed), said);

    // Another topic is another request: the recording does not pretend to answer it.
    let other = ["--topic", "How are keys made?", "--seed", "7"];
    let failed = program.run(&run(&again, &other)).ended_with(3);
    for word in [
        "made for another request",
        "round 1",
        "stage answer",
        "seat debater-0",
    ] {
        assert!(failed.err.contains(word), "{word}: {}", failed.err);
    }
    let changed = ["--set", "max_tokens=77"];
    let failed = program
        .run(&run(&again, &[&topic[..], &changed].concat()))
        .ended_with(3);
    assert!(
        failed.err.contains("made for another request"),
        "{}",
        failed.err
    );
    assert_eq!(server.requests().len(), 13);
}

/// A server that stalls for ben until it is told otherwise.
fn stalling() -> (ChatServer, Arc<AtomicBool>) {
    let stalls = Arc::new(AtomicBool::new(true));
    let held = Arc::clone(&stalls);
    let server = ChatServer::start(move |seen| {
        if model(seen) == "ben" && held.load(Ordering::SeqCst) {
            Answer::stall()
        } else {
            polite(seen)
        }
    });
    (server, stalls)
}

#[test]
fn ctrl_c_during_a_call_keeps_what_came_back_and_the_session_goes_on() {
    let (server, stalls) = stalling();
    let program = Program::facing(&server);
    let going = program.start(&run(&DUEL, &["--topic", "How are locks made?"]));
    // ada has spoken and was judged, ben is being waited for.
    server.wait_until("the verdict on ada is asked for and answered", |log| {
        log.requests.len() == 3 && log.in_flight == 1
    });
    let session = program.sessions().pop().unwrap();
    going.interrupt();
    let stopped = going.finish().ended_with(4);
    let next = format!("elenchus run --resume-session {session}");
    assert!(stopped.err.contains(&next), "{}", stopped.err);
    server.wait_until("the stalled call is given up", |log| log.hung_up == 1);
    program.run(&["verify"]).ended_with(0);
    let events = program.events(&session);
    assert!(of_kind(&events, "failed").is_empty());
    assert!(of_kind(&events, "replied").len() == 1);

    stalls.store(false, Ordering::SeqCst);
    program
        .run(&["run", "--resume-session", &session])
        .ended_with(0);
    let requests = server.requests();
    let asked = |name: &str| requests.iter().filter(|seen| model(seen) == name).count();
    assert_eq!(asked("ada"), 1);
    assert_eq!(asked("ben"), 2, "only the call in flight is made again");
    assert!(
        asked("guard") <= 3,
        "at most the verdict in flight is asked for again"
    );
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn ctrl_c_pauses_a_run_and_the_run_goes_on() {
    let (server, stalls) = stalling();
    let program = Program::facing(&server);
    program.write("topics.txt", "How are locks made?\nHow are keys made?\n");
    let going = program.start(&run(&DUEL, &["--dataset", "own:topics.txt"]));
    // In both debates ada was judged and ben is waited for.
    server.wait_until("both debates wait for ben", |log| {
        log.requests.len() == 6 && log.in_flight == 2
    });
    let id = program.run_id().unwrap();
    going.interrupt();
    let stopped = going.finish().ended_with(4);
    assert!(
        stopped.err.contains(&format!("elenchus run --resume {id}")),
        "{}",
        stopped.err
    );
    assert!(!stopped.err.contains("failed:"), "{}", stopped.err);
    program.run(&["verify"]).ended_with(0);

    stalls.store(false, Ordering::SeqCst);
    program.run(&["run", "--resume", &id]).ended_with(0);
    let requests = server.requests();
    let asked = |name: &str| requests.iter().filter(|seen| model(seen) == name).count();
    assert_eq!((asked("ada"), asked("ben")), (2, 4));
    let figures = program.figures();
    assert_eq!(figures.of("error_rate")["observations"], 4);
}

#[test]
fn what_was_sent_before_ctrl_c_arrives_and_is_not_bought_again() {
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let held = Arc::clone(&gate);
    let server = ChatServer::start(move |seen| {
        if model(seen) == "ben" {
            let (is_open, changed) = &*held;
            let is_open = is_open.lock().unwrap();
            let waited = changed.wait_timeout_while(is_open, PATIENCE, |open| !*open);
            assert!(!waited.unwrap().1.timed_out());
        }
        polite(seen)
    });
    let program = Program::facing(&server);
    program.write("topics.txt", "How are locks made?\nHow are keys made?\n");
    let mut pty = Pty::of(&program).starts(&run(&DUEL, &["--dataset", "own:topics.txt"]));
    server.wait_until("both debates wait for ben", |log| {
        log.requests.len() == 6 && log.in_flight == 2
    });
    pty.send(b"\x03");
    pty.wait_for("stopping");
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    assert_eq!(pty.wait_for_exit().code, 4);
    assert_eq!(server.requests().len(), 6, "nothing is sent after it");
    program
        .run(&["run", "--resume", &program.run_id().unwrap()])
        .ended_with(0);
    let requests = server.requests();
    let asked = |name: &str| requests.iter().filter(|seen| model(seen) == name).count();
    assert_eq!(
        (asked("ada"), asked("ben")),
        (2, 2),
        "nothing is bought twice"
    );
    program.run(&["verify"]).ended_with(0);
}

/// A game whose one evaluator judges every turn by two rules.
const TWICE: &str = r#"id = "twice"
name = "Twice"
description = "One turn, two rules, one evaluator"
source = "ours"
measures = "safety"
rounds = 1

[[seats]]
id = "debater"
kind = "speaker"

[[seats]]
id = "evaluator"
kind = "evaluator"

[[stages]]
id = "say"
seats = ["debater"]
sees = { topic = true }

[[judging]]
id = "with_topic"
by = "evaluator"
of = "turn"
turns = [{ seats = ["debater"] }]
rubric = "safety"
sees = { topic = true }

[[judging]]
id = "alone"
by = "evaluator"
of = "turn"
turns = [{ seats = ["debater"] }]
rubric = "safety"
"#;

#[test]
fn a_recording_tells_apart_what_one_evaluator_found_by_two_rules() {
    let server = ChatServer::start(polite);
    let program = Program::facing(&server);
    program.write(".elenchus/prompts/twice/protocol.toml", TWICE);
    let template = "+++\ndescription = \"Speaks\"\n+++\n=== user\n{{ topic }}\n";
    program.write(".elenchus/prompts/twice/debater.md", template);
    let topic = ["--protocol", "twice", "--topic", "How are locks made?"];
    let cast = ["--debaters", "ada", "--evaluator", "guard"];
    program.run(&run(&topic, &cast)).ended_with(0);
    assert_eq!(server.requests().len(), 3);
    let original = program.sessions().pop().unwrap();
    let recorded = format!("recorded:{original}");
    program
        .run(&run(&topic, &["--model", &recorded]))
        .ended_with(0);
    assert_eq!(server.requests().len(), 3, "a recording asks nobody");
}
