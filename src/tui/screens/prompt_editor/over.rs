//! Overlays of the prompt editor: turns to preview on, versions, and questions.

use super::versions::{VersionRequest, Versions};
use super::{PromptEditor, tasks};
use crate::tui::app::{Effect, say};
use crate::tui::popups::{Dialog, DialogAnswer, PickItem, Picker, PopupResult};
use crate::tui::widgets::{Content, DrawContext, SearchDirection};
use crate::workspace::prompts::{Acceptance, PromptAt, PromptPlaces, PromptText};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};
use std::sync::Arc;

/// Overlay over the text.
pub(super) enum Over {
    /// Places are being found.
    Finding,
    /// Every text that it had.
    Versions(Versions),
}

/// What is asked for.
pub(super) enum Question {
    /// A place to preview it at, in the order of the rows; `None` for sample data.
    Places(Vec<Option<PromptAt>>),
    /// Whether the game pins the changed text.
    Accept(Arc<Acceptance>),
    /// Whether another program's change is written over.
    Theirs(Box<PromptText>),
    /// What is searched for in the text.
    Search,
    /// A label of a version.
    Label(Arc<str>),
}

impl Question {
    pub(crate) fn places(found: &[PromptPlaces], content: Content) -> Dialog<Self> {
        let mut items = Vec::new();
        let mut at = Vec::new();
        for places in found {
            for asked in &places.asked {
                items.push(PickItem {
                    label: asked.to_string(),
                    detail: format!(
                        "{}{} · {}",
                        if places.simulated {
                            "simulated · "
                        } else {
                            ""
                        },
                        content.of(places.topic.lines().next().unwrap_or_default()),
                        places.session
                    ),
                    aside: String::new(),
                });
                at.push(Some(PromptAt {
                    session: places.session.clone(),
                    asked: asked.clone(),
                }));
            }
        }
        items.push(PickItem {
            label: "sample data".to_owned(),
            detail: "the whole game on a made-up topic; no model is asked".to_owned(),
            aside: String::new(),
        });
        at.push(None);
        let pick = Picker::new("where it was used", items);
        Dialog::list(pick, Question::Places(at))
    }

    pub(crate) fn accept(acceptance: &Arc<Acceptance>) -> Dialog<Self> {
        let question = format!(
            "{}. Pin the text as it is used? The versions show every word that differs.",
            acceptance.differences()
        );
        let accept = Question::Accept(Arc::clone(acceptance));
        Dialog::confirm("Accept", &question, accept)
    }

    pub(super) fn write_over(theirs: Box<PromptText>) -> Dialog<Self> {
        let question = format!(
            "{} was changed by another program since you opened it (its version is {} now). Write your \
             text over it? Theirs stays among the versions.",
            theirs.glance.file,
            crate::library::short(&theirs.glance.hash)
        );
        Dialog::confirm("Changed meanwhile", &question, Question::Theirs(theirs))
    }
}

impl PromptEditor {
    pub(super) fn key_over(&mut self, key: KeyEvent) -> Vec<Effect> {
        match self.over.take() {
            None => Vec::new(),
            Some(Over::Finding) => {
                if key.code != KeyCode::Esc {
                    self.over = Some(Over::Finding);
                }
                Vec::new()
            }
            Some(Over::Versions(mut versions)) => match versions.key(key) {
                PopupResult::Stays => {
                    self.over = Some(Over::Versions(versions));
                    Vec::new()
                }
                PopupResult::Closes => Vec::new(),
                PopupResult::Says(VersionRequest::Take(text)) => self.take_version(&text),
                PopupResult::Says(VersionRequest::Label(text)) => {
                    self.over = Some(Over::Versions(versions));
                    let hint = "Enter labels it; the same label again takes it away · Esc leaves";
                    self.dialog = Some(Dialog::line("label:", hint, "", Question::Label(text)));
                    Vec::new()
                }
            },
        }
    }

    pub(super) fn key_dialog(&mut self, key: KeyEvent) -> Vec<Effect> {
        match Dialog::answer(&mut self.dialog, key) {
            Some(DialogAnswer::Item(Question::Places(at), chosen, _)) => {
                let at = at.into_iter().nth(chosen);
                at.map(|at| self.stage(at)).unwrap_or_default()
            }
            Some(DialogAnswer::Yes(Question::Accept(acceptance))) => {
                vec![Effect::Start(tasks::accept(self.name.clone(), acceptance))]
            }
            Some(DialogAnswer::Yes(Question::Theirs(theirs))) => {
                let (opened, text) = (theirs.glance.hash, self.editor.text());
                vec![Effect::Start(tasks::save(self.name.clone(), opened, text))]
            }
            Some(DialogAnswer::Left(Question::Accept(_))) => {
                say("nothing is accepted; the game refuses to be played with this text")
            }
            Some(DialogAnswer::Left(Question::Theirs(_))) => {
                say("nothing was written; your text is still here")
            }
            // Places are chosen from a list; what is searched for, and a label, is a line.
            Some(DialogAnswer::Line(Question::Search, text)) => {
                self.wanted = text;
                self.seek(SearchDirection::Next)
            }
            Some(DialogAnswer::Line(Question::Label(text), label)) if !label.is_empty() => {
                vec![Effect::Start(tasks::label(self.name.clone(), text, label))]
            }
            None
            | Some(
                DialogAnswer::Left(_)
                | DialogAnswer::Yes(_)
                | DialogAnswer::Item(..)
                | DialogAnswer::Line(..),
            ) => Vec::new(),
        }
    }

    /// Puts an earlier text into the editor: nothing is saved yet.
    fn take_version(&mut self, text: &str) -> Vec<Effect> {
        match self.replace(text) {
            Ok(()) => {
                let mut effects = self.edited();
                effects.extend(say(
                    "this is the earlier text: saving makes it the one that is used, undoing brings \
                     yours back",
                ));
                effects
            }
            Err(why) => say(why),
        }
    }

    /// Types pasted text into what takes some; says whether anything lies over the text.
    pub(super) fn paste_over(&mut self, text: &str) -> bool {
        if let Some(dialog) = &mut self.dialog {
            dialog.paste(text);
        }
        self.over.is_some() || self.dialog.is_some()
    }

    pub(crate) fn draw_over(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        brush: DrawContext<'_>,
    ) -> Option<Position> {
        if let Some(Over::Versions(versions)) = &mut self.over {
            versions.draw(area, buffer, brush);
        }
        self.dialog.as_ref()?.draw(area, buffer, brush)
    }
}
