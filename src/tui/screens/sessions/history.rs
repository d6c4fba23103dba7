//! What a person did to sessions from the list, to be undone and done again. Pure.

use crate::debate::SessionId;
use crate::driver::desk::{Mark, MarkId};
use crate::tui::app::Deed;
use std::collections::VecDeque;

/// How many changes can be undone.
const MAX_CHANGES: usize = 200;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Deleted(SessionId),
    /// Something was written into the margin.
    Marked(Mark),
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
    /// The margins, with the mark that was made.
    Margins(Option<&'a MarkId>),
}

/// A change with the mark that made it, or unmade it, last.
type Step = (Change, Option<MarkId>);

/// Changes that were made, were undone, and are being made.
#[derive(Debug, Clone, Default)]
pub struct History {
    done: Vec<Step>,
    undone: Vec<Step>,
    /// In the order in which they were asked for; answers come in the same order.
    asked: VecDeque<(Way, Step)>,
}

impl Change {
    /// Returns what was done, in words.
    pub fn words(&self) -> String {
        match self {
            Change::Deleted(_) => "moved to the trash".to_owned(),
            Change::Marked(mark) => match mark {
                Mark::Named { name, .. } => match name {
                    Some(name) => format!("named '{name}'"),
                    None => "the name is gone".to_owned(),
                },
                Mark::Tagged { tag, .. } => format!("tagged '{tag}'"),
                Mark::Untagged { tag, .. } => format!("the tag '{tag}' is gone"),
                Mark::Noted { .. } => "noted".to_owned(),
                Mark::Labelled(label) => format!("labelled '{}'", label.label),
                Mark::Unblinded { .. } => "recorded as seen".to_owned(),
                Mark::Retracted { .. } => "taken back".to_owned(),
            },
        }
    }

    fn answered_by(&self, answer: Answer<'_>) -> bool {
        match (self, answer) {
            (Change::Deleted(session), Answer::Trash(of)) => session == of,
            (Change::Marked(_), Answer::Margins(_)) => true,
            (Change::Deleted(_), Answer::Margins(_)) | (Change::Marked(_), Answer::Trash(_)) => {
                false
            }
        }
    }
}

impl History {
    /// Notes a change and returns what is to be done for it.
    pub fn change(&mut self, change: Change) -> Deed {
        let deed = match &change {
            Change::Deleted(session) => Deed::Delete(session.clone()),
            Change::Marked(mark) => Deed::Margin(mark.clone()),
        };
        self.asked.push_back((Way::Fresh, (change, None)));
        deed
    }

    /// Takes back the latest change; `None` when there is none.
    pub fn undo(&mut self) -> Option<Deed> {
        let (change, mark) = self.done.pop()?;
        let deed = match &change {
            Change::Deleted(session) => Deed::BringBack(session.clone()),
            Change::Marked(_) => retract(mark.as_ref()?),
        };
        self.asked.push_back((Way::Undo, (change, mark)));
        Some(deed)
    }

    /// Makes the change that was undone last; `None` when there is none.
    pub fn redo(&mut self) -> Option<Deed> {
        let (change, mark) = self.undone.pop()?;
        let deed = match &change {
            Change::Deleted(session) => Deed::Delete(session.clone()),
            // The retraction is retracted.
            Change::Marked(_) => retract(mark.as_ref()?),
        };
        self.asked.push_back((Way::Redo, (change, mark)));
        Some(deed)
    }

    /// Learns that something was done; returns what it was. `None` where it was somebody else's.
    pub fn done(&mut self, answer: Answer<'_>) -> Option<(Way, Change)> {
        let (way, (change, _)) = self.answered(answer)?;
        let mark = match answer {
            Answer::Trash(_) => None,
            Answer::Margins(mark) => mark.cloned(),
        };
        let step = (change.clone(), mark);
        match way {
            Way::Fresh => {
                self.undone.clear();
                self.done.push(step);
            }
            Way::Redo => self.done.push(step),
            Way::Undo => self.undone.push(step),
        }
        if self.done.len() > MAX_CHANGES {
            self.done.remove(0);
        }
        Some((way, change))
    }

    /// Learns that something could not be done: everything is as before it was asked for.
    pub fn failed(&mut self, answer: Answer<'_>) {
        match self.answered(answer) {
            Some((Way::Undo, step)) => self.done.push(step),
            Some((Way::Redo, step)) => self.undone.push(step),
            Some((Way::Fresh, _)) | None => {}
        }
    }

    fn answered(&mut self, answer: Answer<'_>) -> Option<(Way, Step)> {
        let at = self
            .asked
            .iter()
            .position(|(_, (change, _))| change.answered_by(answer))?;
        self.asked.remove(at)
    }
}

fn retract(mark: &MarkId) -> Deed {
    Deed::Margin(Mark::Retracted { of: mark.clone() })
}
