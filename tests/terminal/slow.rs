//! A slow terminal, and a terminal inside another.

use super::child::{CHILD, HEAVY};
use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;
use std::process::Command;

#[test]
fn a_terminal_that_takes_nothing_drops_frames_and_no_keys() {
    let program = Program::new();
    let mut pty = Pty::of(&program)
        .size(200, 60)
        .with(HEAVY, "1")
        .starts_child(CHILD);
    pty.wait_for("size 200x60");
    pty.wait_for_calm();
    pty.hold();
    let mark = pty.mark();
    for _ in 0..50 {
        pty.press("j");
        pty.wait_for_keys_read();
    }
    pty.press("k");
    pty.wait_for_keys_read();
    pty.release();
    pty.wait_for("j k .");
    pty.wait_for_calm();
    let frames = pty.since(mark).frames;
    assert!((2..20).contains(&frames), "{frames} frames");
}

#[test]
fn every_frame_is_whole_when_it_comes_in_pieces() {
    let program = Program::new();
    let mut pty = Pty::of(&program)
        .size(200, 60)
        .with(HEAVY, "1")
        .starts_child(CHILD);
    pty.wait_for("size 200x60");
    for _ in 0..10 {
        pty.hold();
        pty.press("j j j");
        pty.wait_for_keys_read();
        pty.release();
    }
    pty.press("k");
    pty.wait_for("j k .");
    pty.wait_for_calm();
    let output = pty.output();
    let count = |of: &[u8]| output.windows(of.len()).filter(|at| *at == of).count();
    assert_eq!(count(b"\x1b[?2026h"), count(b"\x1b[?2026l"));
    // The letters run on through every row but the ones that are written over.
    let rows = pty.ask(|screen| screen.rows());
    for (above, row) in rows[4..].iter().zip(&rows[5..]) {
        let next = |c: char| char::from((c as u8 - b'a' + 1) % 26 + b'a');
        let (last, first) = (above.chars().last().unwrap(), row.chars().next().unwrap());
        assert!(first == next(last) || first == 'a', "{above}\n{row}");
    }
}

#[test]
fn in_tmux_a_copied_text_is_in_its_buffer() {
    if Command::new("tmux").arg("-V").output().is_err() {
        eprintln!("no tmux here: nothing was tested");
        return;
    }
    let program = Program::new();
    let this = std::env::current_exe().unwrap();
    let command = format!("{} {CHILD} --exact --ignored --nocapture", this.display());
    let folder = program.work().into_os_string().into_string().unwrap();
    let mut pty = Pty::of(&program).with("TMUX_TMPDIR", &folder).runs(
        "tmux",
        &["-f", "/dev/null", "-L", "inner", "new-session", &command],
    );
    pty.wait_for("size 80x23");
    pty.press("c");
    pty.wait_for("said: Tmux .");
    let tmux = |args: &[&str]| {
        let mut command = Command::new("tmux");
        command.env("TMUX_TMPDIR", &folder).args(["-L", "inner"]);
        command.args(args).output().unwrap()
    };
    assert_eq!(tmux(&["show-buffer"]).stdout, "a text, naïve".as_bytes());
    pty.press("Ctrl-C Up");
    pty.type_text("漢");
    pty.wait_for("inputs: c Ctrl-C Up 漢 .");
    pty.press("q");
    pty.wait_for_exit();
}
