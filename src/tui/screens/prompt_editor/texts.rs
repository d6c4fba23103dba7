//! Texts that take the place of the one that is written: what is used, was used, was written elsewhere or at an
//! earlier time.

use super::{EditorMode, Message, PromptEditor, TEXT};
use crate::tui::app::{Command, EditError, Effect, Task, say_error, say_notice};
use crate::tui::components::prompt_file::FileNews;
use crate::tui::widgets::{Editor, TooLong};
use elenchus_records::workspace::Draft;
use elenchus_records::workspace::prompts::PromptText;

impl PromptEditor {
    /// The text is another one: it is kept as a draft, and previewed.
    pub(super) fn handle_change(&mut self) -> Vec<Effect> {
        let text = self.editor.text();
        let draft = self.file.edit.take_edit(&text);
        let mut effects = vec![Effect::Do(Command::Draft(draft))];
        effects.extend(self.pane.request_preview(text));
        effects
    }

    /// Puts another text in the editor, as one change that can be undone.
    pub(super) fn replace_text(&mut self, text: &str) -> Result<Vec<Effect>, TooLong> {
        self.editor.replace_text(text)?;
        self.panes.focus = TEXT;
        Ok(self.handle_change())
    }

    /// Takes in what has become of the file.
    pub(super) fn handle_file_news(&mut self, news: FileNews) -> Vec<Effect> {
        match news {
            FileNews::Nothing => Vec::new(),
            FileNews::Opened(text) => self.open_text(&text),
            FileNews::Reread(now) => {
                self.editor.set_saved_text(&now.text);
                match self.replace_text(&now.text) {
                    Ok(effects) => {
                        // The one before may have been too long.
                        self.file.edit.reopen();
                        effects
                    }
                    Err(why) => {
                        self.file.edit.close(why.to_string());
                        Vec::new()
                    }
                }
            }
            FileNews::Saved(now) => {
                self.editor.set_saved_text(&now.text);
                self.handle_change()
            }
            FileNews::ComparedAnew => self.handle_change(),
            FileNews::Refused(fault) => {
                if let Some(line) = fault.line {
                    self.editor.go_to_line(line);
                }
                self.pane.preview.fault = Some(fault);
                Vec::new()
            }
        }
    }

    /// Opens the text that is used, and does what the editor was opened for.
    fn open_text(&mut self, text: &PromptText) -> Vec<Effect> {
        self.editor = Editor::from_text(&text.text).unwrap_or_else(|error| {
            self.file.edit.close(error.to_string());
            Editor::default()
        });
        let place = self.file.edit.draft_place();
        let mut effects = vec![Effect::Start(Task::find_draft(place, Message::DraftFound))];
        effects.extend(self.pane.request_preview(text.text.clone()));
        effects.extend(
            match std::mem::replace(&mut self.begin, EditorMode::Reading) {
                EditorMode::Reading => Vec::new(),
                EditorMode::Versions => self.list_versions(),
                EditorMode::Writing => self.start_writing(),
                EditorMode::Outside => self.edit_outside(),
            },
        );
        effects
    }

    /// Takes what the person's own editor made of the text.
    pub(super) fn replace_from_outside(&mut self, text: Result<String, EditError>) -> Vec<Effect> {
        // The editor took the last line's end away.
        let text = match text {
            Ok(text) => text + "\n",
            Err(why) => return say_error(why),
        };
        match self.replace_text(&text) {
            Ok(effects) => {
                self.file.edit.reopen();
                effects
            }
            Err(why) => say_error(why),
        }
    }

    /// Brings back what was written at an earlier time.
    pub(super) fn restore_draft(&mut self, draft: &Draft) -> Vec<Effect> {
        if !self.file.edit.takes_draft(draft) {
            return Vec::new();
        }
        let Ok(mut effects) = self.replace_text(&draft.text) else {
            return Vec::new();
        };
        effects.extend(say_notice(
            "this is what you wrote last time and did not save; undoing brings back what is used",
        ));
        effects
    }

    /// Puts an earlier text into the editor: nothing is saved yet.
    pub(super) fn take_version(&mut self, text: &str) -> Vec<Effect> {
        match self.replace_text(text) {
            Ok(mut effects) => {
                effects.extend(say_notice(
                    "this is the earlier text: saving makes it the one that is used, undoing brings \
                     yours back",
                ));
                effects
            }
            Err(why) => say_notice(why),
        }
    }
}
