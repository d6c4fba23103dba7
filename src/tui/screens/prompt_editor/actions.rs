//! Actions of the prompt editor, and keys and pastes to the text or to what lies over it.

use super::{Message, PromptEditor, TEXT};
use crate::tui::app::{Command, Effect, Task, say_notice, show_screen};
use crate::tui::components::prompt_versions::{PromptVersions, VersionRequest};
use crate::tui::components::writing::{warn_if_cut, warn_if_full};
use crate::tui::keys::{Action, Context, key_for};
use crate::tui::popups::{Dialog, DialogAnswer, WritingKey};
use crate::tui::screens::comparison_form::ComparisonForm;
use crate::tui::screens::prompt_trial;
use crate::tui::widgets::{Content, Edited, Moved};
use elenchus_records::library::Library;
use elenchus_records::workspace::prompts::read_prompt;
use elenchus_run::drafts::prompt_edit::EditRemark;
use elenchus_terminal::Paste;
use ratatui::crossterm::event::KeyEvent;

impl PromptEditor {
    pub(super) fn handle_editor_action(&mut self, action: Action) -> Vec<Effect> {
        if self.panes.handle_action(action) == Moved::Yes {
            return Vec::new();
        }
        // The table of keys offers this screen a part of all actions; it needs no others.
        match action {
            Action::Back => self.leave_editor(),
            Action::Edit | Action::Open => self.start_writing(),
            Action::EditOutside => self.edit_outside(),
            Action::SavePrompt => self.file.save_text(self.editor.text()),
            Action::Search => {
                let hint = "Enter goes to the next place · Esc leaves";
                self.find = Some(Dialog::new_line_prompt(
                    "find:",
                    hint,
                    self.editor.query(),
                    (),
                ));
                Vec::new()
            }
            Action::SearchNext | Action::SearchPrevious => self.find_next(action),
            Action::Undo | Action::Redo => self.apply_text_action(action),
            _ if action.is_scrolling() && self.panes.focus == TEXT => {
                self.apply_text_action(action)
            }
            Action::Versions => self.list_versions(),
            Action::BackToBuiltIn => self.read_built_in(),
            Action::AcceptPrompt => self.file.read_acceptance(),
            Action::TryPrompt | Action::ComparePrompts => match self.try_or_compare(action) {
                Ok(effects) => effects,
                Err((role, text)) => vec![Effect::Say(role, text)],
            },
            Action::Copy => self.with_text(Command::Copy),
            Action::Pager => self.with_text(Command::Page),
            other => self.pane.handle_action(other),
        }
    }

