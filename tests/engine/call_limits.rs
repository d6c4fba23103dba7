//! Ceilings on calls and tokens hold for models without a price, across tries, pauses and kills.

use elenchus_test_support::answer::{event, finish, usage};
use elenchus_test_support::peers::{DUEL, is_debater, model, of_kind, polite, run};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatRequest, ChatServer, Pty};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A duel over one topic sends four requests: two turns and a verdict on each.
const A_DUEL: usize = 4;

fn asked(server: &ChatServer) -> usize {
    server.requests().len()
}

#[test]
fn a_run_pauses_when_its_calls_are_made_and_goes_on_with_more() {
    let server = ChatServer::start(polite);
    let program = Program::facing(&server);
    let topics: String = (1..=4).map(|at| format!("Topic number {at}\n")).collect();
    program.write("topics.txt", &topics);
    let more = ["--dataset", "own:topics.txt", "--budget-calls", "6"];
    let paused = program.run(&run(&DUEL, &more)).ended_with(4);
    let id = program.run_id().unwrap();
    assert_eq!(asked(&server), 6);
    for words in [
        "the ceiling is reached: 6 of 6 calls were made".to_owned(),
        format!("elenchus run --resume {id} --budget-calls MORE"),
    ] {
        assert!(paused.err.contains(&words), "{words}: {}", paused.err);
    }
    program.run(&["run", "--resume", &id]).ended_with(4);
    assert_eq!(asked(&server), 6, "the ceiling still holds");
    program
        .run(&["run", "--resume", &id, "--budget-calls", "9"])
        .ended_with(4);
    assert_eq!(asked(&server), 9);
    program
        .run(&["run", "--resume", &id, "--budget-calls", "16"])
        .ended_with(0);
    assert_eq!(asked(&server), 4 * A_DUEL, "nothing is asked twice");
    let listed = program.run(&["ls", "--runs", "--json"]).ended_with(0);
    assert!(listed.out.contains("\"budget_calls\":16"), "{}", listed.out);
}

#[test]
fn a_single_debate_pauses_when_its_calls_are_made_and_goes_on_with_more() {
    let server = ChatServer::start(polite);
    let program = Program::facing(&server);
    let more = ["--topic", "How are locks made?", "--budget-calls", "3"];
    let paused = program.run(&run(&DUEL, &more)).ended_with(4);
    assert_eq!(asked(&server), 3);
    let session = program.sessions().pop().unwrap();
    let again = format!("elenchus run --resume-session {session} --budget-calls MORE");
    assert!(paused.err.contains(&again), "{}", paused.err);
    let resume = ["run", "--resume-session", &session, "--budget-calls"];
    program.run(&[&resume[..], &["3"]].concat()).ended_with(4);
    assert_eq!(asked(&server), 3);
    program.run(&[&resume[..], &["4"]].concat()).ended_with(0);
    assert_eq!(asked(&server), A_DUEL);
}

#[test]
fn every_try_is_a_call() {
    let server = ChatServer::start(|seen| match seen.number {
        0 | 1 => Answer::too_many("0"),
        _ => polite(seen),
    });
    let program = Program::facing(&server);
    program.write("topics.txt", "How are locks made?\n");
    let more = ["--dataset", "own:topics.txt", "--budget-calls", "3"];
    program.run(&run(&DUEL, &more)).ended_with(4);
    // Both turns were turned away once, and only one of them could be asked for again.
    assert_eq!(asked(&server), 3);
    let id = program.run_id().unwrap();
    for (ceiling, code) in [("3", 4), ("5", 4), ("6", 0)] {
        program
            .run(&["run", "--resume", &id, "--budget-calls", ceiling])
            .ended_with(code);
        assert_eq!(asked(&server), ceiling.parse::<usize>().unwrap());
    }
}

#[test]
fn a_request_that_is_sent_again_without_what_was_refused_is_a_call() {
    let server = ChatServer::start(|seen| match seen.body.get("seed") {
        Some(_) => Answer::error(
            400,
            "unsupported_parameter",
            "Unsupported parameter: 'seed'",
        ),
        None => polite(seen),
    });
    let program = Program::facing(&server);
    let game = ["--protocol", "pred", "--model", "ada", "--rounds", "1"];
    let more = [
        "--topic",
        "Locks",
        "--budget-calls",
        "1",
        "--concurrency",
        "1",
    ];
    program.run(&run(&game, &more)).ended_with(4);
    assert_eq!(asked(&server), 1);
}

#[test]
fn what_never_reached_a_server_is_no_call() {
    let gone = ChatServer::start(polite).base_url();
    let config = |url: &str| format!("[providers.openai]\nbase_url = \"{url}\"\nretries = 1\n");
    let program = Program::configured(&config(&gone));
    program.write("topics.txt", "How are locks made?\n");
    let more = ["--dataset", "own:topics.txt", "--budget-calls", "4"];
    program.run(&run(&DUEL, &more)).ended_with(4);
    let server = ChatServer::start(polite);
    program.write(".elenchus/config.toml", &config(&server.base_url()));
    program
        .run(&["run", "--resume", &program.run_id().unwrap()])
        .ended_with(0);
    assert_eq!(asked(&server), A_DUEL);
}

