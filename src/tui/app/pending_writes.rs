//! Pending writes: texts that were submitted, whose drafts are kept until they are durable, since a
//! connection may break between the key and the journal.

use super::broadcast::Broadcast;
use super::ui_state::Draft;
use crate::debate::event::{EventGroup, Record, TurnEvent};
use crate::debate::step::{Speak, Step, StepId};
use crate::debate::{SessionId, TurnId};

/// Pending texts at most; beyond it the drafts of the oldest simply stay.
const MAX_SENT: usize = 64;

/// A text that was sent off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    pub session: SessionId,
    /// The draft's place.
    pub place: String,
    pub what: SentWhat,
}

/// Use of a submitted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SentWhat {
    /// Answer to a step: a person's, or the reply to changed messages.
    Step(StepId),
    /// An edited turn.
    Edit(TurnId),
}

/// Pending texts, oldest first.
#[derive(Debug, Default)]
pub(super) struct OnTheirWay(Vec<Sent>);

impl OnTheirWay {
    pub(super) fn add(&mut self, sent: Sent) {
        if self.0.len() >= MAX_SENT {
            self.0.remove(0);
        }
        self.0.push(sent);
    }

    /// What was to be changed in a session is changed in its fork.
    pub(super) fn forked(&mut self, parent: &SessionId, fork: &SessionId) {
        for sent in self.0.iter_mut().filter(|sent| sent.session == *parent) {
            sent.session.clone_from(fork);
        }
    }

    /// Takes in an event; returns the drafts that are not needed any more, each with no text.
    pub(super) fn update(&mut self, news: &Broadcast) -> Vec<Draft> {
        match news {
            Broadcast::Live(id, update) => match update.record() {
                Some(record) => {
                    self.settle(|sent| sent.session == *id && settles(record, &sent.what))
                }
                None => Vec::new(),
            },
            Broadcast::Run(_) => Vec::new(),
        }
    }

    fn settle(&mut self, is_settled: impl Fn(&Sent) -> bool) -> Vec<Draft> {
        let settled = self.0.extract_if(.., |sent| is_settled(sent));
        settled
            .map(|sent| Draft {
                place: sent.place,
                text: String::new(),
            })
            .collect()
    }
}

/// Returns whether a record makes a text durable.
fn settles(record: &Record, what: &SentWhat) -> bool {
    let (step, edited) = match what {
        SentWhat::Step(step) => (Some(step), None),
        SentWhat::Edit(turn) => (None, Some(turn)),
    };
    match record.event.group() {
        EventGroup::Turn(TurnEvent::Replied(replied)) => step.is_some_and(|step| {
            let speak = Step::Speak(Speak {
                turn: replied.turn.clone(),
                attempt: replied.attempt,
                retry: None,
            });
            speak.id() == *step || replied.call.as_ref() == Some(step)
        }),
        EventGroup::Verdict(judged) => {
            step.and_then(StepId::judged)
                .is_some_and(|(judging, chair, target, order)| {
                    judging == judged.judging
                        && chair.index == judged.chair
                        && target == judged.target
                        && order == judged.order
                })
        }
        EventGroup::Lesson(_) => step == Some(&StepId::of_feedback()),
        EventGroup::Turn(TurnEvent::Edited { turn, .. }) => edited == Some(turn),
        EventGroup::Turn(TurnEvent::Chosen(_))
        | EventGroup::Session(_)
        | EventGroup::Call(_)
        | EventGroup::Memory(_) => false,
    }
}
