//! Transcript: a debate in the order of speaking, with failures where the turns would be.

use elenchus_test_support::answer::{Step, event};
use elenchus_test_support::duo::{begin_debate, duo_program, duo_with_retries};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, Barrier, ChatServer, Pty};
use serde_json::json;
use std::sync::Arc;

/// A debate of simulated models that is over.
fn played(topic: &str) -> Program {
    let program = Program::new();
    let args = [
        "run",
        "--protocol",
        "pred",
        "--rounds",
        "2",
        "-q",
        "--topic",
    ];
    program.run(&[&args[..], &[topic]].concat()).ended_with(0);
    program
}

/// Returns where texts begin on the screen, which must be one below the other.
fn lines_of(screen: &str, texts: &[&str]) -> Vec<usize> {
    let line = |text: &&str| {
        let at = screen.lines().position(|line| line.contains(*text));
        at.unwrap_or_else(|| panic!("no '{text}' in\n{screen}"))
    };
    texts.iter().map(line).collect()
}

#[test]
fn a_finished_debate_opens_at_its_beginning_in_the_order_of_speaking() {
    let program = played("Is it salty?");
    let mut pty = Pty::of(&program).size(80, 40).starts(&["open", "last"]);
    pty.wait_for("complete");
    pty.wait_for("▶Debater 1 · round 1 · answer");
    let screen = pty.screen();
    let order = lines_of(
        &screen,
        &[
            " Topic",
            "   Is it salty?",
            "Debater 1 · round 1",
            "Debater 2 · round 1",
        ],
    );
    assert!(order.is_sorted(), "{order:?}\n{screen}");
    // Who said what about a turn stands below it.
    let verdict = lines_of(&screen, &["Evaluator: "])[0];
    assert!(order[2] < verdict && verdict < order[3], "{screen}");

    pty.press("] ] ]");
    pty.wait_for("▶Debater 1 · round 2 · answer");
    pty.press("\\");
    pty.wait_for("◆ Debater 1");
    pty.wait_for("▶round 2 · answer");
    pty.quits();
    // The view and the place are remembered.
    let mut pty = Pty::of(&program).size(80, 40).starts(&[]);
    pty.wait_for("▶round 2 · answer");
    pty.press("\\");
    pty.wait_for("▶Debater 1 · round 2 · answer");
    pty.quits();
}

#[test]
fn a_speaker_is_named_with_its_model_where_speakers_have_different_ones() {
    let program =
        Program::new().owning("[sims.rude]\nunsafe_rate = 0.9\n[sims.mild]\nunsafe_rate = 0.1\n");
    let play = |models: &str| {
        let args = [
            "run",
            "--protocol",
            "pred",
            "--topic",
            "Is it salty?",
            "--rounds",
            "1",
            "-q",
        ];
        let cast = ["--debaters", models, "--model", "mild"];
        program.run(&[&args[..], &cast].concat()).ended_with(0);
    };
    play("rude,mild,mild");
    for view in ["a transcript", "panes"] {
        let mut pty = Pty::of(&program).size(120, 40).starts(&["open", "last"]);
        pty.wait_for("complete");
        if view == "panes" {
            pty.press("\\");
        }
        pty.wait_for("Debater 1 (rude)");
        pty.wait_for("Debater 2 (mild)");
        pty.quits();
    }
    play("mild");
    let mut pty = Pty::of(&program).size(120, 40).starts(&["open", "last"]);
    pty.wait_for("Debater 1");
    pty.wait_for_calm();
    assert!(!pty.screen().contains("(mild)"), "{}", pty.screen());
    pty.quits();
}

#[test]
fn a_session_that_is_gone_is_no_place_to_come_back_to() {
    let program = played("Is it salty?");
    let session = program.sessions().remove(0);
    let mut pty = Pty::of(&program).starts(&["open", &session]);
    pty.wait_for("complete");
    pty.quits();
    let path = program.store().join(format!("sessions/{session}.jsonl"));
    std::fs::remove_file(&path).unwrap();
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("No sessions yet.");
    pty.quits();
    // Where it is asked for it is said, and nothing can be done to it.
    std::fs::write(&path, "{ no journal\n").unwrap();
    let mut pty = Pty::of(&program).starts(&["open", &session]);
    pty.wait_for("line 1");
    pty.press("#");
    pty.wait_for_calm();
    assert!(!pty.screen().contains("note on"), "{}", pty.screen());
    pty.press("Esc");
    pty.wait_for("sessions  2 prompts");
    pty.quits();
}

