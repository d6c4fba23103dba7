//! Undo history of the session list. Pure.

use crate::debate::SessionId;
use crate::tui::app::Deed;
use crate::workspace::annotations::{Annotation, AnnotationId};
use std::collections::VecDeque;

/// Changes that can be undone, at most.
const MAX_CHANGES: usize = 200;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SessionChange {
    Deleted(SessionId),
    /// Something was written into the margin.
    Marked(Annotation),
}

/// Cause of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeCause {
    Fresh,
    Undo,
    Redo,
}

/// Reported result of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeAnswer<'a> {
    Trash(&'a SessionId),
    /// The margins, with the mark that was made.
    Annotations(Option<&'a AnnotationId>),
}

/// A change with the mark that made it, or unmade it, last.
type ChangeStep = (SessionChange, Option<AnnotationId>);

/// Changes that were made, were undone, and are being made.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    done: Vec<ChangeStep>,
    undone: Vec<ChangeStep>,
    /// In the order in which they were asked for; answers come in the same order.
    asked: VecDeque<(ChangeCause, ChangeStep)>,
}

impl SessionChange {
    /// Returns what was done, in words.
    pub fn describe(&self) -> String {
        match self {
            SessionChange::Deleted(_) => "moved to the trash".to_owned(),
            SessionChange::Marked(mark) => match mark {
                Annotation::Named { name, .. } => match name {
                    Some(name) => format!("named '{name}'"),
                    None => "the name is gone".to_owned(),
                },
                Annotation::Tagged { tag, .. } => format!("tagged '{tag}'"),
                Annotation::Untagged { tag, .. } => format!("the tag '{tag}' is gone"),
                Annotation::Noted { .. } => "noted".to_owned(),
                Annotation::Labelled(label) => format!("labelled '{}'", label.label),
                Annotation::Unblinded { .. } => "recorded as seen".to_owned(),
                Annotation::Retracted { .. } => "taken back".to_owned(),
            },
        }
    }

    fn answered_by(&self, answer: ChangeAnswer<'_>) -> bool {
        match (self, answer) {
            (SessionChange::Deleted(session), ChangeAnswer::Trash(of)) => session == of,
            (SessionChange::Marked(_), ChangeAnswer::Annotations(_)) => true,
            (SessionChange::Deleted(_), ChangeAnswer::Annotations(_))
            | (SessionChange::Marked(_), ChangeAnswer::Trash(_)) => false,
        }
    }
}

impl History {
    /// Notes a change and returns what is to be done for it.
    pub fn change(&mut self, change: SessionChange) -> Deed {
        let deed = match &change {
            SessionChange::Deleted(session) => Deed::Delete(session.clone()),
            SessionChange::Marked(mark) => Deed::Margin(mark.clone()),
        };
        self.asked.push_back((ChangeCause::Fresh, (change, None)));
        deed
    }

    /// Takes back the latest change; `None` when there is none.
    pub fn undo(&mut self) -> Option<Deed> {
        let (change, mark) = self.done.pop()?;
        let deed = match &change {
            SessionChange::Deleted(session) => Deed::BringBack(session.clone()),
            SessionChange::Marked(_) => retract(mark.as_ref()?),
        };
        self.asked.push_back((ChangeCause::Undo, (change, mark)));
        Some(deed)
    }

    /// Makes the change that was undone last; `None` when there is none.
    pub fn redo(&mut self) -> Option<Deed> {
        let (change, mark) = self.undone.pop()?;
        let deed = match &change {
            SessionChange::Deleted(session) => Deed::Delete(session.clone()),
            // The retraction is retracted.
            SessionChange::Marked(_) => retract(mark.as_ref()?),
        };
        self.asked.push_back((ChangeCause::Redo, (change, mark)));
        Some(deed)
    }

    /// Takes in a finished change; returns it, or `None` where another screen made it.
    pub fn done(&mut self, answer: ChangeAnswer<'_>) -> Option<(ChangeCause, SessionChange)> {
        let (way, (change, _)) = self.answered(answer)?;
        let mark = match answer {
            ChangeAnswer::Trash(_) => None,
            ChangeAnswer::Annotations(mark) => mark.cloned(),
        };
        let step = (change.clone(), mark);
        match way {
            ChangeCause::Fresh => {
                self.undone.clear();
                self.done.push(step);
            }
            ChangeCause::Redo => self.done.push(step),
            ChangeCause::Undo => self.undone.push(step),
        }
        if self.done.len() > MAX_CHANGES {
            self.done.remove(0);
        }
        Some((way, change))
    }

    /// Learns that something could not be done: everything is as before it was asked for.
    pub fn failed(&mut self, answer: ChangeAnswer<'_>) {
        match self.answered(answer) {
            Some((ChangeCause::Undo, step)) => self.done.push(step),
            Some((ChangeCause::Redo, step)) => self.undone.push(step),
            Some((ChangeCause::Fresh, _)) | None => {}
        }
    }

    fn answered(&mut self, answer: ChangeAnswer<'_>) -> Option<(ChangeCause, ChangeStep)> {
        let at = self
            .asked
            .iter()
            .position(|(_, (change, _))| change.answered_by(answer))?;
        self.asked.remove(at)
    }
}

fn retract(mark: &AnnotationId) -> Deed {
    Deed::Margin(Annotation::Retracted { of: mark.clone() })
}
