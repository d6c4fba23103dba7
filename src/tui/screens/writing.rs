//! Words on texts that are written in a screen: what did not fit, and what of a paste was left out.

use crate::tui::app::Effect;
use crate::tui::terminal::Paste;
use crate::tui::theme::Role;
use crate::tui::widgets::Edited;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key means to a text that is written over a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WritingKey {
    /// Ctrl-D: the text is to be used.
    Done,
    /// Esc: the text is to be left.
    Leave,
    /// Ctrl-E: the person's own editor is to take it.
    Outside,
    /// It belongs to the editor.
    Text,
}

impl From<KeyEvent> for WritingKey {
    fn from(key: KeyEvent) -> Self {
        match (key.code, key.modifiers) {
            (KeyCode::Esc, _) => WritingKey::Leave,
            (KeyCode::Char('d'), KeyModifiers::CONTROL) => WritingKey::Done,
            (KeyCode::Char('e'), KeyModifiers::CONTROL) => WritingKey::Outside,
            _ => WritingKey::Text,
        }
    }
}

/// Says that an editor had no room, where that is so.
pub(super) fn full(edited: Edited) -> Vec<Effect> {
    match edited {
        Edited::Changed | Edited::Moved | Edited::Ignored => Vec::new(),
        Edited::Full { dropped_bytes } => {
            let text = format!("the editor is full: {dropped_bytes} bytes were left out");
            vec![Effect::Say(Role::Warning, text)]
        }
    }
}

/// Says that a paste was too long for the terminal, where that is so.
pub(super) fn cut_off(paste: &Paste) -> Option<Effect> {
    let text = format!("{} bytes of the paste were left out", paste.dropped_bytes);
    (paste.dropped_bytes > 0).then(|| Effect::Say(Role::Warning, text))
}