    fn leave_editor(&self) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.file.edit.is_changed() {
            let draft = self.file.edit.build_draft(&self.editor.text());
            effects.push(Effect::Do(Command::Draft(draft)));
            effects.extend(say_notice(
                "the text is not saved: it is kept, and comes back when you open this prompt again",
            ));
        }
        effects.push(Effect::Leave);
        effects
    }

    /// Keys are text from now on.
    pub(super) fn start_writing(&mut self) -> Vec<Effect> {
        if self.content == Content::Masked {
            return say_notice("content is masked; show it before you write");
        }
        if let Some(why) = self.file.edit.closed_reason() {
            return say_notice(why);
        }
        self.panes.focus = TEXT;
        self.is_typing = true;
        Vec::new()
    }

    pub(super) fn edit_outside(&self) -> Vec<Effect> {
        match self.file.edit.whole_text(|| self.editor.text()) {
            Ok(text) => vec![Effect::edit_outside(text, Message::Edited)],
            Err(why) => say_notice(why),
        }
    }

    /// Goes to another place of what is searched for.
    fn find_next(&mut self, action: Action) -> Vec<Effect> {
        if !self.editor.query().is_empty() {
            self.panes.focus = TEXT;
        }
        self.apply_text_action(action)
    }

    /// Moves, searches or undoes in the text.
    fn apply_text_action(&mut self, action: Action) -> Vec<Effect> {
        match self.editor.handle_action(action) {
            Ok(edited) => self.save_edit(edited),
            Err(why) => say_notice(why),
        }
    }

    fn save_edit(&mut self, edited: Edited) -> Vec<Effect> {
        let mut effects = match edited.has_changed() {
            true => self.handle_change(),
            false => Vec::new(),
        };
        effects.extend(warn_if_full(edited));
        effects
    }

    /// Reads the text that comes with the program, to put it in the place of what is written.
    fn read_built_in(&self) -> Vec<Effect> {
        if self.content == Content::Masked {
            return say_notice("content is masked; show it before you change the text");
        }
        let name = self.file.edit.name.clone();
        let read = Task::new_blocking("read the built-in text", move |_| {
            let read = read_prompt(&Library::default(), &name);
            Message::BuiltIn(read.map(|prompt| prompt.text))
        });
        vec![Effect::Start(read)]
    }

    /// Makes the text that comes with the program the one that is used.
    pub(super) fn take_built_in(&mut self, text: &str) -> Vec<Effect> {
        if let Err(why) = self.replace_text(text) {
            return say_notice(why);
        }
        // It was about the text that is gone.
        self.pane.preview.fault = None;
        match self.file.edit.to_save() {
            Ok(_) => self.file.save_text(text.to_owned()),
            Err(_) => say_notice("this is the built-in text: it is the one in use"),
        }
    }

    pub(super) fn list_versions(&mut self) -> Vec<Effect> {
        let name = self.file.edit.name.clone();
        let (versions, read) = PromptVersions::open_versions(name, Message::Versions);
        self.versions = Some(versions);
        vec![read]
    }

    /// Asks the previewed turn again with the text in the editor, or compares the text with others.
    fn try_or_compare(&self, action: Action) -> Result<Vec<Effect>, EditRemark> {
        let (edit, preview) = (&self.file.edit, &self.pane.preview);
        let (place, written) = (
            preview.place(),
            (self.editor.text(), preview.fault.as_ref()),
        );
        if action == Action::ComparePrompts {
            return Ok(show_screen(ComparisonForm::from_wish(
                edit.build_compare_wish(place, written)?,
            )));
        }
        let choose = key_for(Context::PromptEditor, Action::ChooseTurn);
        Ok(prompt_trial::show_trial(
            edit.build_try_wish(place, written, choose)?,
        ))
    }

    /// Does something with the text of the pane with the focus.
    fn with_text(&self, command: fn(String) -> Command) -> Vec<Effect> {
        let edit = &self.file.edit;
        if edit.text_in_use().is_none() {
            return say_notice(edit.closed_reason().unwrap_or_default());
        }
        let text = match self.panes.focus == TEXT {
            true => self.editor.text(),
            false => self.pane.preview.text(),
        };
        vec![Effect::Do(command(text))]
    }

    /// Says whether something lies over the text.
    pub(super) fn has_overlay(&self) -> bool {
        let is_asking = self.file.is_asking() || self.pane.is_choosing();
        is_asking || self.find.is_some() || self.versions.is_some()
    }

    pub(super) fn handle_text_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if !self.has_overlay() {
            return self.handle_writing_key(key);
        }
        if self.file.is_asking() {
            return self.file.handle_key(key, || self.editor.text());
        }
        if self.find.is_some() {
            let Some(DialogAnswer::Line((), text)) = Dialog::answer_key(&mut self.find, key) else {
                return Vec::new();
            };
            self.editor.set_query(text);
            return self.find_next(Action::SearchNext);
        }
        if self.versions.is_none() {
            return self.pane.handle_key(key);
        }
        match PromptVersions::answer_key(&mut self.versions, key) {
            Some(VersionRequest::Take(text)) => self.take_version(&text),
            Some(VersionRequest::Start(task)) => vec![Effect::Start(task)],
            None => Vec::new(),
        }
    }

    fn handle_writing_key(&mut self, key: KeyEvent) -> Vec<Effect> {
        let key_means = WritingKey::from(key);
        self.is_typing = key_means == WritingKey::Text && self.content == Content::Shown;
        match key_means {
            _ if self.content == Content::Masked => Vec::new(),
            WritingKey::Leave => Vec::new(),
            WritingKey::Done => self.file.save_text(self.editor.text()),
            WritingKey::Outside => self.edit_outside(),
            WritingKey::Text => {
                let text_edit = self.editor.handle_key(key);
                self.save_edit(text_edit)
            }
        }
    }

    pub(super) fn paste_text(&mut self, paste: &Paste) -> Vec<Effect> {
        if self.has_overlay() {
            match (&mut self.find, &mut self.versions) {
                (Some(find), _) => find.paste_text(&paste.text),
                (None, Some(versions)) => versions.paste_text(&paste.text),
                (None, None) => self.pane.paste_text(&paste.text),
            }
            return Vec::new();
        }
        if !self.is_typing {
            let edit = key_for(Context::PromptEditor, Action::Edit);
            return say_notice(format!("nothing takes text here: {edit} begins to write"));
        }
        let text_edit = self.editor.paste_text(&paste.text);
        let mut effects = self.save_edit(text_edit);
        effects.extend(warn_if_cut(paste));
        effects
    }
}
