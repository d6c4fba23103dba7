//! Typed input of the prompt editor: keys and pastes, to the text or to what lies over it.

use super::actions::key;
use super::{EditorPane, PromptEditor};
use crate::terminal::Paste;
use crate::tui::app::{Effect, say};
use crate::tui::keys::Action;
use crate::tui::popups::{Dialog, DialogAnswer, PopupResult, WritingKey};
use crate::tui::screens::prompt_versions::VersionRequest;
use crate::tui::screens::writing::{cut_off, full};
use crate::tui::widgets::{Content, Edited};
use ratatui::crossterm::event::KeyEvent;

impl PromptEditor {
    /// Says whether something lies over the text.
    pub(super) fn is_covered(&self) -> bool {
        let is_asking = self.file.is_asking() || self.pane.is_choosing();
        is_asking || self.find.is_some() || self.versions.is_some()
    }

    pub(super) fn take_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.file.is_asking() {
            return self.file.key(key, || self.editor.text());
        }
        if self.find.is_some() {
            return self.key_find(key);
        }
        if self.versions.is_some() {
            return self.key_versions(key);
        }
        if self.pane.is_choosing() {
            return self.pane.key(key);
        }
        let key_means = WritingKey::from(key);
        self.is_typing = key_means == WritingKey::Text && self.content == Content::Shown;
        match key_means {
            _ if self.content == Content::Masked => Vec::new(),
            WritingKey::Leave => Vec::new(),
            WritingKey::Done => self.save(),
            WritingKey::Outside => self.edit_outside(),
            WritingKey::Text => {
                let edited = self.editor.key(key);
                self.after(edited)
            }
        }
    }

    fn key_find(&mut self, key: KeyEvent) -> Vec<Effect> {
        match Dialog::answer(&mut self.find, key) {
            Some(DialogAnswer::Line((), text)) => {
                self.editor.look_for(text);
                self.act_on_text(Action::SearchNext)
            }
            Some(_) | None => Vec::new(),
        }
    }

    fn key_versions(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Some(versions) = &mut self.versions else {
            return Vec::new();
        };
        match versions.key(key) {
            PopupResult::Stays => Vec::new(),
            PopupResult::Closes => {
                self.versions = None;
                Vec::new()
            }
            PopupResult::Says(VersionRequest::Start(task)) => vec![Effect::Start(task)],
            PopupResult::Says(VersionRequest::Take(text)) => {
                self.versions = None;
                self.take_version(&text)
            }
        }
    }

    /// Moves, searches or undoes in the text.
    pub(super) fn act_on_text(&mut self, action: Action) -> Vec<Effect> {
        let searches = matches!(action, Action::SearchNext | Action::SearchPrevious);
        if searches && !self.editor.wanted().is_empty() {
            self.focus = EditorPane::Text;
        }
        match self.editor.act(action) {
            Ok(edited) => self.after(edited),
            Err(why) => say(why),
        }
    }

    pub(super) fn take_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        if self.is_covered() {
            let text = &paste.text;
            match (&mut self.find, &mut self.versions) {
                (Some(find), _) => find.paste(text),
                (None, Some(versions)) => versions.paste(text),
                (None, None) => self.pane.paste(text),
            }
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
}
