//! Editor of the topic, written over the form. Enter goes on in the form, Ctrl-J breaks a line.

use crate::tui::keys::Action;
use crate::tui::widgets::{Edited, Editor};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The text, and whether keys are its letters.
#[derive(Default)]
pub(super) struct TopicEditor {
    pub editor: Editor,
    pub is_open: bool,
}

/// Result of a key in the text.
pub(super) enum TopicKey {
    Edited(Edited),
    /// The text was left, and this is to be done on the form.
    Left(Option<Action>),
}

impl TopicEditor {
    /// Lets the text be written, from its end on.
    pub(super) fn open_editor(&mut self) {
        let end = KeyEvent::new(KeyCode::End, KeyModifiers::CONTROL);
        self.editor.handle_key(end);
        self.is_open = true;
    }

    pub(super) fn handle_key(&mut self, key: KeyEvent) -> TopicKey {
        let then = match key.code {
            KeyCode::Enter | KeyCode::Tab => Some(Action::FocusNext),
            KeyCode::BackTab => Some(Action::FocusPrevious),
            KeyCode::Esc => None,
            _ => return TopicKey::Edited(self.editor.handle_key(key)),
        };
        self.is_open = false;
        TopicKey::Left(then)
    }
}
