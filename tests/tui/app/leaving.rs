//! Ends of the workbench: written text comes back; sessions of other processes are followed.

use elenchus_test_support::duo::{begin_debate, duo_program};
use elenchus_test_support::{Answer, Barrier, ChatServer, Pty};
use rustix::process::Signal;
use std::sync::Arc;

fn quiet() -> ChatServer {
    ChatServer::start(|_| Answer::chat("A short and harmless reply."))
}

/// Opens the last session, takes the seat of the first speaker, and expects a draft there.
fn finds_draft(pty: &mut Pty, draft: &str) {
    pty.wait_for("not played to its end");
    pty.press("t");
    pty.wait_for(draft);
    pty.wait_for("this is what you wrote last time and did not use");
}

#[test]
fn a_draft_comes_back_after_a_kill_a_hangup_and_a_termination() {
    let server = quiet();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("t");
    pty.wait_for("speak for Speaker 1");
    pty.type_text("one");
    pty.wait_for("┃one");
    pty.wait_for_calm();
    pty.signal(Signal::KILL);
    pty.wait_for_exit();

    let mut pty = Pty::of(&program).size(100, 30).starts(&["open", "last"]);
    finds_draft(&mut pty, "┃one");
    pty.type_text(" two");
    pty.wait_for("┃one two");
    pty.wait_for_calm();
    pty.hang_up();
    assert_eq!(pty.wait_for_exit().signal, None, "it leaves of itself");

    // After a lost connection one lands where one was.
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    finds_draft(&mut pty, "┃one two");
    pty.type_text(" three");
    pty.wait_for("┃one two three");
    pty.signal(Signal::TERM);
    assert_eq!(pty.wait_for_exit().code, 0);
    assert!(pty.screen().contains("elenchus open"), "{}", pty.screen());
    assert!(pty.modes().canonical && pty.modes().echo);

    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    finds_draft(&mut pty, "┃one two three");
    pty.press("Ctrl-D");
    pty.wait_for("1 ·□");
    pty.quits();
    assert!(server.requests().is_empty());
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_text_that_was_sent_off_when_the_connection_broke_is_in_the_journal_or_a_draft() {
    let server = quiet();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("t");
    pty.wait_for("speak for Speaker 1");
    pty.type_text("on its way");
    pty.wait_for("┃on its way");
    pty.press("Ctrl-D");
    pty.hang_up();
    assert_eq!(pty.wait_for_exit().signal, None, "it leaves of itself");

    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_for("not played to its end");
    pty.press("t");
    pty.wait_until("the next seat, or the text", |screen| {
        screen.contains("speak for Speaker 2") || screen.contains("┃on its way")
    });
    // What a seat is shown covers the turns.
    if pty.screen().contains("speak for Speaker 2") {
        pty.press("Esc");
        pty.wait_until("the text as a turn", |screen| {
            screen.contains("on its way") && screen.contains("by ada")
        });
    }
}

#[test]
fn a_workbench_that_was_suspended_comes_back_as_it_was() {
    let server = quiet();
    let program = duo_program(&server);
    let script = "set -m; \"$@\"; echo stopped here; read word; fg; echo over";
    let mut pty = Pty::of(&program).size(100, 30).starts_in_shell(script, &[]);
    begin_debate(&mut pty, |_| {});
    pty.press("t");
    pty.wait_for("speak for Speaker 1");
    pty.type_text("half a");
    pty.wait_for("half a");
    pty.press("Ctrl-Z");
    pty.wait_for("stopped here");
    assert!(pty.modes().canonical);
    pty.send(b"go\n");
    pty.wait_for("speak for Speaker 1");
    pty.type_text(" word");
    pty.wait_for("half a word");
    pty.press("Esc");
    pty.wait_for("the text is kept");
    pty.press("q");
    pty.wait_for("over");
    assert_eq!(pty.wait_for_exit().code, 0);
}

#[test]
fn what_another_process_plays_is_followed_and_not_meddled_with() {
    let barrier = Barrier::of(2);
    let held = Arc::clone(&barrier);
    // Both are asked at once, in no particular order.
    let server = ChatServer::start(move |seen| match seen.text().contains("Speaker 1") {
        true => Answer::chat("The first reply."),
        false => Answer::chat("The second reply.").behind(&held),
    });
    let program = duo_program(&server);
    let args = ["run", "--topic", "Why is it salty?", "--rounds", "1", "-q"];
    let run = program.start(&[&args[..], &["--protocol", "duo"]].concat());
    server.wait_until("both are asked", |log| log.requests.len() == 2);
    let mut pty = Pty::of(&program).size(100, 30).starts(&["open", "last"]);
    pty.wait_for("The first reply.");
    pty.press("n");
    pty.wait_for("is playing this session: read along, or fork it");
    assert!(!pty.screen().contains("complete"));
    barrier.meet();
    run.finish().ended_with(0);
    pty.wait_for("1 ··");
    pty.wait_for("The second reply.");
    // The record, which takes the transcript's place.
    pty.press("Tab");
    pty.wait_for("State complete");
    pty.quits();
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn an_interrupt_with_nothing_to_interrupt_says_how_to_leave_and_the_second_leaves() {
    let program = elenchus_test_support::program::Program::new();
    let mut pty = elenchus_test_support::Pty::of(&program)
        .size(80, 24)
        .starts(&[]);
    pty.wait_for("newest first");
    pty.press("Ctrl-C");
    pty.wait_for("nothing goes on here; Ctrl-C again leaves the program, as q does");
    // Any other key between takes the offer back.
    pty.press("j Ctrl-C");
    pty.wait_for("nothing goes on here; Ctrl-C again");
    pty.press("Ctrl-C");
    assert_eq!(pty.wait_for_exit().code, 0);
}

#[test]
fn interrupting_twice_leaves_a_form_and_never_the_program() {
    let program = elenchus_test_support::labelling::played(1);
    let forms = [
        ("1", "at most ", "1 session, newest first"),
        ("4", "a new queue", "there is no queue: n draws one"),
    ];
    for (place, shown, below) in forms {
        let mut pty = Pty::of(&program).size(80, 24).starts(&[]);
        pty.wait_for("1 session, newest first");
        pty.press(place);
        pty.wait_for(below);
        pty.press("End n");
        pty.wait_for(shown);
        // The text is left, the form is left, and what lies below is not.
        pty.press("x");
        pty.press("Ctrl-C Ctrl-C");
        pty.wait_for(below);
        pty.wait_for_calm();
        assert!(
            !pty.screen().contains("leaves the program"),
            "{}",
            pty.screen()
        );
        pty.press("Ctrl-C");
        pty.wait_for("nothing goes on here; Ctrl-C again leaves the program, as q does");
        pty.press("j q");
        assert_eq!(pty.wait_for_exit().code, 0);
    }
}
