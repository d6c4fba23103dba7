//! Origin of a fork: where its past ends, and what it has first of its own. Pure.

use super::State;
use crate::debate::event::{Author, CallEvent, Event, EventGroup, Record, SessionEvent, TurnEvent};
use crate::debate::ids::TurnId;
use crate::debate::step::Target;

/// Where a fork leaves its parent, and what it has first of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForkOrigin {
    /// The turn that was spoken last in the past that both share.
    pub after: Option<TurnId>,
    /// `None` until something happens in it.
    pub change: Option<ForkChange>,
}

/// What a fork has first of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForkChange {
    /// A person gave a turn another text.
    Edited { turn: TurnId, by: String },
    /// A person spoke a turn.
    Spoken { turn: TurnId, by: String },
    /// A turn that was spoken was asked for again.
    AskedAgain(TurnId),
    /// Another attempt of a turn was chosen.
    Chosen(TurnId),
    /// A person gave a verdict.
    Judged { target: Target, by: String },
    /// It goes on with other prompts.
    Prompted,
    /// It was played on, with nothing of its past changed.
    Played,
}

impl State {
    /// Returns where it leaves its parent; `None` where it is no fork.
    pub fn fork_origin(&self) -> Option<&ForkOrigin> {
        self.fork_origin.as_ref()
    }

    /// Takes note of what a record, which was folded, says of the origin of a fork.
    pub(super) fn note_fork_origin(&mut self, record: &Record) {
        if let Event::Replied(replied) = &record.event {
            self.last_spoken = Some(replied.turn.clone());
        }
        if let Event::Forked { .. } = record.event {
            self.fork_origin = Some(ForkOrigin {
                after: self.last_spoken.clone(),
                change: None,
            });
            return;
        }
        let is_known = |origin: &ForkOrigin| origin.change.is_some();
        if self.fork_origin.as_ref().is_none_or(is_known) {
            return;
        }
        let change = self.find_change(record);
        if let Some(origin) = &mut self.fork_origin {
            origin.change = change;
        }
    }

    /// Returns what a record changes of a past; `None` where it says nothing of that.
    fn find_change(&self, record: &Record) -> Option<ForkChange> {
        let person = match &record.by {
            Author::Person(name) => Some(name.clone()),
            Author::Engine => None,
        };
        match record.event.group() {
            EventGroup::Turn(TurnEvent::Edited { turn, .. }) => Some(ForkChange::Edited {
                turn: turn.clone(),
                by: person.unwrap_or_default(),
            }),
            EventGroup::Turn(TurnEvent::Chosen(attempt)) => {
                Some(ForkChange::Chosen(attempt.turn.clone()))
            }
            EventGroup::Turn(TurnEvent::Replied(replied)) => {
                let turn = replied.turn.clone();
                Some(match (person, replied.attempt) {
                    (Some(by), _) => ForkChange::Spoken { turn, by },
                    (None, 0) => ForkChange::Played,
                    (None, _) => ForkChange::AskedAgain(turn),
                })
            }
            EventGroup::Session(SessionEvent::Prompted(_)) => Some(ForkChange::Prompted),
            EventGroup::Verdict(judged) => Some(ForkChange::Judged {
                target: judged.target.clone(),
                by: person?,
            }),
            EventGroup::Session(
                SessionEvent::Created(_)
                | SessionEvent::Forked
                | SessionEvent::Resumed
                | SessionEvent::Truncated,
            )
            | EventGroup::Call(
                CallEvent::Started { .. }
                | CallEvent::Retried { .. }
                | CallEvent::Failed(_)
                | CallEvent::Stopped(_),
            )
            | EventGroup::Memory(_)
            | EventGroup::Lesson(_) => None,
        }
    }
}
