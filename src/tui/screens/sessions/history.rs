//! What a person did to sessions from the list, to be undone and done again. Pure.

use crate::debate::SessionId;
use crate::driver::desk::Mark;
use crate::tui::app::Deed;
use std::collections::VecDeque;

/// How many changes can be undone.
const MAX_CHANGES: usize = 200;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Deleted(SessionId),
    Named {
        session: SessionId,
        before: Option<String>,
        after: Option<String>,
    },
    Tagged {
        session: SessionId,
        tag: String,
    },
    Untagged {
        session: SessionId,
        tag: String,
    },
}

/// Why a change is being made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Fresh,
    Undo,
    Redo,
}

/// What was told of a deed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer<'a> {
    Trash(&'a SessionId),
    Margins,
}

/// Changes that were made, were undone, and are being made.
#[derive(Debug, Clone, Default)]
pub struct History {
    done: Vec<Change>,
    undone: Vec<Change>,
    /// In the order in which they were asked for; answers come in the same order.
    asked: VecDeque<(Way, Change)>,
}

impl Change {
    /// Returns the session that is changed.
    pub fn session(&self) -> &SessionId {
        match self {
            Change::Deleted(session)
            | Change::Named { session, .. }
            | Change::Tagged { session, .. }
            | Change::Untagged { session, .. } => session,
        }
    }

    /// Returns what is to be done.
    pub fn deed(&self, way: Way) -> Deed {
        let forward = match way {
            Way::Fresh | Way::Redo => Forward::Yes,
            Way::Undo => Forward::No,
        };
        match (self, forward) {
            (Change::Deleted(session), Forward::Yes) => Deed::Delete(session.clone()),
            (Change::Deleted(session), Forward::No) => Deed::BringBack(session.clone()),
            (Change::Named { session, after, .. }, Forward::Yes) => name(session, after),
            (
                Change::Named {
                    session, before, ..
                },
                Forward::No,
            ) => name(session, before),
            (Change::Tagged { session, tag }, Forward::Yes)
            | (Change::Untagged { session, tag }, Forward::No) => Deed::Margin(Mark::Tag {
                session: session.clone(),
                tag: tag.clone(),
            }),
            (Change::Tagged { session, tag }, Forward::No)
            | (Change::Untagged { session, tag }, Forward::Yes) => Deed::Margin(Mark::Untag {
                session: session.clone(),
                tag: tag.clone(),
            }),
        }
    }

    /// Returns what was done, in words.
    pub fn words(&self) -> String {
        match self {
            Change::Deleted(_) => "moved to the trash".to_owned(),
            Change::Named {
                after: Some(name), ..
            } => format!("named '{name}'"),
            Change::Named { after: None, .. } => "the name is gone".to_owned(),
            Change::Tagged { tag, .. } => format!("tagged '{tag}'"),
            Change::Untagged { tag, .. } => format!("the tag '{tag}' is gone"),
        }
    }

    fn answered_by(&self, answer: Answer<'_>) -> bool {
        match (self, answer) {
            (Change::Deleted(session), Answer::Trash(of)) => session == of,
            (
                Change::Named { .. } | Change::Tagged { .. } | Change::Untagged { .. },
                Answer::Margins,
            ) => true,
            (Change::Deleted(_), Answer::Margins)
            | (
                Change::Named { .. } | Change::Tagged { .. } | Change::Untagged { .. },
                Answer::Trash(_),
            ) => false,
        }
    }
}

enum Forward {
    Yes,
    No,
}

fn name(session: &SessionId, name: &Option<String>) -> Deed {
    Deed::Margin(Mark::Name {
        session: session.clone(),
        name: name.clone(),
    })
}

impl History {
    /// Notes a change and returns what is to be done for it.
    pub fn change(&mut self, change: Change) -> Deed {
        self.ask(Way::Fresh, change)
    }

    /// Takes back the latest change; `None` when there is none.
    pub fn undo(&mut self) -> Option<Deed> {
        let change = self.done.pop()?;
        Some(self.ask(Way::Undo, change))
    }

    /// Makes the change that was undone last; `None` when there is none.
    pub fn redo(&mut self) -> Option<Deed> {
        let change = self.undone.pop()?;
        Some(self.ask(Way::Redo, change))
    }

    /// Learns that something was done; returns what it was. `None` where it was somebody else's.
    pub fn done(&mut self, answer: Answer<'_>) -> Option<(Way, Change)> {
        let (way, change) = self.answered(answer)?;
        match way {
            Way::Fresh => {
                self.undone.clear();
                self.done.push(change.clone());
            }
            Way::Redo => self.done.push(change.clone()),
            Way::Undo => self.undone.push(change.clone()),
        }
        if self.done.len() > MAX_CHANGES {
            self.done.remove(0);
        }
        Some((way, change))
    }

    /// Learns that something could not be done: everything is as before it was asked for.
    pub fn failed(&mut self, answer: Answer<'_>) {
        match self.answered(answer) {
            Some((Way::Undo, change)) => self.done.push(change),
            Some((Way::Redo, change)) => self.undone.push(change),
            Some((Way::Fresh, _)) | None => {}
        }
    }

    fn ask(&mut self, way: Way, change: Change) -> Deed {
        let deed = change.deed(way);
        self.asked.push_back((way, change));
        deed
    }

    fn answered(&mut self, answer: Answer<'_>) -> Option<(Way, Change)> {
        let at = self
            .asked
            .iter()
            .position(|(_, change)| change.answered_by(answer))?;
        self.asked.remove(at)
    }
}
