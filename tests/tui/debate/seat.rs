//! A person in a seat: what the seat is shown stands above what is written for it, and nothing else does.

use elenchus_test_support::duo::{begin_debate, duo_program};
use elenchus_test_support::program::DUO;
use elenchus_test_support::{Answer, ChatServer, Pty};

/// A reply of more lines than there is room for above an editor.
fn long_reply(number: usize) -> String {
    let lines = (1..=30).map(|line| format!("Line {line} of reply {number}."));
    lines.collect::<Vec<_>>().join("\n")
}

/// Speakers think in private before each answer.
fn with_private_stage() -> String {
    let stage = "[[stages]]\nid = \"answer\"";
    let sees = "sees = { topic = true, ";
    let think = format!(
        "[[stages]]\nid = \"think\"\nseats = [\"speaker\"]\nprivate = true\nmax_tokens = 100\n\
         {sees}turns = [{{ seats = [\"speaker\"] }}] }}\n\n"
    );
    assert!(DUO.contains(stage) && DUO.contains(sees));
    let game = DUO.replace("default = 1", "default = 2");
    // Who thinks in private answers after that.
    let game = game.replace(sees, &format!("{sees}own_private = \"all\", "));
    game.replace(stage, &format!("{think}{stage}"))
}

fn seat_a_person(pty: &mut Pty) {
    pty.press("Home Down Down Down Down");
    pty.wait_for("▶   speaker 1");
    pty.press("Enter");
    pty.wait_for("Model for speaker 1");
    pty.type_text("human");
    pty.press("Enter");
    pty.wait_for("speaker 1        human");
}

#[test]
fn what_was_said_since_ones_last_turn_is_read_and_scrolled_while_one_writes() {
    let server = ChatServer::start(|seen| match seen.number {
        0 => Answer::chat("A thought that nobody else may read."),
        number => Answer::chat(&long_reply(number)),
    });
    let program = duo_program(&server);
    program.write(".elenchus/prompts/duo/protocol.toml", &with_private_stage());
    let mut pty = Pty::of(&program).starts(&[]);
    begin_debate(&mut pty, seat_a_person);
    pty.press("R");
    pty.wait_for("your turn, Speaker 1, round 1 think");
    // Before anything was said it is the topic that is answered.
    pty.wait_for("what your seat is shown");
    pty.wait_for("Why is it salty?");
    pty.type_text("I begin with the sea.");
    pty.press("Ctrl-D");
    pty.wait_for("your turn, Speaker 1, round 1 answer");
    pty.type_text("The sea is salty.");
    pty.press("Ctrl-D");
    pty.wait_for("your turn, Speaker 1, round 2 think");
    pty.wait_for("what your seat is shown: 1 turn since your last");
    pty.wait_for("Speaker 2 · round 1 · answer");
    pty.wait_for("Line 1 of reply 1.");
    pty.type_text("Half of");
    pty.press("PgDn PgDn PgDn");
    pty.wait_for("Line 14 of reply 1.");
    pty.type_text(" a sentence");
    pty.wait_for("Half of a sentence");
    // What came before is further up, and neither the other's thought nor what was found about a turn is anywhere.
    for _ in 0..12 {
        pty.press("PgUp");
        pty.wait_for_calm();
        let screen = pty.screen();
        assert!(!screen.contains("A thought that"), "{screen}");
        assert!(!screen.contains("truth"), "{screen}");
    }
    pty.wait_for("Topic");
    pty.wait_for("Half of a sentence");
    pty.press("M");
    pty.wait_for("Half of a sentenceM");
    pty.press("Esc");
    pty.wait_for_no("what your seat is shown");
    pty.quits();
    program.run(&["verify"]).ended_with(0);
}

#[test]
fn who_speaks_for_a_seat_reads_what_its_model_would_be_shown() {
    let server = ChatServer::start(|seen| Answer::chat(&format!("Reply number {}.", seen.number)));
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("s");
    pty.wait_for("1 ··");
    pty.wait_for_calm();
    pty.press("t");
    pty.wait_for("speak for Speaker");
    pty.wait_for("what your seat is shown: 1 turn since your last");
    pty.wait_for("you · round 1 · answer");
    // A note is about what stands in the panes.
    pty.press("Esc");
    pty.wait_for_no("what your seat is shown");
    pty.press("#");
    pty.wait_for("note on ");
    pty.wait_for_calm();
    assert!(!pty.screen().contains("what your seat is shown"));
    pty.press("Esc");
    pty.quits();
}
