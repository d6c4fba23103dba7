//! A debate under a person's control: streams, edits, attempts, seats and messages.

use elenchus_test_support::answer::{Step, event};
use elenchus_test_support::duo::{begin_debate, duo_program};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, Barrier, ChatServer, Pty};
use serde_json::{Value, json};

/// An answer that has begun when something else happens, and goes on afterwards.
fn begun(text: &str, then: Step) -> Answer {
    let mut answer = Answer::chat("and the last words.");
    answer.steps.insert(1, then);
    let words = event(&json!({ "content": text })).into_bytes();
    answer.steps.insert(1, Step::Chunk(words));
    answer
}

/// Answers that are told apart by their numbers.
fn numbered() -> ChatServer {
    ChatServer::start(|seen| Answer::chat(&format!("Reply number {}.", seen.number)))
}

/// The texts of the recorded replies of a seat, with who wrote them.
fn said(program: &Program, session: &str, kind: &str) -> Vec<Value> {
    let events = program.events(session);
    events
        .into_iter()
        .filter(|event| event["type"] == kind)
        .collect()
}

#[test]
fn a_reply_is_read_while_it_comes_and_can_be_stopped() {
    let barrier = Barrier::of(2);
    let held = std::sync::Arc::clone(&barrier);
    let server = ChatServer::start(move |seen| match seen.number {
        0 => begun("The first words ", Step::Meet(std::sync::Arc::clone(&held))),
        1 => begun("It never ends ", Step::Stall),
        _ => Answer::chat("A short and harmless reply."),
    });
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    begin_debate(&mut pty, |_| {});
    assert!(
        server.requests().is_empty(),
        "nothing is sent before it is asked for"
    );

    pty.press("n");
    pty.wait_for("The first words");
    pty.press("p");
    pty.wait_for("paused: one reply is still on its way");
    assert!(!pty.screen().contains("and the last words"));
    barrier.meet();
    pty.wait_for("The first words and the last words.");
    // Shown while it came; only what is recorded can be followed.
    pty.wait_for_calm();

    pty.press("n");
    pty.wait_for("It never ends");
    pty.press("x");
    server.wait_until("the call is given up", |log| log.hung_up == 1);
    pty.wait_for("1 ·□");
    pty.press("n");
    pty.wait_for("A short and harmless reply.");
    // Gone once the reply in its place is recorded.
    pty.wait_for_no("It never ends");
    pty.quits();
    assert_eq!(server.requests().len(), 3);
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn the_words_of_a_stopped_reply_stand_where_the_turn_would_be() {
    let server = ChatServer::start(|seen| match seen.number {
        0 => begun("It never ends ", Step::Stall),
        _ => Answer::chat("A short and harmless reply."),
    });
    let program = duo_program(&server);
    for (width, height) in [(80, 24), (120, 40)] {
        let mut pty = Pty::of(&program).size(width, height).starts(&[]);
        if height == 24 {
            begin_debate(&mut pty, |_| {});
            pty.press("n");
            pty.wait_for("It never ends");
            pty.press("x");
        } else {
            // The debate that was open is opened again.
            pty.wait_for("▸ debate");
        }
        pty.wait_for("stopped reply, not an attempt");
        pty.wait_for("It never ends");
        pty.wait_for_calm();
        if height == 40 {
            pty.press("n");
            pty.wait_for("A short and harmless reply.");
            pty.wait_for("stopped reply, not an attempt");
            pty.wait_for_no("It never ends");
        }
        pty.quits();
    }
    let session = program.sessions().pop().unwrap();
    let stopped = said(&program, &session, "stopped");
    assert_eq!(stopped.len(), 1);
    assert_eq!(stopped[0]["text"], "It never ends ");
    let shown = program.run_ok(&["show", &session]);
    assert!(shown.contains("It never ends"), "{shown}");
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_turn_is_edited_asked_again_chosen_undone_and_changed_in_a_fork() {
    let server = numbered();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("n");
    pty.wait_for("Reply number 0.");
    pty.wait_for("open here");

    pty.press("e");
    pty.wait_for("edit Speaker 1, round 1 answer ━");
    pty.press("Ctrl-U");
    pty.press("Ctrl-K");
    pty.type_text("Another text.");
    pty.press("Ctrl-D");
    pty.wait_for("attempt 2 of 2");
    pty.wait_for("Another text.");
    pty.press("u");
    pty.wait_for("attempt 1 of 2");
    pty.wait_for("Reply number 0.");

    pty.press("r");
    pty.wait_for("how many times?");
    pty.type_text("3");
    pty.press("Enter");
    pty.wait_for("of 5");
    server.wait_until("three more replies", |log| log.requests.len() == 4);
    pty.wait_for("attempt 5 of 5");
    pty.press("a");
    pty.wait_for("attempts of r1.answer.speaker-0 · Speaker 1 · 5 there");
    // The three were asked at once: which of them is the last is chance.
    pty.wait_for("Reply number");
    pty.press("Left Left Left Enter");
    pty.wait_for("edited · attempt 2 of 5");
    pty.wait_for("Another text.");

    // The other seat is taken over; the next round sees both.
    pty.press("t");
    pty.wait_for("speak for Speaker 2, round 1 answer");
    pty.type_text("I say this myself.");
    pty.press("Ctrl-D");
    pty.wait_for("I say this myself.");
    pty.press("n");
    server.wait_until("round 2", |log| log.requests.len() == 5);
    let sent = server.requests()[4].text();
    assert!(sent.contains("I say this myself."), "{sent}");
    pty.wait_for("2 ·□");

    // What has been seen is changed in a fork.
    pty.press("[ [");
    pty.press("e");
    pty.wait_for("in a fork: others have read it");
    pty.type_text("In the fork: ");
    pty.press("Ctrl-D");
    pty.wait_for("the parent stays as it was");
    pty.wait_for("In the fork: ");
    pty.wait_for(" fork · Why is it salty?");
    let sessions = program.sessions();
    assert_eq!(sessions.len(), 2);
    pty.quits();
    assert_eq!(said(&program, &sessions[0], "edited").len(), 1);
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_person_on_a_seat_is_asked_by_an_editor_that_opens_itself() {
    let server = numbered();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    begin_debate(&mut pty, |pty| {
        pty.press("Home Down Down Down Down");
        pty.wait_for("▶   speaker 1");
        pty.press("Enter");
        pty.wait_for("Model for speaker 1");
        pty.type_text("human");
        pty.press("Enter");
        pty.wait_for("speaker 1        human");
    });
    pty.press("s");
    pty.wait_for("your turn, Speaker 1, round 1 answer");
    pty.type_text("A person's words.");
    pty.press("Enter");
    pty.type_text("And ümläuts.");
    pty.press("Ctrl-D");
    pty.wait_for("1 ··");
    // The other speaker is asked at the same time: nothing is on its way when all is still, and the one
    // who spoke last may be looked at.
    pty.wait_for_calm();
    pty.press("[ [");
    pty.wait_for("And ümläuts.");
    // What the person saw is there; nothing was sent.
    pty.press("i");
    pty.wait_for("· shown to a person");
    pty.wait_for("ada spoke on this seat: nothing was sent to a model");
    assert!(!pty.screen().contains("not named"), "{}", pty.screen());
    pty.press("Esc");
    pty.wait_for("And ümläuts.");
    pty.press("]");
    pty.wait_for("Reply number 0.");
    pty.quits();
    let replies = said(&program, &program.sessions()[0], "replied");
    let own = replies
        .iter()
        .find(|reply| reply["turn"] == "r1.answer.speaker-0");
    assert_eq!(
        own.unwrap()["reply"]["text"],
        "A person's words.\nAnd ümläuts."
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn whoever_labels_here_does_not_sign_what_the_user_says() {
    let server = numbered();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    pty.wait_for("sessions");
    pty.press("4");
    pty.wait_for("labelling as ada");
    pty.press("@");
    pty.wait_for("Who is labelling?");
    pty.type_text("cleo");
    pty.press("Enter");
    pty.wait_for("labelling as cleo");
    pty.press("1");
    begin_debate(&mut pty, |pty| {
        pty.press("Home Down Down Down Down");
        pty.wait_for("▶   speaker 1");
        pty.press("Enter");
        pty.wait_for("Model for speaker 1");
        pty.type_text("human");
        pty.press("Enter");
        pty.wait_for("speaker 1        human");
    });
    pty.press("s");
    pty.wait_for("your turn, Speaker 1, round 1 answer");
    pty.type_text("My own words.");
    pty.press("Ctrl-D");
    pty.wait_for("1 ··");
    pty.wait_for_calm();
    pty.quits();
    let path = format!("sessions/{}.jsonl", program.sessions()[0]);
    let journal = std::fs::read_to_string(program.store().join(path)).unwrap();
    let mut lines = journal.lines();
    let own = lines.find(|line| line.contains("My own words.")).unwrap();
    assert!(own.contains("person:ada"), "{own}");
}

#[test]
fn a_verdict_of_ones_own_stands_in_a_fork() {
    let program = Program::new();
    let args = [
        "run",
        "--protocol",
        "pred",
        "--rounds",
        "1",
        "-q",
        "--topic",
        "Is it salty?",
    ];
    program.run(&args).ended_with(0);
    let mut pty = Pty::of(&program).size(100, 30).starts(&["open", "last"]);
    pty.wait_for("1 ○○▲");
    pty.press("] ] v");
    pty.wait_for("in a fork: a verdict was given");
    pty.press("Enter");
    pty.wait_for("the parent stays as it was");
    pty.wait_for("1 ○○○");
    pty.quits();
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_message_changed_in_the_inspector_is_sent_exactly_as_it_stands() {
    let server = numbered();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("i");
    pty.wait_for("system · message 1 of 2");
    pty.press("]");
    pty.wait_for("▶ user · message 2 of 2");
    pty.press("e");
    pty.wait_for("Ctrl-D");
    pty.press("Ctrl-K");
    pty.type_text("How salty, exactly? ½ 漢字");
    pty.press("Ctrl-D");
    pty.wait_for("How salty, exactly? ½ 漢字");
    pty.press("n");
    pty.wait_for("n sends");
    assert!(server.requests().is_empty());
    pty.press("n");
    pty.wait_for("Reply number 0.");
    let sent = server.requests()[0].body["messages"].clone();
    assert_eq!(sent[0]["content"], "You are Speaker 1.");
    assert_eq!(sent[1]["content"], "How salty, exactly? ½ 漢字");
    pty.press("n");
    server.wait_until("the next turn", |log| log.requests.len() == 2);
    assert_eq!(
        server.requests()[1].body["messages"][1]["content"],
        "Why is it salty?"
    );
}

#[test]
fn a_screen_of_one_pane_follows_whoever_speaks_until_one_looks_elsewhere() {
    // Both are asked at once, in any order; the one that is looked at answers first.
    let server =
        ChatServer::start(
            |seen| match seen.body["messages"].to_string().contains("Speaker 2") {
                true => begun("It never ends ", Step::Stall),
                false => Answer::chat("The first speaker's words."),
            },
        );
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("\\ R");
    pty.wait_for("It never ends");
    // What is chosen by hand stays.
    pty.press("Shift-Tab");
    pty.wait_for("The first speaker's words.");
    pty.press("x");
    server.wait_until("nothing more", |log| log.requests.len() == 2);
    pty.wait_for_calm();
    assert!(pty.screen().contains("The first speaker's words."));
    pty.quits();
}

#[test]
fn inspecting_is_of_the_turn_under_the_cursor_and_what_is_sent_next_has_a_key_of_its_own() {
    let server = numbered();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(100, 30).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("n");
    pty.wait_for("Reply number 0.");
    // The text is on the screen while it streams: the turn is over when nothing moves any more.
    pty.wait_for_calm();
    pty.press("n");
    pty.wait_for("Reply number 1.");
    pty.wait_for_calm();
    // The first speaker is next, and has a turn above.
    pty.press("\\");
    pty.wait_for("◆ Speaker 2");
    pty.press("Shift-Tab");
    pty.wait_for("Reply number 0.");
    pty.press("i");
    pty.wait_for("as it was sent");
    pty.press("Esc");
    pty.wait_for("Reply number 0.");
    pty.press("I");
    pty.wait_for("not sent yet");
    pty.press("Esc");
    pty.wait_for("Reply number 0.");
    pty.quits();
}
