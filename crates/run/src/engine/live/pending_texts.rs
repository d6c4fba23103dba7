//! Pending texts: texts that were submitted, whose drafts are kept until they are durable, since a
//! connection may break between the key and the journal.

use elenchus_game::debate::event::{EventGroup, Record, TurnEvent};
use elenchus_game::debate::step::{Speak, Step, StepId};
use elenchus_game::debate::{SessionId, TurnId};

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
pub struct PendingTexts(Vec<Sent>);

impl PendingTexts {
    /// Waits for a text.
    pub fn add_text(&mut self, sent: Sent) {
        if self.0.len() >= MAX_SENT {
            self.0.remove(0);
        }
        self.0.push(sent);
    }

    /// What was to be changed in a session is changed in its fork.
    pub fn move_to_fork(&mut self, parent: &SessionId, fork: &SessionId) {
        for sent in self.0.iter_mut().filter(|sent| sent.session == *parent) {
            sent.session.clone_from(fork);
        }
    }

    /// Takes in what became durable in a session; returns the places of drafts that are not needed any more.
    pub fn remove_durable(&mut self, session: &SessionId, record: &Record) -> Vec<String> {
        let is_durable =
            |sent: &mut Sent| sent.session == *session && makes_durable(record, &sent.what);
        let durable_texts = self.0.extract_if(.., is_durable);
        durable_texts.map(|sent| sent.place).collect()
    }
}

/// Returns whether a record makes a text durable.
fn makes_durable(record: &Record, what: &SentWhat) -> bool {
    let (step, edited_turn) = match what {
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
        EventGroup::Verdict(judged) => step.and_then(StepId::requested_verdict).is_some_and(
            |(judging, chair, target, order)| {
                judging == judged.judging
                    && chair.index == judged.chair
                    && target == judged.target
                    && order == judged.order
            },
        ),
        EventGroup::Lesson(written) => {
            step == Some(&StepId::feedback_step(written.learner.as_ref()))
        }
        EventGroup::Turn(TurnEvent::Edited { turn, .. }) => edited_turn == Some(turn),
        EventGroup::Turn(TurnEvent::Chosen(_))
        | EventGroup::Session(_)
        | EventGroup::Call(_)
        | EventGroup::Memory(_) => false,
    }
}
