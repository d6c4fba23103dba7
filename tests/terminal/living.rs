//! Keys in, frames out, and nothing while nothing happens.

use super::child::CHILD;
use crate::support::Pty;
use crate::support::program::Desk;

#[test]
fn keys_are_shown_as_they_come() {
    let desk = Desk::new();
    let mut pty = Pty::of(&desk).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.press("j G Ctrl-D Up Alt-x Shift-Tab PgDn Space Enter Esc");
    pty.type_text("ñ漢");
    pty.wait_for("inputs: j G Ctrl-D Up Alt-x Shift-Tab PgDn Space Enter Esc ñ 漢 .");
    assert!(pty.look_of("size").bold);
    assert_eq!(pty.look_of("signals").fg, vt100::Color::Idx(1));
    pty.press("q");
    assert_eq!(pty.wait_for_exit().code, 0);
}
