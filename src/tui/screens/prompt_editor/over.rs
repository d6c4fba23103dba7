//! Overlays of the prompt editor: turns to preview on, versions, and questions.

use super::PromptEditor;
use super::actions::say;
use super::versions::{VersionRequest, Versions};
use crate::tui::app::{Deed, Effect, PromptAt, PromptDeed};
use crate::tui::popups::{Confirm, ConfirmAnswer, PickItem, Picker, PopupResult};
use crate::tui::theme::Look;
use crate::tui::widgets::{Content, counted};
use crate::workspace::prompts::{Acceptance, PromptPlaces, PromptText};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};
use similar::{ChangeTag, TextDiff};
use std::sync::Arc;

/// Digits of a pin.
const DIGITS: usize = 12;

/// Overlay over the text.
pub(super) enum Over {
    /// Places are being found.
    Finding,
    Places {
        pick: Box<Picker>,
        /// In the order of the rows; `None` for sample data.
        at: Vec<Option<PromptAt>>,
    },
    /// Every text that it had.
    Versions(Versions),
    /// Confirms that the game pins the changed text.
    Accept {
        ask: Confirm,
        acceptance: Arc<Acceptance>,
    },
    /// Confirms overwriting another program's change.
    Theirs {
        ask: Confirm,
        theirs: Arc<PromptText>,
    },
}

impl Over {
    pub(crate) fn places(found: &[PromptPlaces], content: Content) -> Self {
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
        Over::Places {
            pick: Box::new(Picker::new("where it was used", items)),
            at,
        }
    }

    pub(crate) fn accept(acceptance: &Arc<Acceptance>) -> Self {
        let expected = &acceptance.pin.expected;
        let pinned = match expected.get(..DIGITS).unwrap_or(expected) {
            "" => "no text yet".to_owned(),
            digits => digits.to_owned(),
        };
        let differs = match &acceptance.before {
            Some(before) => changed_lines(before, &acceptance.now.text),
            None => "the pinned text is not in this store".to_owned(),
        };
        let question = format!(
            "{} pins {pinned}, and {} is used now: {differs}. Pin the text as it is used? The versions \
             show every word that differs.",
            acceptance.pin.file,
            crate::library::short(&acceptance.now.glance.hash)
        );
        Over::Accept {
            ask: Confirm::new("Accept", &question, ConfirmAnswer::No),
            acceptance: Arc::clone(acceptance),
        }
    }

    pub(super) fn write_over(theirs: &Arc<PromptText>) -> Self {
        let question = format!(
            "{} was changed by another program since you opened it (its version is {} now). Write your \
             text over it? Theirs stays among the versions.",
            theirs.glance.file,
            crate::library::short(&theirs.glance.hash)
        );
        Over::Theirs {
            ask: Confirm::new("Changed meanwhile", &question, ConfirmAnswer::No),
            theirs: Arc::clone(theirs),
        }
    }
}

/// Says how many lines are not the same.
fn changed_lines(before: &str, now: &str) -> String {
    let lines = TextDiff::from_lines(before, now);
    let count = |tag: ChangeTag| {
        let changes = lines.iter_all_changes();
        changes.filter(|change| change.tag() == tag).count()
    };
    let (gone, new) = (count(ChangeTag::Delete), count(ChangeTag::Insert));
    format!("{} removed, {new} added", counted(gone, "line"))
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
            Some(Over::Places { mut pick, at }) => match pick.key(key) {
                PopupResult::Stays => {
                    self.over = Some(Over::Places { pick, at });
                    Vec::new()
                }
                PopupResult::Closes => Vec::new(),
                PopupResult::Says(chosen) => match at.into_iter().nth(chosen) {
                    Some(at) => self.stage(at),
                    None => Vec::new(),
                },
            },
            Some(Over::Versions(mut versions)) => match versions.key(key) {
                PopupResult::Stays => {
                    self.over = Some(Over::Versions(versions));
                    Vec::new()
                }
                PopupResult::Closes => Vec::new(),
                PopupResult::Says(VersionRequest::Take(text)) => self.take_version(&text),
                PopupResult::Says(VersionRequest::Label { text, label }) => {
                    self.over = Some(Over::Versions(versions));
                    let name = self.name.clone();
                    let label = PromptDeed::Label { name, text, label };
                    vec![Effect::Do(Deed::Prompt(label))]
                }
            },
            Some(Over::Accept {
                mut ask,
                acceptance,
            }) => match ask.key(key) {
                PopupResult::Stays => {
                    self.over = Some(Over::Accept { ask, acceptance });
                    Vec::new()
                }
                PopupResult::Closes | PopupResult::Says(ConfirmAnswer::No) => {
                    say("nothing is accepted; the game refuses to be played with this text")
                }
                PopupResult::Says(ConfirmAnswer::Yes) => {
                    let accept = PromptDeed::Accept(self.name.clone(), acceptance);
                    vec![Effect::Do(Deed::Prompt(accept))]
                }
            },
            Some(Over::Theirs { mut ask, theirs }) => match ask.key(key) {
                PopupResult::Stays => {
                    self.over = Some(Over::Theirs { ask, theirs });
                    Vec::new()
                }
                PopupResult::Closes | PopupResult::Says(ConfirmAnswer::No) => {
                    say("nothing was written; your text is still here")
                }
                PopupResult::Says(ConfirmAnswer::Yes) => {
                    let save = PromptDeed::Save {
                        name: self.name.clone(),
                        opened: theirs.glance.hash,
                        text: self.editor.text(),
                    };
                    vec![Effect::Do(Deed::Prompt(save))]
                }
            },
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
        if let Some(Over::Places { pick, .. }) = &mut self.over {
            pick.paste(text);
        }
        if let Some(Over::Versions(versions)) = &mut self.over {
            versions.paste(text);
        }
        self.over.is_some()
    }

    pub(crate) fn draw_over(
        &self,
        area: Rect,
        buffer: &mut Buffer,
        look: &Look,
    ) -> Option<Position> {
        match self.over.as_ref()? {
            Over::Finding => None,
            Over::Places { pick, .. } => pick.draw(area, buffer, look),
            Over::Versions(versions) => {
                versions.draw(area, buffer, look, self.marking, self.content)
            }
            Over::Accept { ask, .. } | Over::Theirs { ask, .. } => {
                ask.draw(area, buffer, look);
                None
            }
        }
    }
}
