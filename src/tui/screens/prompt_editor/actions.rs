//! Actions of the prompt editor.

use super::{EditorPane, Message, PromptEditor};
use crate::experiments::prompt_edit::EditRemark;
use crate::tui::app::{Command, Effect, say};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::Dialog;
use crate::tui::screens::prompt_versions::PromptVersions;
use crate::tui::screens::{prompt_ab, prompt_trial};
use crate::tui::widgets::Content;

/// Returns the mark of a key of this screen.
pub(super) fn key(action: Action) -> char {
    key_for(Context::PromptEditor, action)
}

impl PromptEditor {
    pub(super) fn answer(&mut self, action: Action) -> Vec<Effect> {
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => return self.leave(),
            Action::Edit | Action::Open => return self.write(),
            Action::EditOutside => return self.edit_outside(),
            Action::SavePrompt => return self.save(),
            Action::FocusNext | Action::FocusPrevious | Action::Left | Action::Right => {
                self.focus = match self.focus {
                    EditorPane::Text => EditorPane::Shown,
                    EditorPane::Shown => EditorPane::Text,
                };
            }
            Action::Zoom => self.zoomed = !self.zoomed,
            Action::Search => {
                let hint = "Enter goes to the next place · Esc leaves";
                self.find = Some(Dialog::line("find:", hint, self.editor.wanted(), ()));
            }
            Action::Undo | Action::Redo | Action::SearchNext | Action::SearchPrevious => {
                return self.act_on_text(action);
            }
            _ if action.scrolls() && self.focus == EditorPane::Text => {
                return self.act_on_text(action);
            }
            Action::Versions => return self.list_versions(),
            Action::AcceptPrompt => return self.file.look_at_acceptance(),
            Action::TryPrompt => return self.try_it().unwrap_or_else(remark),
            Action::ComparePrompts => return self.compare().unwrap_or_else(remark),
            Action::Copy => return self.with_text(Command::Copy),
            Action::Pager => return self.with_text(Command::Page),
            other => return self.pane.act(other),
        }
        Vec::new()
    }

    fn leave(&self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.file.edit.is_changed() {
            let draft = self.file.edit.draft(&self.editor.text());
            effects.push(Effect::Do(Command::Draft(draft)));
            effects.extend(say(
                "the text is not saved: it is kept, and comes back when you open this prompt again",
            ));
        }
        effects.push(Effect::Leave);
        effects
    }

    /// Keys are text from now on.
    pub(super) fn write(&mut self) -> Vec<Effect> {
        if self.content == Content::Masked {
            return say("content is masked; show it before you write");
        }
        if let Some(why) = self.file.edit.closed() {
            return say(why);
        }
        self.focus = EditorPane::Text;
        self.is_typing = true;
        Vec::new()
    }

    pub(super) fn edit_outside(&self) -> Vec<Effect> {
        match self.file.edit.whole(|| self.editor.text()) {
            Ok(text) => vec![Effect::edit_outside(text, Message::Edited)],
            Err(why) => say(why),
        }
    }

    pub(super) fn save(&self) -> Vec<Effect> {
        self.file.save(self.editor.text())
    }

    pub(super) fn list_versions(&mut self) -> Vec<Effect> {
        let name = self.file.edit.name.clone();
        let (versions, read) = PromptVersions::open(name, Message::Versions);
        self.versions = Some(versions);
        vec![read]
    }

    /// Asks the previewed turn again, with the text in the editor.
    fn try_it(&self) -> Result<Vec<Effect>, EditRemark> {
        let (preview, choose) = (&self.pane.preview, key(Action::ChooseTurn));
        let written = (self.editor.text(), preview.fault.as_ref());
        let wish = self.file.edit.try_at(preview.place(), written, choose)?;
        Ok(prompt_trial::show(wish))
    }

    /// Compares the text in the editor with others.
    fn compare(&self) -> Result<Vec<Effect>, EditRemark> {
        let preview = &self.pane.preview;
        let written = (self.editor.text(), preview.fault.as_ref());
        let wish = self.file.edit.compare(preview.place(), written)?;
        Ok(prompt_ab::show(Some(wish)))
    }

    /// Does something with the text of the pane with the focus.
    fn with_text(&self, command: fn(String) -> Command) -> Vec<Effect> {
        let edit = &self.file.edit;
        if edit.used().is_none() {
            return say(edit.closed().unwrap_or_default());
        }
        let text = match self.focus {
            EditorPane::Text => self.editor.text(),
            EditorPane::Shown => self.pane.preview.text(),
        };
        vec![Effect::Do(command(text))]
    }
}

fn remark((role, text): EditRemark) -> Vec<Effect> {
    vec![Effect::Say(role, text)]
}
