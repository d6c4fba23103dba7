//! Texts that take the place of the one that is written: what is used, was used, was written elsewhere or at an
//! earlier time.

use super::{Begin, Message, PromptEditor, TEXT};
use crate::tui::app::{Command, Effect, Task, fail, say};
use crate::tui::components::prompt_file::FileNews;
use crate::tui::widgets::Editor;
use elenchus_records::workspace::Draft;
use elenchus_records::workspace::prompts::PromptText;

impl PromptEditor {
    /// The text is another one: it is kept as a draft, and previewed.
    pub(super) fn edited(&mut self) -> Vec<Effect> {
        let text = self.editor.text();
        let draft = self.file.edit.edited(&text);
        let mut effects = vec![Effect::Do(Command::Draft(draft))];
        effects.extend(self.pane.look(text));
        effects
    }

    /// Puts another text in the editor, as one change that can be undone.
    fn replace(&mut self, text: &str) -> Result<Vec<Effect>, String> {
        self.editor
            .replace(text)
            .map_err(|error| error.to_string())?;
        self.panes.focus = TEXT;
        Ok(self.edited())
    }

    /// Takes in what has become of the file.
    pub(super) fn take_news(&mut self, news: FileNews) -> Vec<Effect> {
        match news {
            FileNews::Nothing => Vec::new(),
            FileNews::Opened(text) => self.open(&text),
            FileNews::Reread(now) => {
                self.editor.set_saved(&now.text);
                match self.replace(&now.text) {
                    Ok(effects) => {
                        // The one before may have been too long.
                        self.file.edit.reopen();
                        effects
                    }
                    Err(why) => {
                        self.file.edit.close(why);
                        Vec::new()
                    }
                }
            }
            FileNews::Saved(now) => {
                self.editor.set_saved(&now.text);
                self.edited()
            }
            FileNews::ComparedAnew => self.edited(),
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
    fn open(&mut self, text: &PromptText) -> Vec<Effect> {
        self.editor = Editor::open(&text.text).unwrap_or_else(|error| {
            self.file.edit.close(error.to_string());
            Editor::default()
        });
        let place = self.file.edit.draft_place();
        let mut effects = vec![Effect::Start(Task::find_draft(place, Message::DraftFound))];
        effects.extend(self.pane.look(text.text.clone()));
        effects.extend(match std::mem::replace(&mut self.begin, Begin::Reading) {
            Begin::Reading => Vec::new(),
            Begin::Versions => self.list_versions(),
            Begin::Writing => self.write(),
            Begin::Outside => self.edit_outside(),
        });
        effects
    }

    /// Takes what the person's own editor made of the text.
    pub(super) fn edited_outside(&mut self, text: Result<String, String>) -> Vec<Effect> {
        // The editor took the last line's end away.
        let replaced = text.and_then(|text| self.replace(&(text + "\n")));
        if replaced.is_ok() {
            self.file.edit.reopen();
        }
        replaced.unwrap_or_else(fail)
    }

    /// Brings back what was written at an earlier time.
    pub(super) fn draft_found(&mut self, draft: &Draft) -> Vec<Effect> {
        if !self.file.edit.takes_draft(draft) {
            return Vec::new();
        }
        let Ok(mut effects) = self.replace(&draft.text) else {
            return Vec::new();
        };
        effects.extend(say(
            "this is what you wrote last time and did not save; undoing brings back what is used",
        ));
        effects
    }

    /// Puts an earlier text into the editor: nothing is saved yet.
    pub(super) fn take_version(&mut self, text: &str) -> Vec<Effect> {
        match self.replace(text) {
            Ok(mut effects) => {
                effects.extend(say(
                    "this is the earlier text: saving makes it the one that is used, undoing brings \
                     yours back",
                ));
                effects
            }
            Err(why) => say(why),
        }
    }
}
