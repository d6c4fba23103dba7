//! Results of commands, as the prompt editor takes them in.

use super::actions::say;
use super::over::Over;
use super::preview::origins;
use super::versions::Versions;
use super::{Message, PromptEditor};
use crate::experiments::PromptHistory;
use crate::library::FileOrigin;
use crate::tui::app::Draft;
use crate::tui::app::{Effect, PromptTold, SaveEnd, Staged, Task, Ticket, Told};
use crate::tui::theme::Role;
use crate::tui::widgets::Editor;
use crate::workspace::prompts::{PromptText, TextFault};
use std::sync::Arc;

impl PromptEditor {
    pub(crate) fn hear(&mut self, told: &Told) -> Vec<Effect> {
        match told {
            Told::Prompt(PromptTold::Opened(name, text)) if *name == self.name => match text {
                Ok(text) => self.take_text(text),
                Err(why) => self.cannot_open(why),
            },
            Told::Prompt(PromptTold::Changed(name, text)) if *name == self.name => match text {
                Ok(text) => self.changed_outside(text),
                Err(why) => self.cannot_read_again(why),
            },
            Told::Prompt(PromptTold::Staged(name, staged)) if *name == self.name => match staged {
                Ok(staged) => self.take_stage(staged),
                Err(why) => vec![Effect::Say(Role::Error, why.clone())],
            },
            Told::Prompt(PromptTold::Places(name, found)) if *name == self.name => {
                if !matches!(self.over, Some(Over::Finding)) {
                    return Vec::new();
                }
                self.over = None;
                match found {
                    Ok(found) => {
                        self.over = Some(Over::places(found, self.content));
                        Vec::new()
                    }
                    Err(why) => vec![Effect::Say(Role::Error, why.clone())],
                }
            }
            Told::Prompt(PromptTold::Shown(ticket, shown)) => {
                // What is late is still newer than what is shown.
                if *ticket > self.answered && *ticket <= self.ticket {
                    self.answered = *ticket;
                    match shown {
                        Ok(shown) => {
                            self.shown = Some(Arc::clone(shown));
                            self.fault = None;
                            self.turn_page();
                        }
                        // What the last good text showed stays in sight.
                        Err(fault) => self.fault = Some(fault.clone()),
                    }
                }
                Vec::new()
            }
            Told::Prompt(PromptTold::Versions(name, found)) if *name == self.name => {
                self.take_versions(found)
            }
            Told::Prompt(PromptTold::Pinned(name, pin)) if *name == self.name => {
                // A game that cannot be read says so when its text is rendered.
                self.pin = pin.clone().ok().flatten();
                Vec::new()
            }
            Told::Prompt(PromptTold::Acceptance(name, looked)) if *name == self.name => {
                match looked {
                    Ok(acceptance) => {
                        self.over = Some(Over::accept(acceptance));
                        Vec::new()
                    }
                    Err(why) => vec![Effect::Say(Role::Error, why.clone())],
                }
            }
            Told::Prompt(PromptTold::Accepted(name, done)) if *name == self.name => match done {
                Ok(done) => say(format!(
                    "accepted, and pinned in {}: the game can be played with it",
                    done.file.display()
                )),
                Err(why) => vec![Effect::Say(Role::Error, format!("not accepted: {why}"))],
            },
            Told::Prompt(PromptTold::Saved(name, end)) if *name == self.name => self.saved(end),
            _ => Vec::new(),
        }
    }

    fn take_versions(&mut self, found: &Result<Arc<PromptHistory>, String>) -> Vec<Effect> {
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
                vec![Effect::Say(Role::Error, why.clone())]
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

    fn cannot_open(&mut self, why: &str) -> Vec<Effect> {
        self.empty = why.to_owned();
        vec![Effect::Say(Role::Error, why.to_owned())]
    }

    /// The file cannot be read any more; what was read stays.
    fn cannot_read_again(&mut self, why: &str) -> Vec<Effect> {
        let text = format!("{why}; the text that was read last is still here");
        vec![Effect::Say(Role::Error, text)]
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
            effects.push(Effect::Say(
                Role::Warning,
                format!(
                    "{} is gone, and the text of {} is used; yours is still here: saving writes it \
                     again",
                    file.display(),
                    now.glance.origin
                ),
            ));
            return effects;
        }
        if self.changed {
            let text = "the file was changed by another program; your text is still here, and saving \
                        asks before it writes over theirs";
            return vec![Effect::Say(Role::Warning, text.to_owned())];
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

    fn take_stage(&mut self, staged: &Arc<Staged>) -> Vec<Effect> {
        self.staged = Some(Arc::clone(staged));
        self.origins = origins(&staged.stage);
        if staged.stage.recorded.is_none() {
            self.difference = false;
        }
        self.shown = None;
        self.turn_page();
        let text = match (&self.opened, self.empty.is_empty()) {
            (Some(_), true) => self.editor.text(),
            (Some(opened), false) => opened.text.clone(),
            (None, _) => return Vec::new(),
        };
        self.look(text).into_iter().collect()
    }

    fn saved(&mut self, end: &SaveEnd) -> Vec<Effect> {
        match end {
            SaveEnd::Saved(saved) => {
                self.editor.set_saved(&saved.now.text);
                self.opened = Some(Arc::new(saved.now.clone()));
                let mut effects = self.edited();
                // Its folder may not have been there before.
                effects.push(self.watch());
                let shared = match saved.now.glance.is_shared() {
                    true => ", for every game that takes it from there",
                    false => "",
                };
                effects.extend(say(format!(
                    "saved to {}: the next debate is played with it{shared}",
                    saved.path.display()
                )));
                effects
            }
            SaveEnd::Changed(theirs) => {
                self.over = Some(Over::write_over(theirs));
                Vec::new()
            }
            SaveEnd::Fault(fault) => {
                self.faulty(fault);
                let text = format!("not saved, and nothing else is changed: {fault}");
                vec![Effect::Say(Role::Error, text)]
            }
            SaveEnd::Failed(why) => {
                let text = format!("not saved: {why}; your text is still here");
                vec![Effect::Say(Role::Error, text)]
            }
        }
    }

    fn faulty(&mut self, fault: &TextFault) {
        self.fault = Some(fault.clone());
        if let Some(line) = fault.line {
            self.editor.go_to_line(line);
        }
    }

    pub(super) fn edited_outside(&mut self, text: Result<String, String>) -> Vec<Effect> {
        let text = match text {
            Ok(text) => text,
            Err(why) => return vec![Effect::Say(Role::Error, why)],
        };
        // The editor took the last line's end away.
        let text = format!("{text}\n");
        match self.replace(&text) {
            Ok(()) => {
                self.empty.clear();
                self.edited()
            }
            Err(why) => vec![Effect::Say(Role::Error, why)],
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

impl PromptEditor {
    /// Says whether an answer is to the newest question.
    pub(super) fn is_late(&self) -> bool {
        self.answered != Ticket(0) && self.answered < self.ticket
    }
}
