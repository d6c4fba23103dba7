//! Prompts in the workbench: written, looked at, saved, tried, by the real program in a terminal.

mod counted;
mod editor;
mod files;
mod pinned;
mod tried;

use crate::support::Pty;
use crate::support::program::Desk;

/// The Socratic prompt as it comes, in the editor, looked at where it was used last.
fn opened(desk: &Desk, width: u16, height: u16) -> Pty {
    let mut pty = Pty::of(desk).size(width, height).starts(&[]);
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

/// A file of the desk's folder; empty where there is none.
fn text_of(desk: &Desk, name: &str) -> String {
    std::fs::read_to_string(desk.work().join(name)).unwrap_or_default()
}
