//! One place on the debate screen: what keys act on is what frame, cursor, line and column of verdicts mark.

use elenchus_test_support::duo::{begin_debate, duo_program};
use elenchus_test_support::program::Program;
use elenchus_test_support::{Answer, ChatServer, Pty};

fn numbered() -> ChatServer {
    ChatServer::start(|seen| Answer::chat(&format!("Reply number {}.", seen.number)))
}

/// Waits until a pane has both the frame and the cursor, and no other pane has either.
#[track_caller]
fn stands_at(pty: &Pty, pane: &str, heading: &str) {
    let framed = format!("◆ {pane} ");
    let marked = format!("┃▶{heading}");
    pty.wait_until(&format!("{framed}{marked}"), |screen| {
        let text = screen.text();
        let place = |text: &str| screen.find(text);
        let (Some(frame), Some(mark)) = (place(&framed), place(&marked)) else {
            return false;
        };
        // The title stands behind the corner of the frame that the mark is in.
        let title_in_frame = frame.1 - mark.1 <= 4;
        title_in_frame && text.matches('▶').count() == 1 && !text.contains("│▶")
    });
}

#[test]
fn frame_and_cursor_move_together() {
    let server = numbered();
    let program = duo_program(&server);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    begin_debate(&mut pty, |_| {});
    pty.press("n");
    pty.wait_for("Reply number 0.");
    pty.wait_for_calm();
    stands_at(&pty, "Speaker 1", "round 1 · answer");
    pty.press("n");
    pty.wait_for("Reply number 1.");
    pty.wait_for_calm();
    stands_at(&pty, "Speaker 2", "round 1 · answer");
    // Keys act on what is marked.
    pty.press("e");
    pty.wait_for("edit Speaker 2, round 1 answer");
    pty.press("Esc");
    pty.wait_for_no("edit Speaker 2");
    pty.press("Shift-Tab");
    stands_at(&pty, "Speaker 1", "round 1 · answer");
    pty.press("e");
    pty.wait_for("edit Speaker 1, round 1 answer");
    pty.press("Esc");
    pty.wait_for_no("edit Speaker 1");
    // A turn is looked at that was asked for from another pane, and from further up.
    pty.press("n");
    pty.wait_for("Reply number 2.");
    pty.wait_for_calm();
    stands_at(&pty, "Speaker 1", "round 2 · answer");
    pty.press("[ [");
    stands_at(&pty, "Speaker 1", "round 1 · answer");
    pty.press("n");
    pty.wait_for("complete");
    pty.wait_for_calm();
    stands_at(&pty, "Speaker 2", "round 2 · answer");
    pty.quits();
}

#[test]
fn a_turn_that_was_not_spoken_is_marked_where_nothing_else_stands_in_a_pane() {
    let program = Program::new();
    let args = [
        "run",
        "--protocol",
        "dared",
        "-q",
        "--topic",
        "Is it salty?",
    ];
    program.run(&args).ended_with(0);
    let mut pty = Pty::of(&program).size(120, 40).starts(&["open", "last"]);
    pty.wait_for("complete");
    // After the first answer nobody else has spoken, and the Devil has not.
    pty.press("f");
    pty.wait_for("the parent stays as it was");
    stands_at(&pty, "Debater", "round 1 · answer");
    pty.press("Tab");
    stands_at(&pty, "Angel", "round 1 · personas · next");
    pty.press("e");
    pty.wait_for("Angel has not spoken in round 1 yet: n plays the turn, t speaks for the seat");
    pty.press("n");
    pty.wait_for("1 ○·□");
    pty.wait_for_calm();
    // Its heading is above what is in sight.
    stands_at(&pty, "Angel", "  ");
    pty.press("Tab t");
    pty.wait_for("speak for Devil, round 1 personas");
    pty.press("Esc");
    pty.wait_for_no("speak for Devil");
    stands_at(&pty, "Devil", "round 1 · personas · next");
    // A fork after a turn that is to come is a fork at the end.
    pty.press("f");
    pty.wait_for_calm();
    assert_eq!(program.sessions().len(), 3);
    pty.quits();
    program.run(&["verify"]).ended_with(0);
}