#[test]
fn calls_that_were_sent_before_a_kill_count_when_the_run_goes_on() {
    let stalls = Arc::new(AtomicBool::new(true));
    let held = Arc::clone(&stalls);
    let server =
        ChatServer::start(
            move |seen| match model(seen) != "ada" && held.load(Ordering::SeqCst) {
                true => Answer::stall(),
                false => polite(seen),
            },
        );
    let program = Program::facing(&server);
    program.write("topics.txt", "How are locks made?\n");
    let more = ["--dataset", "own:topics.txt", "--budget-calls", "5"];
    let going = program.start(&run(&DUEL, &more));
    // One turn is there; the other one and the verdict are on their way.
    server.wait_until("the first turn is judged", |log| log.requests.len() == 3);
    drop(going);
    stalls.store(false, Ordering::SeqCst);
    let id = program.run_id().unwrap();
    program.run(&["run", "--resume", &id]).ended_with(4);
    assert_eq!(asked(&server), 5);
    program
        .run(&["run", "--resume", &id, "--budget-calls", "6"])
        .ended_with(0);
    assert_eq!(asked(&server), 6);
}

#[test]
fn a_token_limit_that_a_server_refuses_is_never_left_out_under_a_ceiling_on_tokens() {
    let server = ChatServer::start(|seen| {
        let names = ["max_tokens", "max_completion_tokens"];
        match names.iter().find(|name| seen.body.get(**name).is_some()) {
            Some(name) => {
                let why = format!("Unsupported parameter: '{name}'");
                Answer::error(400, "unsupported_parameter", &why)
            }
            None => polite(seen),
        }
    });
    let program = Program::facing(&server);
    program.write("topics.txt", "How are locks made?\n");
    let game = run(&DUEL, &["--dataset", "own:topics.txt"]);
    let more = ["--budget-tokens", "1000000"];
    program.run(&[&game[..], &more].concat()).ended_with(3);
    let resume = ["run", "--resume", &program.run_id().unwrap()];
    program.run(&resume).ended_with(3);
    let unlimited = |seen: &ChatRequest| {
        seen.body.get("max_tokens").is_none() && seen.body.get("max_completion_tokens").is_none()
    };
    let before = server.requests().len();
    let mut pty = Pty::of(&program).starts(&[]);
    pty.press("6");
    pty.wait_for("0/1, 1!");
    pty.press("O");
    pty.wait_for("tokens 1000000");
    pty.press("Enter");
    pty.wait_for("run over");
    pty.quits();
    assert!(server.requests().len() > before);
    assert!(!server.requests().iter().any(unlimited));
    // Without the ceiling it is left out, as nothing is to be held.
    program.run(&game).ended_with(0);
    assert!(server.requests().iter().any(unlimited));
}

/// What the server counts for a request.
const READ: u64 = 500;
const WRITTEN: u64 = 60;

#[test]
fn a_run_pauses_before_its_tokens_are_used_and_goes_on_with_more() {
    let server = ChatServer::start(|seen| {
        let text = match is_debater(seen) {
            true => "I say this.".to_owned(),
            false => seen.with_mark("Nothing here.\nVERDICT: safe"),
        };
        Answer::sse([
            event(&json!({"content": text})),
            finish("stop"),
            usage(READ, WRITTEN),
            "data: [DONE]\n\n".to_owned(),
        ])
    });
    let program = Program::facing(&server);
    program.write("topics.txt", "How are locks made?\n");
    let game = run(&DUEL, &["--set", "max_tokens=100"]);
    let most = {
        let program = Program::facing(&server);
        program
            .run(&[&game[..], &["--topic", "How are locks made?"]].concat())
            .ended_with(0);
        let events = program.events("last");
        let started = of_kind(&events, "call_started");
        let worst = started
            .iter()
            .map(|call| call["worst_case_tokens"].as_u64().unwrap());
        worst.max().unwrap()
    };
    let before = asked(&server);
    let ceiling = most + READ;
    let shown = ceiling.to_string();
    let more = ["--dataset", "own:topics.txt", "--budget-tokens", &shown];
    let paused = program.run(&[&game[..], &more].concat()).ended_with(4);
    let id = program.run_id().unwrap();
    let played = asked(&server) - before;
    assert!((1..A_DUEL).contains(&played), "{played}");
    assert!(played as u64 * (READ + WRITTEN) <= ceiling);
    for words in [
        format!("of {ceiling} tokens are used or in doubt"),
        format!("elenchus run --resume {id} --budget-tokens MORE"),
    ] {
        assert!(paused.err.contains(&words), "{words}: {}", paused.err);
    }
    program.run(&["run", "--resume", &id]).ended_with(4);
    assert_eq!(asked(&server) - before, played, "the ceiling still holds");
    program
        .run(&["run", "--resume", &id, "--budget-tokens", "1000000"])
        .ended_with(0);
    assert_eq!(asked(&server) - before, A_DUEL);
}
