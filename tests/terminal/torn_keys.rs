//! Keys whose sequences a slow link tears apart, in the real program.

use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;

/// The list over a far link, where a bare Esc is held longest.
fn list(program: &Program) -> Pty {
    let pty = Pty::of(program)
        .with("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22")
        .starts(&[]);
    pty.wait_for("Recorded examples, written by people");
    pty.wait_for_calm();
    pty
}

/// The row that the cursor is in.
fn cursor(pty: &Pty) -> Option<u16> {
    pty.ask(|screen| screen.find("▶").map(|(row, _)| row))
}

/// Sends a sequence in two pieces, the second when the first was read.
fn send_torn(pty: &mut Pty, sequence: &[u8], at: usize) {
    pty.send(&sequence[..at]);
    pty.wait_for_keys_read();
    pty.send(&sequence[at..]);
}

#[test]
fn a_key_that_comes_in_two_pieces_is_that_key_wherever_it_is_torn() {
    let program = Program::new();
    let mut pty = list(&program);
    // On this screen Esc does nothing, and `F`, which ends the sequence of End, shows a tree.
    let keys: [(&str, &str, &[&str]); 6] = [
        ("End", "Up", &["\x1b[A", "\x1bOA", "\x1b[1;1A"]),
        ("Home", "Down", &["\x1b[B", "\x1bOB"]),
        ("End", "Home", &["\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"]),
        ("Home", "End", &["\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~"]),
        ("End", "PgUp", &["\x1b[5~"]),
        ("Home", "PgDn", &["\x1b[6~"]),
    ];
    for (from, key, sequences) in keys {
        pty.press(from);
        pty.wait_for_calm();
        let start = cursor(&pty);
        pty.press(key);
        pty.wait_for_calm();
        let end = cursor(&pty);
        assert_ne!(start, end, "{from} {key}\n{}", pty.screen());
        for sequence in sequences {
            for at in 1..sequence.len() {
                pty.press(from);
                pty.wait_until(from, |screen| screen.find("▶").map(|(row, _)| row) == start);
                send_torn(&mut pty, sequence.as_bytes(), at);
                pty.wait_until(key, |screen| screen.find("▶").map(|(row, _)| row) == end);
                let screen = pty.screen();
                assert!(
                    !screen.contains("no action on"),
                    "{sequence:?} {at}\n{screen}"
                );
                assert!(
                    !screen.contains("tree of forks"),
                    "{sequence:?} {at}\n{screen}"
                );
            }
        }
    }
    pty.quits();
}

#[test]
fn a_key_that_means_nothing_here_is_named_whole_wherever_it_is_torn() {
    let program = Program::new();
    let mut pty = list(&program);
    for (sequence, named) in [
        ("\x1b[1;5C", "Ctrl-Right"),
        ("\x1b[1;5D", "Ctrl-Left"),
        ("\x1bOP", "F1"),
        ("\x1b[24~", "F12"),
        ("\x1b[3;5~", "Ctrl-Del"),
    ] {
        for at in 1..sequence.len() {
            // A key that means something takes back what was said.
            pty.press("Home");
            pty.wait_for_no("no action on");
            send_torn(&mut pty, sequence.as_bytes(), at);
            pty.wait_for(&format!("no action on {named}"));
        }
    }
    pty.quits();
}

#[test]
fn a_paste_whose_brackets_are_torn_is_text_wherever_they_are_torn() {
    let program = Program::new();
    let mut pty = list(&program);
    let sequence = "\x1b[200~nqFd\x1b[201~";
    for at in 1..sequence.len() {
        pty.press("Home");
        pty.wait_for_no("pasted text");
        send_torn(&mut pty, sequence.as_bytes(), at);
        pty.wait_for("to debate a pasted text");
    }
    pty.quits();
    assert!(program.sessions().is_empty());
}

#[test]
fn a_bare_escape_is_escape_once_nothing_follows() {
    let program = Program::new();
    let mut pty = list(&program);
    pty.press("/");
    pty.type_text("pred");
    pty.press("Enter");
    pty.wait_for("Esc clears the filter");
    pty.send(b"\x1b");
    pty.wait_for_no("Esc clears the filter");
    pty.quits();
}
