//! Bytes and frames of a key in the editor.

use super::opened;
use elenchus_test_support::socratic::played;

/// Keys that are typed one by one.
const KEYS: usize = 30;
/// Keys that come at once.
const BURST: usize = 400;

#[test]
fn a_key_in_the_editor_writes_little_and_draws_twice_at_most() {
    let (program, _server, _) = played();
    for (width, height) in [(80, 24), (120, 40)] {
        let mut pty = opened(&program, width, height);
        pty.press("e Down Down Down Down Down");
        pty.wait_for("writing");
        pty.wait_for_calm();
        let mark = pty.mark();
        let mut typed = String::new();
        for at in 0..KEYS {
            let letter = char::from(b'a' + u8::try_from(at % 26).unwrap());
            typed.push(letter);
            pty.type_text(&letter.to_string());
            let line = typed
                .get(typed.len().saturating_sub(20)..)
                .unwrap()
                .to_owned();
            pty.wait_for(&line);
            pty.wait_for_calm();
        }
        let since = pty.since(mark);
        // The key itself, and what the text then shows.
        assert!(since.frames <= 2 * KEYS, "{} frames", since.frames);
        let bytes = since.bytes / KEYS;
        assert!(bytes < 700, "{bytes} bytes a key at {width}×{height}");
        // Many keys at once are not as many frames, and what is shown in the end is of the last.
        let mark = pty.mark();
        pty.type_text(&"x".repeat(BURST));
        pty.type_text("END ");
        pty.wait_for("xEND");
        pty.wait_for_calm();
        let since = pty.since(mark);
        assert!(since.frames < BURST / 2, "{} frames", since.frames);
        pty.press("Esc q");
        assert_eq!(pty.wait_for_exit().code, 0);
        pty_forgets(&program);
    }
}

/// The next editor begins with the text as it is used.
fn pty_forgets(program: &elenchus_test_support::program::Program) {
    let drafts = program.home().join(".local/share/elenchus/workbench");
    // Whatever was not saved is kept there.
    std::fs::remove_dir_all(drafts).unwrap();
}