#[test]
fn a_failure_stands_where_the_turn_would_be_with_its_whole_text_and_the_key_that_asks_again() {
    let why = "the upstream of the upstream is taking a rest and will not say for how long";
    let server = ChatServer::start(move |seen| match seen.number {
        0 => Answer::chat("The first reply."),
        1 => Answer::error(500, "resting", why),
        _ => Answer::chat("The second reply."),
    });
    let program = duo_program(&server);
    for (width, height) in [(80, 24), (120, 40)] {
        let mut pty = Pty::of(&program).size(width, height).starts(&[]);
        if height == 24 {
            begin_debate(&mut pty, |_| {});
            pty.press("n");
            pty.wait_for("The first reply.");
            pty.wait_for_calm();
            pty.press("n");
            pty.wait_for("Speaker 2 · round 1 · answer · failed");
        } else {
            pty.wait_for("round 1 · answer · failed");
        }
        pty.wait_for("X asks");
        // Wrapped, not cut.
        pty.wait_for("for how long");
        // The line of all turns.
        pty.wait_for("1 ·X");
        if height == 40 {
            pty.press("X");
            pty.wait_for("The second reply.");
            pty.wait_for("1 ··");
            pty.wait_for_no("failed");
        }
        pty.quits();
    }
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn a_call_under_way_shows_its_seconds_and_tokens_and_two_replies_come_one_below_the_other() {
    let server = ChatServer::start(|seen| {
        let said = match seen.body["messages"].to_string().contains("Speaker 1") {
            true => Some(event(
                &json!({ "content": "Some words of the first speaker." }),
            )),
            false => None,
        };
        Answer::sse_open(said).then(Step::Stall)
    });
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("s");
    pty.wait_for("Some words of the first speaker.");
    // About 32 letters; the other server has said nothing.
    pty.wait_for("s · ~8 tokens");
    pty.wait_for("s · nothing yet");
    let screen = pty.screen();
    let order = lines_of(
        &screen,
        &["Speaker 1 · round 1", "Some words", "Speaker 2 · round 1"],
    );
    assert!(order.is_sorted(), "{screen}");
    pty.signal(rustix::process::Signal::KILL);
    pty.wait_for_exit();
}

#[test]
fn which_try_a_call_is_at_stands_before_a_reason_that_is_cut_off() {
    let body = json!({ "error": { "message": "words without end ".repeat(20) } });
    let server = ChatServer::start(move |_| {
        let wait = [("retry-after", "30")];
        Answer::with_headers(503, &wait, body.to_string().as_bytes())
    });
    let program = duo_with_retries(&server, 3);
    let mut pty = Pty::of(&program).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("n");
    pty.wait_until("the second try", |screen| {
        let text = screen.text();
        let mut lines = text.lines();
        lines.any(|line| line.contains("trying again") && line.contains("try 2"))
    });
    pty.signal(rustix::process::Signal::KILL);
    pty.wait_for_exit();
}

#[test]
fn a_ruling_that_failed_is_said_in_the_transcript_and_in_the_record() {
    let server = ChatServer::start(|seen| match seen.body["model"].as_str().unwrap() {
        "judge" => Answer::error(500, "resting", "the judge is taking a rest"),
        _ => Answer::chat("The answer is 4."),
    });
    let program = Program::configured(&format!(
        "[providers.here]\nbase_url = \"{}\"\nretries = 0\n\
         [models.ada]\nprovider = \"here\"\nname = \"ada\"\n\
         [models.judge]\nprovider = \"here\"\nname = \"judge\"\n",
        server.base_url()
    ));
    let game = [
        "run",
        "--protocol",
        "consultancy",
        "--topic",
        "What is 2 + 2?",
        "-q",
    ];
    let cast = ["--model", "ada", "--seat", "judge=judge"];
    program.run(&[&game[..], &cast].concat()).ended_with(3);
    for (width, height) in [(80, 24), (120, 40)] {
        let mut pty = Pty::of(&program)
            .size(width, height)
            .starts(&["open", "last"]);
        pty.wait_for("The answer is 4.");
        pty.press("G");
        pty.wait_for("500 (the judge");
        pty.wait_for("X asks");
        pty.quits();
    }
}

#[test]
fn what_somebody_reads_stays_in_sight_when_a_reply_ends() {
    let barrier = Barrier::of(2);
    let held = Arc::clone(&barrier);
    let long = "many words and more of them, ".repeat(60);
    let server = ChatServer::start(move |seen| match seen.number {
        0 => Answer::chat(&long),
        _ => Answer::chat(&long).behind(&held),
    });
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("n");
    pty.wait_for("1 ·□");
    // The file is open here before the first key already; a round can be stepped from now on.
    pty.wait_for("o step round");
    pty.press("n");
    pty.wait_for("speaking");
    pty.press("g g");
    pty.wait_for(" Topic");
    barrier.meet();
    pty.wait_for("1 ··");
    pty.wait_for_calm();
    assert!(pty.screen().contains(" Topic"), "{}", pty.screen());
    pty.quits();
}
