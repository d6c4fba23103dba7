//! Typed input of the prompt editor: keys and pastes.

use super::actions::key;
use super::{EditorPane, PromptEditor};
use crate::terminal::Paste;
use crate::tui::app::{Effect, say};
use crate::tui::keys::Action;
use crate::tui::popups::WritingKey;
use crate::tui::screens::writing::{cut_off, full};
use crate::tui::widgets::{Content, Edited};
use ratatui::crossterm::event::KeyEvent;

impl PromptEditor {
    pub(crate) fn take_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        // What is asked lies over the versions.
        if self.dialog.is_some() {
            return self.key_dialog(key);
        }
        if self.over.is_some() {
            return self.key_over(key);
        }
        let key_means = WritingKey::from(key);
        self.is_typing = key_means == WritingKey::Text && self.content == Content::Shown;
        match key_means {
            _ if self.content == Content::Masked => return Vec::new(),
            WritingKey::Leave => return Vec::new(),
            WritingKey::Done => return self.save(),
            WritingKey::Outside => return self.edit_outside(),
            WritingKey::Text => {}
        }
        let edited = self.editor.key(key);
        self.after(edited)
    }

    pub(crate) fn take_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        if self.paste_over(&paste.text) {
            return Vec::new();
        }
        if !self.is_typing {
            let edit = key(Action::Edit);
            return say(format!("nothing takes text here: {edit} begins to write"));
        }
        let edited = self.editor.paste(&paste.text);
        let mut effects = self.after(edited);
        effects.extend(cut_off(paste));
        effects
    }

    fn after(&mut self, edited: Edited) -> Vec<Effect> {
        let mut effects = match edited.has_changed() {
            true => self.edited(),
            false => Vec::new(),
        };
        effects.extend(full(edited));
        effects
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
