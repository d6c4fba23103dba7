//! Actions of the prompt editor, and keys and pastes to the text or to what lies over it.

use super::{Message, PromptEditor, TEXT};
use crate::tui::app::{Command, Effect, say, show};
use crate::tui::components::prompt_versions::{PromptVersions, VersionRequest};
use crate::tui::components::writing::{cut_off, full};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::{Dialog, DialogAnswer, WritingKey};
use crate::tui::screens::comparison_form::ComparisonForm;
use crate::tui::screens::prompt_trial;
use crate::tui::widgets::{Content, Edited, Moved};
use elenchus_run::drafts::prompt_edit::EditRemark;
use elenchus_terminal::Paste;
use ratatui::crossterm::event::KeyEvent;

impl PromptEditor {
    pub(super) fn answer(&mut self, action: Action) -> Vec<Effect> {
        if self.panes.act(action) == Moved::Yes {
            return Vec::new();
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => self.leave(),
            Action::Edit | Action::Open => self.write(),
            Action::EditOutside => self.edit_outside(),
            Action::SavePrompt => self.file.save(self.editor.text()),
            Action::Search => {
                let hint = "Enter goes to the next place · Esc leaves";
                self.find = Some(Dialog::line("find:", hint, self.editor.wanted(), ()));
                Vec::new()
            }
            Action::SearchNext | Action::SearchPrevious => self.seek(action),
            Action::Undo | Action::Redo => self.act_on_text(action),
            _ if action.scrolls() && self.panes.focus == TEXT => self.act_on_text(action),
            Action::Versions => self.list_versions(),
            Action::AcceptPrompt => self.file.look_at_acceptance(),
            Action::TryPrompt | Action::ComparePrompts => match self.tried(action) {
                Ok(effects) => effects,
                Err((role, text)) => vec![Effect::Say(role, text)],
            },
            Action::Copy => self.with_text(Command::Copy),
            Action::Pager => self.with_text(Command::Page),
            other => self.pane.act(other),
        }
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
        self.panes.focus = TEXT;
        self.is_typing = true;
        Vec::new()
    }

    pub(super) fn edit_outside(&self) -> Vec<Effect> {
        match self.file.edit.whole(|| self.editor.text()) {
            Ok(text) => vec![Effect::edit_outside(text, Message::Edited)],
            Err(why) => say(why),
        }
    }

    /// Goes to another place of what is searched for.
    fn seek(&mut self, action: Action) -> Vec<Effect> {
        if !self.editor.wanted().is_empty() {
            self.panes.focus = TEXT;
        }
        self.act_on_text(action)
    }

    /// Moves, searches or undoes in the text.
    fn act_on_text(&mut self, action: Action) -> Vec<Effect> {
        match self.editor.act(action) {
            Ok(edited) => self.after(edited),
            Err(why) => say(why),
        }
    }

    fn after(&mut self, edited: Edited) -> Vec<Effect> {
        let mut effects = match edited.has_changed() {
            true => self.edited(),
            false => Vec::new(),
        };
        effects.extend(full(edited));
        effects
    }

    pub(super) fn list_versions(&mut self) -> Vec<Effect> {
        let name = self.file.edit.name.clone();
        let (versions, read) = PromptVersions::open(name, Message::Versions);
        self.versions = Some(versions);
        vec![read]
    }

    /// Asks the previewed turn again with the text in the editor, or compares the text with others.
    fn tried(&self, action: Action) -> Result<Vec<Effect>, EditRemark> {
        let (edit, preview) = (&self.file.edit, &self.pane.preview);
        let (place, written) = (
            preview.place(),
            (self.editor.text(), preview.fault.as_ref()),
        );
        if action == Action::ComparePrompts {
            return Ok(show(ComparisonForm::of(edit.compare(place, written)?)));
        }
        let choose = key_for(Context::PromptEditor, Action::ChooseTurn);
        Ok(prompt_trial::show(edit.try_at(place, written, choose)?))
    }

    /// Does something with the text of the pane with the focus.
    fn with_text(&self, command: fn(String) -> Command) -> Vec<Effect> {
        let edit = &self.file.edit;
        if edit.used().is_none() {
            return say(edit.closed().unwrap_or_default());
        }
        let text = match self.panes.focus == TEXT {
            true => self.editor.text(),
            false => self.pane.preview.text(),
        };
        vec![Effect::Do(command(text))]
    }

    /// Says whether something lies over the text.
    pub(super) fn is_covered(&self) -> bool {
        let is_asking = self.file.is_asking() || self.pane.is_choosing();
        is_asking || self.find.is_some() || self.versions.is_some()
    }

    pub(super) fn take_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if !self.is_covered() {
            return self.write_key(key);
        }
        if self.file.is_asking() {
            return self.file.key(key, || self.editor.text());
        }
        if self.find.is_some() {
            let Some(DialogAnswer::Line((), text)) = Dialog::answer(&mut self.find, key) else {
                return Vec::new();
            };
            self.editor.look_for(text);
            return self.seek(Action::SearchNext);
        }
        if self.versions.is_none() {
            return self.pane.key(key);
        }
        match PromptVersions::answer(&mut self.versions, key) {
            Some(VersionRequest::Take(text)) => self.take_version(&text),
            Some(VersionRequest::Start(task)) => vec![Effect::Start(task)],
            None => Vec::new(),
        }
    }

    fn write_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let key_means = WritingKey::from(key);
        self.is_typing = key_means == WritingKey::Text && self.content == Content::Shown;
        match key_means {
            _ if self.content == Content::Masked => Vec::new(),
            WritingKey::Leave => Vec::new(),
            WritingKey::Done => self.file.save(self.editor.text()),
            WritingKey::Outside => self.edit_outside(),
            WritingKey::Text => {
                let edited = self.editor.key(key);
                self.after(edited)
            }
        }
    }

    pub(super) fn take_paste(&mut self, paste: &Paste) -> Vec<Effect> {
        if self.is_covered() {
            match (&mut self.find, &mut self.versions) {
                (Some(find), _) => find.paste(&paste.text),
                (None, Some(versions)) => versions.paste(&paste.text),
                (None, None) => self.pane.paste(&paste.text),
            }
            return Vec::new();
        }
        if !self.is_typing {
            let edit = key_for(Context::PromptEditor, Action::Edit);
            return say(format!("nothing takes text here: {edit} begins to write"));
        }
        let edited = self.editor.paste(&paste.text);
        let mut effects = self.after(edited);
        effects.extend(cut_off(paste));
        effects
    }
}
