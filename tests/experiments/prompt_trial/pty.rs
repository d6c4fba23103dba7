//! Progress of a prompt trial on a terminal.

use elenchus_test_support::answer::{Barrier, Step, event, finish, usage};
use elenchus_test_support::program::Program;
use elenchus_test_support::pty::Pty;
use elenchus_test_support::socratic::{SHORTER, SOCRATIC, model, shorter};
use elenchus_test_support::{Answer, ChatServer};
use serde_json::json;
use std::sync::Arc;

/// A debate, and a server that stops in the middle of what the changed prompt is answered until
/// somebody has seen it.
fn held(barrier: &Arc<Barrier>) -> (Program, ChatServer, String) {
    let held = Arc::clone(barrier);
    let server = ChatServer::start(move |seen| {
        if model(seen) != "soc" || !seen.text().contains(SHORTER) {
            return elenchus_test_support::socratic::answer(seen);
        }
        let chunk = |text: String| Step::Chunk(text.into_bytes());
        let first = event(&json!({"content": "Why that, "}));
        let more = event(&json!({"content": "and not less?"}));
        Answer::sse_open([first])
            .then(Step::Meet(Arc::clone(&held)))
            .then(chunk(more))
            .then(chunk(finish("stop")))
            .then(chunk(usage(11, 7)))
            .then(chunk("data: [DONE]\n\n".to_owned()))
            .then(Step::EndChunks)
    });
    let program = Program::facing(&server);
    let topic = ["--topic", "How are locks made?", "--seed", "7"];
    program.run(&[&SOCRATIC[..], &topic].concat()).ended_with(0);
    shorter(&program);
    let session = program.sessions().pop().unwrap();
    (program, server, session)
}

#[test]
fn the_words_of_one_sample_are_shown_as_they_come_and_said_once() {
    let barrier = Barrier::of(2);
    let (program, _server, session) = held(&barrier);
    let turn = format!("{session}:r1.socratic");
    let args = ["prompts", "try", &turn, "--with", "mine.md"];
    let mut pty = Pty::of(&program).size(100, 40).starts(&args);
    pty.wait_for("Why that,");
    assert!(!pty.screen().contains("and not less?"), "{}", pty.screen());
    assert!(
        pty.screen().contains("Which evidence is there"),
        "{}",
        pty.screen()
    );
    barrier.meet();
    let ended = pty.wait_for_exit();
    assert_eq!(ended.code, 0);
    let screen = pty.screen();
    assert_eq!(
        screen.matches("Why that, and not less?").count(),
        1,
        "{screen}"
    );
    assert!(
        screen.contains("one step off the recorded path"),
        "{screen}"
    );
    // Into a file or a pipe goes the end alone.
    let piped = program.run(&args).ended_with(0);
    assert!(piped.out.contains("sample 0 (cached)"), "{}", piped.out);
    assert!(!piped.out.contains('\u{1b}'), "{}", piped.out);
}

#[test]
fn several_samples_are_told_when_they_are_over() {
    let barrier = Barrier::of(2);
    let (program, _server, session) = held(&barrier);
    let turn = format!("{session}:r2.debater-1");
    let args = ["prompts", "try", &turn, "--samples", "2"];
    let mut pty = Pty::of(&program).size(100, 40).starts(&args);
    pty.wait_for("sample 0: 22 characters, safe");
    pty.wait_for("sample 1: 22 characters, safe");
    assert_eq!(pty.wait_for_exit().code, 0);
}
