//! The mouse, which is off unless a person asks for it.

use super::child::{CHILD, MOUSE};
use crate::support::Pty;
use crate::support::program::Program;

const WHEEL_DOWN: &[u8] = b"\x1b[<65;10;5M";
const WHEEL_UP: &[u8] = b"\x1b[<64;10;5M";

fn holds(output: &[u8], sequence: &[u8]) -> bool {
    output.windows(sequence.len()).any(|at| at == sequence)
}

#[test]
fn the_mouse_is_asked_for_when_it_is_wanted_and_its_motions_never() {
    let program = Program::new();
    let mut pty = Pty::of(&program).with(MOUSE, "1").starts_child(CHILD);
    pty.wait_for("size 80x24");
    assert!(pty.ask(|screen| screen.has_mouse()));
    for motions in [b"\x1b[?1002h", b"\x1b[?1003h"] {
        assert!(!holds(&pty.output(), motions), "{}", motions.escape_ascii());
    }
    pty.send(b"\x1b[<0;10;5M");
    pty.wait_for("Down(Left)");
    pty.quits();
    assert!(!pty.ask(|screen| screen.has_mouse()));

    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    assert!(!pty.ask(|screen| screen.has_mouse()));
    pty.quits();
}

#[test]
fn the_wheel_moves_as_the_arrow_keys_do_wherever_its_sequence_is_torn() {
    let program = Program::configured("[workbench]\nmouse = true\n");
    let mut pty = Pty::of(&program).starts(&[]);
    pty.wait_for("Recorded examples, written by people");
    pty.wait_for_calm();
    let cursor = |pty: &Pty| pty.ask(|screen| screen.find("▶").map(|(row, _)| row));
    let first = cursor(&pty);
    pty.press("j j j");
    pty.wait_for_calm();
    let third = cursor(&pty);
    assert_ne!(first, third);
    for at in 1..WHEEL_UP.len() {
        for (sequence, end) in [(WHEEL_UP, first), (WHEEL_DOWN, third)] {
            pty.send(&sequence[..at]);
            pty.wait_for_keys_read();
            pty.send(&sequence[at..]);
            pty.wait_until("the row", |screen| {
                screen.find("▶").map(|(row, _)| row) == end
            });
            assert!(!pty.screen().contains("no action on"), "{}", pty.screen());
        }
    }
    // A list that covers the screen has the wheel.
    pty.press(":");
    pty.wait_for("Enter picks");
    let before = pty.screen();
    pty.send(WHEEL_DOWN);
    pty.wait_until("another row", |screen| screen.text() != before);
    pty.press("Esc");
    pty.wait_for_no("Enter picks");
    assert_eq!(cursor(&pty), third);
    pty.quits();
}
