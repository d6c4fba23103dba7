//! Bytes for a screen that is painted the first time, and for one step of a cursor.

use super::harness::simulated;
use elenchus_test_support::Pty;

/// A screen of 120×40 may cost so much.
const MOST_AT_FIRST: usize = 20_000;
/// One row further in a list: two rows and the foot.
const MOST_A_ROW: usize = 800;
/// One turn further: each pane may show another part.
const MOST_A_TURN: usize = 8_000;

#[test]
fn the_list_is_painted_in_few_bytes_and_its_cursor_moves_in_fewer() {
    let program = simulated(40, 1);
    let mut pty = Pty::of(&program).size(120, 40).starts(&[]);
    pty.wait_for("village");
    pty.wait_for_calm();
    let painted = pty.written();
    println!("list, first paint: {} bytes", painted.bytes);
    assert!(painted.bytes <= MOST_AT_FIRST, "{}", painted.bytes);
    for key in ["j", "j", "k"] {
        let (mark, before) = (pty.mark(), pty.screen());
        pty.press(key);
        pty.wait_for_calm();
        assert_ne!(pty.screen(), before);
        let moved = pty.since(mark);
        println!("{key}: {} bytes", moved.bytes);
        assert_eq!(moved.frames, 1);
        assert!(moved.bytes <= MOST_A_ROW, "{}", moved.bytes);
    }
}

#[test]
fn a_debate_is_painted_in_few_bytes_and_its_cursor_moves_in_fewer() {
    let program = simulated(1, 12);
    let mut pty = Pty::of(&program)
        .size(120, 40)
        .starts(&["open", &program.sessions()[0]]);
    pty.wait_for("round 1 ");
    pty.wait_for_calm();
    let painted = pty.written();
    println!("debate, first paint: {} bytes", painted.bytes);
    assert!(painted.bytes <= MOST_AT_FIRST, "{}", painted.bytes);
    for key in ["]", "]", "]", "["] {
        let (mark, before) = (pty.mark(), pty.screen());
        pty.press(key);
        pty.wait_for_calm();
        assert_ne!(pty.screen(), before);
        let moved = pty.since(mark);
        println!("{key}: {} bytes", moved.bytes);
        assert_eq!(moved.frames, 1);
        assert!(moved.bytes <= MOST_A_TURN, "{}", moved.bytes);
    }
}
