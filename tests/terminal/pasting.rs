//! Pasted texts, through a real terminal.

use super::child::CHILD;
use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;

#[test]
fn a_paste_comes_whole_and_fires_no_key() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.paste("q\np\nq\n");
    pty.wait_for(r"inputs: <6+0:q\np\nq\n> .");
    pty.press("j");
    pty.wait_for("> j .");
}

#[test]
fn a_megabyte_is_pasted_whole() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    let line = "All work and no play, q q q\n";
    pty.paste(&line.repeat(1_048_576 / line.len()));
    pty.press("j");
    let bytes = 1_048_576 / line.len() * line.len();
    pty.wait_for(&format!("inputs: <{bytes}+0:All work > j ."));
}

#[test]
fn a_paste_that_lost_its_end_is_told_by_itself_and_keys_are_keys_again() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.send(b"\x1b[200~half");
    pty.wait_for("inputs: <4+0:half> .");
    pty.press("Ctrl-C j");
    pty.wait_for("Ctrl-C j .");
}

#[test]
fn what_a_paste_has_too_much_is_counted() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    let limit = elenchus_terminal::decode::PASTE_LIMIT_BYTES;
    pty.paste(&"x".repeat(limit + 123));
    pty.wait_for(&format!("inputs: <{limit}+123:xxxxxxxxx> ."));
}
