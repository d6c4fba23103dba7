//! Typed input of the prompt editor: keys and pastes.

use super::actions::key;
use super::{EditorPane, PromptEditor};
use crate::tui::app::{Effect, say};
use crate::tui::keys::Action;
use crate::tui::terminal::Paste;
use crate::tui::theme::Role;
use crate::tui::widgets::Content;
use crate::tui::widgets::{Edited, SearchDirection};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

impl PromptEditor {
    pub(crate) fn take_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.over.is_some() {
            return self.key_over(key);
        }
        if let Some(line) = &mut self.searching {
            match key.code {
                KeyCode::Esc => self.searching = None,
                KeyCode::Enter => {
                    self.wanted = line.text().to_owned();
                    self.searching = None;
                    return self.seek(SearchDirection::Next);
                }
                _ => {
                    line.key(key);
                }
            }
            return Vec::new();
        }
        if self.content == Content::Masked || key.code == KeyCode::Esc {
            self.is_typing = false;
            return Vec::new();
        }
        if key == KeyEvent::new(KeyCode::Char('d'), KeyModifiers::CONTROL) {
            self.is_typing = false;
            return self.save();
        }
        if key == KeyEvent::new(KeyCode::Char('e'), KeyModifiers::CONTROL) {
            self.is_typing = false;
            return self.edit_outside();
        }
        let edited = self.editor.key(key);
        self.after(edited)
    }

    pub(crate) fn take_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        if self.paste_over(&paste.text) {
            return Vec::new();
        }
        if let Some(line) = &mut self.searching {
            line.paste(&paste.text);
            return Vec::new();
        }
        if !self.is_typing {
            let edit = key(Action::Edit);
            return say(format!("nothing takes text here: {edit} begins to write"));
        }
        let edited = self.editor.paste(&paste.text);
        let mut effects = self.after(edited);
        if paste.dropped_bytes > 0 {
            let text = format!("{} bytes of the paste were left out", paste.dropped_bytes);
            effects.push(Effect::Say(Role::Warning, text));
        }
        effects
    }

    fn after(&mut self, edited: Edited) -> Vec<Effect> {
        match edited {
            Edited::Changed => self.edited(),
            Edited::Moved | Edited::Ignored => Vec::new(),
            Edited::Full { dropped_bytes } => {
                let mut effects = self.edited();
                let text = format!("the editor is full: {dropped_bytes} bytes were left out");
                effects.push(Effect::Say(Role::Warning, text));
                effects
            }
        }
    }

    /// Puts another text in the editor, as one change that can be undone.
    pub(crate) fn replace(&mut self, text: &str) -> Result<(), String> {
        self.editor
            .replace(text)
            .map_err(|error| error.to_string())?;
        self.focus = EditorPane::Text;
        Ok(())
    }
}
