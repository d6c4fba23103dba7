//! Group of an event: what it is about. Readers match on groups, so that a new event is placed here
//! once, and only those are touched that need to know of it.

use super::{
    Created, Event, Failed, FailureKind, FeedbackWritten, Judged, Prompted, Replied, Reply,
    Retrieved, Stopped, SwappedRewards,
};
use crate::debate::guardrail_events::{Guarded, GuardrailWritten, GuardsRetrieved};
use crate::debate::ids::{AttemptId, Chair, TurnId};
use crate::debate::step::StepId;

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EventGroup<'a> {
    /// The session as a whole.
    Session(SessionEvent<'a>),
    /// A call of a model, apart from its reply.
    Call(CallEvent<'a>),
    /// Long-term memory, before the debate and before lessons.
    Memory(MemoryEvent<'a>),
    /// A text of a turn, or the choice of one.
    Turn(TurnEvent<'a>),
    Verdict(&'a Judged),
    Lesson(&'a FeedbackWritten),
}

/// Beginning, continuation and end of a session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SessionEvent<'a> {
    Created(&'a Created),
    Forked,
    Prompted(&'a Prompted),
    Resumed,
    Truncated,
}

/// What became of a call, apart from its reply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CallEvent<'a> {
    Started { step: &'a StepId },
    Retried { step: &'a StepId },
    Failed(&'a Failed),
    Stopped(&'a Stopped),
}

/// What long-term memory gave, what a guardrail decided, and what lessons are written from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MemoryEvent<'a> {
    Retrieved(&'a Retrieved),
    GuardsRetrieved(&'a GuardsRetrieved),
    Guarded(&'a Guarded),
    GuardrailWritten(&'a GuardrailWritten),
    RewardsSwapped(&'a SwappedRewards),
}

/// What changed in a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TurnEvent<'a> {
    Replied(&'a Replied),
    Edited { turn: &'a TurnId, attempt: u32 },
    Chosen(&'a AttemptId),
}

impl Event {
    /// Returns what the event is about.
    pub fn group(&self) -> EventGroup<'_> {
        match self {
            Event::Created(created) => EventGroup::Session(SessionEvent::Created(created)),
            Event::Forked { .. } => EventGroup::Session(SessionEvent::Forked),
            Event::Prompted(prompted) => EventGroup::Session(SessionEvent::Prompted(prompted)),
            Event::Resumed {} => EventGroup::Session(SessionEvent::Resumed),
            Event::Truncated { .. } => EventGroup::Session(SessionEvent::Truncated),
            Event::CallStarted { step, .. } => EventGroup::Call(CallEvent::Started { step }),
            Event::CallRetried { step, .. } => EventGroup::Call(CallEvent::Retried { step }),
            Event::Failed(failed) => EventGroup::Call(CallEvent::Failed(failed)),
            Event::Stopped(stopped) => EventGroup::Call(CallEvent::Stopped(stopped)),
            Event::Retrieved(found) => EventGroup::Memory(MemoryEvent::Retrieved(found)),
            Event::GuardsRetrieved(near) => EventGroup::Memory(MemoryEvent::GuardsRetrieved(near)),
            Event::Guarded(guarded) => EventGroup::Memory(MemoryEvent::Guarded(guarded)),
            Event::GuardrailWritten(written) => {
                EventGroup::Memory(MemoryEvent::GuardrailWritten(written))
            }
            Event::RewardsSwapped(swapped) => {
                EventGroup::Memory(MemoryEvent::RewardsSwapped(swapped))
            }
            Event::Replied(replied) => EventGroup::Turn(TurnEvent::Replied(replied)),
            Event::Edited { turn, attempt, .. } => EventGroup::Turn(TurnEvent::Edited {
                turn,
                attempt: *attempt,
            }),
            Event::Chosen { attempt } => EventGroup::Turn(TurnEvent::Chosen(attempt)),
            Event::Judged(judged) => EventGroup::Verdict(judged),
            Event::FeedbackWritten(written) => EventGroup::Lesson(written),
        }
    }

    /// Returns the turn whose texts or choice the event changes.
    pub fn changed_turn(&self) -> Option<&TurnId> {
        match self.group() {
            EventGroup::Turn(change) => Some(change.turn()),
            EventGroup::Session(_)
            | EventGroup::Call(_)
            | EventGroup::Memory(_)
            | EventGroup::Verdict(_)
            | EventGroup::Lesson(_) => None,
        }
    }

    /// Says whether the event is the decision about guardrails of a chair's model.
    pub fn decides_for(&self, chair: &Chair) -> bool {
        match self.group() {
            EventGroup::Memory(MemoryEvent::Guarded(guarded)) => guarded.chair == *chair,
            EventGroup::Memory(
                MemoryEvent::Retrieved(_)
                | MemoryEvent::GuardsRetrieved(_)
                | MemoryEvent::GuardrailWritten(_)
                | MemoryEvent::RewardsSwapped(_),
            )
            | EventGroup::Session(_)
            | EventGroup::Call(_)
            | EventGroup::Turn(_)
            | EventGroup::Verdict(_)
            | EventGroup::Lesson(_) => false,
        }
    }

    /// Returns the step without whose result the debate goes on, because the provider's filter
    /// refused it.
    pub fn skipped_step(&self) -> Option<&StepId> {
        match self {
            Event::Failed(failed) if failed.kind == FailureKind::Filtered => Some(&failed.step),
            _ => None,
        }
    }

    /// Returns the reply that the event holds; a turn that a guardrail refused holds none.
    pub fn reply(&self) -> Option<&Reply> {
        match self.group() {
            EventGroup::Turn(TurnEvent::Replied(replied)) => match replied.guardrail {
                Some(_) => None,
                None => Some(&replied.reply),
            },
            EventGroup::Memory(MemoryEvent::Guarded(guarded)) => Some(&guarded.reply),
            EventGroup::Memory(MemoryEvent::GuardrailWritten(written)) => Some(&written.reply),
            EventGroup::Verdict(judged) => judged.reply.as_ref(),
            EventGroup::Lesson(written) => Some(&written.reply),
            EventGroup::Turn(TurnEvent::Edited { .. } | TurnEvent::Chosen(_))
            | EventGroup::Memory(
                MemoryEvent::Retrieved(_)
                | MemoryEvent::GuardsRetrieved(_)
                | MemoryEvent::RewardsSwapped(_),
            )
            | EventGroup::Session(_)
            | EventGroup::Call(_) => None,
        }
    }
}

impl<'a> TurnEvent<'a> {
    /// Returns the turn that changed.
    pub fn turn(self) -> &'a TurnId {
        match self {
            TurnEvent::Replied(replied) => &replied.turn,
            TurnEvent::Edited { turn, .. } => turn,
            TurnEvent::Chosen(attempt) => &attempt.turn,
        }
    }
}
