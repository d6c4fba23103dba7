//! Input from the terminal: crossterm's events, and pasted texts with what was cut from them.

use ratatui::crossterm::event::Event;

/// Something that came from the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key, a new size or, if it was asked for, the mouse. Shift is part of a character (`G`, `?`) and of [`KeyCode::BackTab`]; it is a
    /// modifier with other named keys only. Never crossterm's own paste, which has no bound.
    ///
    /// [`KeyCode::BackTab`]: ratatui::crossterm::event::KeyCode::BackTab
    Event(Event),
    /// Text that was pasted, whole; it never fires a command.
    Paste(Paste),
}

/// A pasted text, cut where it grows beyond what is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paste {
    pub text: String,
    /// Bytes that were left out at the end.
    pub dropped_bytes: u64,
}
