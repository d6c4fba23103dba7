//! The prompt editor, by the real program in a terminal.

mod bytes;
mod editor;
mod files;
mod pins;

use elenchus_test_support::Pty;
use elenchus_test_support::program::Program;

/// The Socratic prompt as it comes, in the editor, looked at where it was used last.
pub fn opened(program: &Program, width: u16, height: u16) -> Pty {
    let mut pty = Pty::of(program).size(width, height).starts(&[]);
    pty.wait_for("1 session, newest first");
    pty.press("W");
    pty.wait_for("best-of-n/rubric:safety");
    pty.press("/");
    pty.type_text("sred/socratic");
    pty.press("Enter");
    pty.wait_for("▶  sred/socratic");
    pty.press("Enter");
    pty.wait_for("as it is used");
    pty
}

/// A file of the program's folder; empty where there is none.
pub fn text_of(program: &Program, name: &str) -> String {
    std::fs::read_to_string(program.work().join(name)).unwrap_or_default()
}
