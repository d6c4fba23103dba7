//! Results of tasks, as the prompt editor takes them in.

use super::over::{Over, Question};
use super::versions::Versions;
use super::{PromptEditor, Rendering};
use crate::experiments::{PreviewPlace, PromptHistory, PromptPreview};
use crate::library::FileOrigin;
use crate::tui::app::{Effect, Task, Update, fail, say, warn};
use crate::tui::widgets::Editor;
use crate::workspace::Draft;
use crate::workspace::FolderWatch;
use crate::workspace::prompts::{
    Acceptance, Pin, PromptPlaces, PromptText, SaveFault, Saved, TextFault,
};
use std::sync::Arc;

/// Result of a task of this screen.
pub enum Message {
    Opened(Result<Arc<PromptText>, String>),
    Watched(FolderWatch),
    /// The file was written, moved or removed: what is used now.
    Changed(Result<Arc<PromptText>, String>),
    /// Turn that it is previewed on, with all of its uses in the same session.
    Staged(Result<Arc<PreviewPlace>, String>),
    Places(Result<Vec<PromptPlaces>, String>),
    Shown(Result<Box<PromptPreview>, TextFault>),
    Saved(Result<Arc<Saved>, SaveFault>),
    Versions(Result<Arc<PromptHistory>, String>),
    /// Pin of the prompt in its game, if there is one.
    Pinned(Option<Pin>),
    Acceptance(Result<Arc<Acceptance>, String>),
    Accepted(Result<Arc<Acceptance>, String>),
    DraftFound(Draft),
    /// The text came back from the person's own editor.
    Edited(Result<String, String>),
}

impl Update for PromptEditor {
    type Message = Message;

    fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Opened(Ok(text)) => self.take_text(&text),
            Message::Opened(Err(why)) => {
                self.empty.clone_from(&why);
                fail(why)
            }
            Message::Watched(watch) => {
                self.watch = Some(watch);
                Vec::new()
            }
            Message::Changed(Ok(text)) => self.changed_outside(&text),
            Message::Changed(Err(why)) => {
                fail(format!("{why}; the text that was read last is still here"))
            }
            Message::Staged(Ok(staged)) => self.take_stage(staged),
            Message::Places(_) if !matches!(self.over, Some(Over::Finding)) => Vec::new(),
            Message::Places(Ok(found)) => {
                self.over = None;
                self.dialog = Some(Question::places(&found, self.content));
                Vec::new()
            }
            Message::Places(Err(why)) => {
                self.over = None;
                fail(why)
            }
            Message::Shown(shown) => self.take_preview(shown),
            Message::Saved(end) => self.saved(end),
            Message::Versions(found) => self.take_versions(found),
            Message::Pinned(pin) => {
                self.pin = pin;
                Vec::new()
            }
            Message::Acceptance(Ok(acceptance)) => {
                self.dialog = Some(Question::accept(&acceptance));
                Vec::new()
            }
            Message::Accepted(Ok(done)) => say(format!(
                "accepted, and pinned in {}: the game can be played with it",
                done.file.display()
            )),
            Message::Accepted(Err(why)) => fail(format!("not accepted: {why}")),
            Message::Staged(Err(why)) | Message::Acceptance(Err(why)) => fail(why),
            Message::DraftFound(draft) => self.draft_found(&draft),
            Message::Edited(text) => self.edited_outside(text),
        }
    }
}

impl PromptEditor {
    /// Shows a rendered text, and renders the one that was typed meanwhile.
    fn take_preview(&mut self, shown: Result<Box<PromptPreview>, TextFault>) -> Vec<Effect> {
        match shown {
            Ok(shown) => {
                self.shown = Some(shown);
                self.fault = None;
                self.turn_page();
            }
            // What the last good text showed stays in sight.
            Err(fault) => self.fault = Some(fault),
        }
        match std::mem::take(&mut self.rendering) {
            Rendering::Behind(text) => self.look(text).into_iter().collect(),
            Rendering::Idle | Rendering::Busy => Vec::new(),
        }
    }

    fn take_versions(&mut self, found: Result<Arc<PromptHistory>, String>) -> Vec<Effect> {
        match (found, self.over.take()) {
            (Ok(found), Some(Over::Finding)) => {
                self.over = Some(Over::Versions(Versions::of(found)));
                Vec::new()
            }
            (Ok(found), Some(Over::Versions(before))) => {
                self.over = Some(Over::Versions(before.again(found)));
                Vec::new()
            }
            (Ok(_), other) => {
                self.over = other;
                Vec::new()
            }
            (Err(why), other) => {
                self.over = other.filter(|over| !matches!(over, Over::Finding));
                fail(why)
            }
        }
    }

