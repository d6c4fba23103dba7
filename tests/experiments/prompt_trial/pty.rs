//! What a person at a terminal sees of a try while it goes on.

use super::{SHORTER, SOCRATIC, model, shorter};
use crate::support::answer::{Barrier, Step, event, finish, usage};
use crate::support::program::Desk;
use crate::support::pty::Pty;
use crate::support::{Answer, Server};
use serde_json::json;
use std::sync::Arc;

/// A debate, and a server that stops in the middle of what the changed prompt is answered until
/// somebody has seen it.
fn held(barrier: &Arc<Barrier>) -> (Desk, Server, String) {
    let held = Arc::clone(barrier);
    let server = Server::start(move |seen| {
        if model(seen) != "soc" || !seen.text().contains(SHORTER) {
            return super::answer(seen);
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
    let desk = Desk::facing(&server);
    let topic = ["--topic", "How are locks made?", "--seed", "7"];
    desk.run(&[&SOCRATIC[..], &topic].concat()).ended_with(0);
    shorter(&desk);
    let session = desk.sessions().pop().unwrap();
    (desk, server, session)
}

#[test]
fn the_words_of_one_sample_are_shown_as_they_come_and_said_once() {
    let barrier = Barrier::of(2);
    let (desk, _server, session) = held(&barrier);
    let turn = format!("{session}:r1.socratic");
    let args = ["prompts", "try", &turn, "--with", "mine.md"];
    let mut pty = Pty::of(&desk).size(100, 40).starts(&args);
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
    let piped = desk.run(&args).ended_with(0);
    assert!(piped.out.contains("sample 0 (cached)"), "{}", piped.out);
    assert!(!piped.out.contains('\u{1b}'), "{}", piped.out);
}

#[test]
fn several_samples_are_told_when_they_are_over() {
    let barrier = Barrier::of(2);
    let (desk, _server, session) = held(&barrier);
    let turn = format!("{session}:r2.debater-1");
    let args = ["prompts", "try", &turn, "--samples", "2"];
    let mut pty = Pty::of(&desk).size(100, 40).starts(&args);
    pty.wait_for("sample 0: 22 characters, safe");
    pty.wait_for("sample 1: 22 characters, safe");
    assert_eq!(pty.wait_for_exit().code, 0);
}
