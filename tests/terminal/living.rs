//! The event loop: keys in, frames out, nothing while idle.

use super::child::{CHILD, LENT};
use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use rustix::process::Signal;

#[test]
fn keys_are_shown_as_they_come() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.press("j G Ctrl-D Up Alt-x Shift-Tab PgDn Space Enter Esc");
    pty.type_text("ñ漢");
    pty.wait_for("inputs: j G Ctrl-D Up Alt-x Shift-Tab PgDn Space Enter Esc ñ 漢 .");
    assert!(pty.look_of("size").bold);
    assert_eq!(pty.look_of("signals").fg, vt100::Color::Idx(1));
    pty.quits();
}

#[test]
fn colours_that_were_asked_for_are_sent_under_no_color() {
    let program = Program::new();
    let mut pty = Pty::of(&program).with("NO_COLOR", "1").starts_child(CHILD);
    pty.wait_for("size 80x24");
    assert!(pty.look_of("size").bold);
    assert_eq!(pty.look_of("signals").fg, vt100::Color::Idx(1));
    pty.quits();
}

#[test]
fn a_bare_esc_is_told_when_nothing_follows_it() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.send(b"\x1b");
    pty.wait_for("inputs: Esc .");
    // The window for a torn tail is over when a bracket is a key again.
    pty.press("j [");
    pty.wait_for("inputs: Esc j [ .");
}

#[test]
fn an_answer_of_the_terminal_is_no_key() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.send(b"a\x1b]11;rgb:1e1e/1e1e/1e1e\x07b\x1b[?62;22cc\x1bP>|XTerm(390)\x1b\\d");
    pty.wait_for("inputs: a b c d .");
}

#[test]
fn the_terminal_is_asked_nothing() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    let start = pty.mark();
    pty.wait_for("size 80x24");
    pty.press("q");
    pty.wait_for_exit();
    let output = pty.since(start).output;
    for question in [
        b"\x1b[c".as_slice(),
        b"\x1b[>c",
        b"\x1b[6n",
        b"\x1b]11;?",
        b"\x1b[?u",
        b"$p",
        b"\x1bP",
    ] {
        let asked = output.windows(question.len()).any(|at| at == question);
        assert!(!asked, "{}", question.escape_ascii());
    }
}

#[test]
fn many_resizes_at_once_end_with_the_last_size() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    for step in 0..50 {
        pty.resize(60 + step, 15 + step % 20);
    }
    pty.resize(100, 30);
    pty.wait_for("size 100x30");
    pty.wait_for_calm();
    pty.press("j");
    pty.wait_for(" j .");
    assert!(pty.ask(|screen| screen.row(1).starts_with("inputs: ")));
}

#[test]
fn a_screen_that_stays_as_it_is_costs_no_byte() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    for _ in 0..12 {
        pty.press("j");
    }
    pty.wait_for("inputs: j j j j j j j j j j j j .");
    pty.wait_for_calm();
    let mark = pty.mark();
    // Twelve are shown: one more changes nothing, and the child draws after each.
    pty.press("j j j");
    pty.wait_for_calm();
    assert_eq!(pty.since(mark).bytes, 0);
    pty.press("w");
    pty.wait_for("frames of");
    let said = pty.ask(|screen| screen.row(3));
    let number = |at| said.split(' ').nth(at).unwrap().parse::<u32>().unwrap();
    assert!(number(4) >= number(1) + 3, "{said}");
}

#[test]
fn nothing_wakes_up_while_nothing_happens() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.send(b"\x1b");
    pty.wait_for("inputs: Esc .");
    // The window after the Esc is over when the bracket is a key.
    pty.send(b"[");
    pty.wait_for("inputs: Esc [ .");
    pty.wait_for_calm();
    let (before, mark) = (pty.wake_ups(), pty.mark());
    let a_while = Pty::of(&program).runs("/bin/sh", &["-c", "sleep 1; echo over; read _"]);
    a_while.wait_for("over");
    assert_eq!(pty.wake_ups(), before);
    assert_eq!(pty.since(mark).bytes, 0);
}

#[test]
fn a_copied_text_goes_to_the_clipboard_of_the_terminal() {
    let program = Program::new();
    let mut pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.press("c");
    pty.wait_for("said: Terminal .");
    pty.wait_for_calm();
    assert_eq!(pty.clipboard(), ["YSB0ZXh0LCBuYcOvdmU="]);
    pty.press("C");
    pty.wait_for("said: TooLong .");
    assert_eq!(pty.clipboard().len(), 1);
}

#[test]
fn a_program_has_the_whole_terminal_while_it_is_lent() {
    let program = Program::new();
    let mut pty = Pty::of(&program)
        .with(
            LENT,
            "echo READY; read line; echo \"GOT $line\"; read line; exit 3",
        )
        .starts_child(CHILD);
    pty.wait_for("size 80x24");
    assert!(!pty.modes().canonical);
    pty.press("l");
    pty.wait_for("READY");
    assert!(pty.modes().canonical && pty.modes().echo && pty.modes().signals);
    assert!(!pty.ask(|screen| screen.is_alternate() || screen.brackets_pastes()));
    pty.type_text("jqp\n");
    pty.wait_for("GOT jqp");
    pty.send(b"\n");
    pty.wait_for("said: came back with Some(3) .");
    assert!(!pty.modes().canonical);
    // None of the other program's keys came to us.
    pty.press("k");
    pty.wait_for("inputs: l k .");
    assert!(pty.ask(|screen| screen.is_alternate() && screen.brackets_pastes()));
}

#[test]
fn a_program_that_had_the_terminal_leaves_its_keys_to_us() {
    let program = Program::new();
    let mut pty = Pty::of(&program)
        .with(LENT, "printf '\\033=\\033[?1h'; echo READY; read line")
        .starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.press("l");
    pty.wait_for("READY");
    assert!(pty.ask(|screen| screen.has_own_keys()));
    pty.send(b"\n");
    pty.wait_for("said: came back with Some(0) .");
    assert!(!pty.ask(|screen| screen.has_own_keys()));
}

#[test]
fn an_interrupt_for_a_program_that_has_the_terminal_is_not_ours() {
    let program = Program::new();
    let mut pty = Pty::of(&program)
        .with(
            LENT,
            "trap 'echo CAUGHT' INT; echo READY; read line; read line; exit 5",
        )
        .starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.press("l");
    pty.wait_for("READY");
    pty.send(b"\x03");
    pty.wait_for("CAUGHT");
    pty.send(b"\n\n");
    pty.wait_for("came back with");
    pty.wait_for_calm();
    assert!(
        pty.ask(|screen| screen.contains("signals:  .")),
        "{}",
        pty.screen()
    );
}

#[test]
fn an_interrupt_from_outside_is_told() {
    let program = Program::new();
    let pty = Pty::of(&program).starts_child(CHILD);
    pty.wait_for("size 80x24");
    pty.signal(Signal::INT);
    pty.wait_for("signals: INT .");
}
