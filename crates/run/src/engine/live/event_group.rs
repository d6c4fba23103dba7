//! Group of a live event: what it is about. Receivers match on groups, so that a new event is
//! placed here once.

use super::messages::{DeltaKind, IdleReason, LiveEvent};
use elenchus_game::debate::event::Record;
use elenchus_game::debate::step::StepId;

/// What a live event is about.
#[derive(Debug, Clone, Copy)]
pub enum LiveGroup<'a> {
    /// Something happened, and is durable.
    Record(&'a Record),
    /// Progress of a call, which is provisional.
    Call(&'a StepId, CallProgress<'a>),
    /// A person's seat is open.
    Seat(&'a StepId),
    Rest(&'a IdleReason),
    /// A command was refused.
    Refused {
        command: &'a str,
        why: &'a str,
    },
    /// A notice or a repair.
    Notice,
    Broke(&'a str),
}

/// Progress of a call.
#[derive(Debug, Clone, Copy)]
pub enum CallProgress<'a> {
    Began,
    Delta(DeltaKind, &'a str),
    WasThinking,
    Void { why: &'a str },
    Ended,
}

impl LiveEvent {
    /// Returns what the event is about.
    pub fn group(&self) -> LiveGroup<'_> {
        match self {
            LiveEvent::Happened(record) => LiveGroup::Record(record),
            LiveEvent::Began { step } => LiveGroup::Call(step, CallProgress::Began),
            LiveEvent::Delta { step, kind, text } => {
                LiveGroup::Call(step, CallProgress::Delta(*kind, text))
            }
            LiveEvent::WasThinking { step } => LiveGroup::Call(step, CallProgress::WasThinking),
            LiveEvent::Void { step, why, .. } => LiveGroup::Call(step, CallProgress::Void { why }),
            LiveEvent::Ended { step } => LiveGroup::Call(step, CallProgress::Ended),
            LiveEvent::Asks(_, step) => LiveGroup::Seat(step),
            LiveEvent::Idle(reason) => LiveGroup::Rest(reason),
            LiveEvent::Refused { command, why } => LiveGroup::Refused { command, why },
            LiveEvent::Mended(_) | LiveEvent::Noticed(_) => LiveGroup::Notice,
            LiveEvent::Broke(why) => LiveGroup::Broke(why),
        }
    }

    /// Returns what happened, if that is what the event says.
    pub fn record(&self) -> Option<&Record> {
        match self.group() {
            LiveGroup::Record(record) => Some(record),
            LiveGroup::Call(..)
            | LiveGroup::Seat(_)
            | LiveGroup::Rest(_)
            | LiveGroup::Refused { .. }
            | LiveGroup::Notice
            | LiveGroup::Broke(_) => None,
        }
    }
}