    fn take_text(&mut self, text: &Arc<PromptText>) -> Vec<Effect> {
        self.opened = Some(Arc::clone(text));
        self.touched = false;
        self.changed = false;
        match Editor::open(&text.text) {
            Ok(editor) => {
                self.editor = editor;
                self.empty.clear();
            }
            Err(error) => {
                self.editor = Editor::default();
                self.empty = error.to_string();
            }
        }
        let mut effects = vec![Effect::Start(Task::find_draft(
            self.draft_place(),
            Message::DraftFound,
        ))];
        effects.extend(self.look(text.text.clone()));
        effects.extend(self.begin());
        effects
    }

    fn changed_outside(&mut self, now: &Arc<PromptText>) -> Vec<Effect> {
        let Some(opened) = self.opened.clone() else {
            return self.take_text(now);
        };
        if opened.glance.hash == now.glance.hash && opened.glance.origin == now.glance.origin {
            return Vec::new();
        }
        let is_gone = now.glance.origin != opened.glance.origin;
        if is_gone && let FileOrigin::Folder(folder) = &opened.glance.origin {
            let file = folder.join(&opened.glance.file);
            self.opened = Some(Arc::clone(now));
            let mut effects = self.edited();
            effects.extend(warn(format!(
                "{} is gone, and the text of {} is used; yours is still here: saving writes it \
                 again",
                file.display(),
                now.glance.origin
            )));
            return effects;
        }
        if self.changed {
            let text = "the file was changed by another program; your text is still here, and saving \
                        asks before it writes over theirs";
            return warn(text);
        }
        self.opened = Some(Arc::clone(now));
        self.editor.set_saved(&now.text);
        let mut effects = match self.replace(&now.text) {
            Ok(()) => self.edited(),
            Err(why) => {
                self.empty = why;
                Vec::new()
            }
        };
        effects.extend(say("the file was changed, and read again"));
        effects
    }

    fn take_stage(&mut self, staged: Arc<PreviewPlace>) -> Vec<Effect> {
        self.origins = staged.stage.origins();
        if staged.stage.recorded.is_none() {
            self.difference = false;
        }
        self.staged = Some(staged);
        self.shown = None;
        self.turn_page();
        let text = match (&self.opened, self.empty.is_empty()) {
            (Some(_), true) => self.editor.text(),
            (Some(opened), false) => opened.text.clone(),
            (None, _) => return Vec::new(),
        };
        self.look(text).into_iter().collect()
    }

    fn saved(&mut self, end: Result<Arc<Saved>, SaveFault>) -> Vec<Effect> {
        match end {
            Ok(saved) => {
                self.editor.set_saved(&saved.now.text);
                self.opened = Some(Arc::new(saved.now.clone()));
                let mut effects = self.edited();
                // Its folder may not have been there before.
                effects.push(self.watch_file());
                let shared = match saved.now.glance.is_shared() {
                    true => ", for every game that takes it from there",
                    false => "",
                };
                effects.extend(say(format!(
                    // What it means comes first: the end of a path may be cut.
                    "saved, the next debate is played with it{shared}: {}",
                    saved.path.display()
                )));
                effects
            }
            Err(SaveFault::ChangedMeanwhile(theirs)) => {
                self.dialog = Some(Question::write_over(theirs));
                Vec::new()
            }
            Err(SaveFault::Text(fault)) => {
                let text = format!("not saved, and nothing else is changed: {fault}");
                self.faulty(fault);
                fail(text)
            }
            Err(SaveFault::Driver(why)) => {
                fail(format!("not saved: {why}; your text is still here"))
            }
        }
    }

    fn faulty(&mut self, fault: TextFault) {
        if let Some(line) = fault.line {
            self.editor.go_to_line(line);
        }
        self.fault = Some(fault);
    }

    pub(super) fn edited_outside(&mut self, text: Result<String, String>) -> Vec<Effect> {
        let text = match text {
            Ok(text) => text,
            Err(why) => return fail(why),
        };
        // The editor took the last line's end away.
        let text = format!("{text}\n");
        match self.replace(&text) {
            Ok(()) => {
                self.empty.clear();
                self.edited()
            }
            Err(why) => fail(why),
        }
    }

    pub(super) fn draft_found(&mut self, draft: &Draft) -> Vec<Effect> {
        let used = self.opened.as_ref().map(|opened| opened.text.as_str());
        if self.touched || used == Some(draft.text.as_str()) {
            return Vec::new();
        }
        if self.replace(&draft.text).is_err() {
            return Vec::new();
        }
        let mut effects = self.edited();
        effects.extend(say(
            "this is what you wrote last time and did not save; undoing brings back what is used",
        ));
        effects
    }
}
