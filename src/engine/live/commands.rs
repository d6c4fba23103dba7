//! Orders, obeyed or refused with what to do instead.

use super::rest::failed_steps;
use super::tiding::{MAX_SENT_BYTES, MAX_TEXT_BYTES, Order, Pace, Tiding};
use crate::debate::State;
use crate::debate::event::{Author, Event};
use crate::debate::step::{Step, StepId};
use crate::debate::view::ViewMessage;
use crate::driver::call;
use crate::driver::error::DriverError;
use crate::driver::live::Hand;
use crate::driver::play::Play;
use crate::driver::session::Session;
use std::fmt;

/// Why an order came to nothing.
pub(super) enum NotDone {
    /// Nothing was changed; why, and what to do instead.
    Refused(String),
    Broke(DriverError),
}

impl From<DriverError> for NotDone {
    fn from(error: DriverError) -> Self {
        match error {
            DriverError::Store(_) => NotDone::Broke(error),
            DriverError::Refused(refusal) => NotDone::Refused(refusal.to_string()),
            DriverError::Game(_)
            | DriverError::Prompt(_)
            | DriverError::Cast(_)
            | DriverError::Call(_)
            | DriverError::Retrieve(_)
            | DriverError::Dataset(_)
            | DriverError::Misfit { .. }
            | DriverError::UnknownEvent { .. }
            | DriverError::Empty { .. }
            | DriverError::Copied { .. }
            | DriverError::NoSuch { .. }
            | DriverError::Ambiguous { .. }
            | DriverError::Invalid(_) => NotDone::Refused(error.to_string()),
        }
    }
}

pub(super) fn refused<T>(why: impl Into<String>) -> Result<T, NotDone> {
    Err(NotDone::Refused(why.into()))
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Play(Pace::Turn) => f.write_str("play a turn"),
            Order::Play(Pace::Stage) => f.write_str("play a stage"),
            Order::Play(Pace::Round) => f.write_str("play a round"),
            Order::Play(Pace::End) => f.write_str("play to the end"),
            Order::Pause => f.write_str("pause"),
            Order::StopCall(step) => write!(f, "stop '{step}'"),
            Order::Send { step, .. } => write!(f, "send '{step}'"),
            Order::Answer { step, .. } => write!(f, "answer '{step}'"),
            Order::Reroll { turn, .. } => write!(f, "re-roll {turn}"),
            Order::AskAgain(turn) => write!(f, "ask again for {turn}"),
            Order::Edit { turn, .. } => write!(f, "edit {turn}"),
            Order::Choose(attempt) => write!(f, "choose {attempt}"),
            Order::Judge(attempt) => write!(f, "judge {attempt}"),
            Order::Retry => f.write_str("retry"),
            Order::Raise { ceiling_usd } => write!(f, "raise the ceiling to ${ceiling_usd}"),
        }
    }
}

impl Play<'_> {
    /// Does what somebody wants, or says why not.
    ///
    /// # Errors
    /// When the disk stops the session.
    pub(in crate::driver) async fn obey(
        &mut self,
        session: &mut Session,
        order: Order,
    ) -> Result<(), DriverError> {
        let name = order.to_string();
        let done = self.try_to_obey(session, order).await;
        self.tell_how_it_went(name, done)
    }

    pub(super) fn tell_how_it_went(
        &mut self,
        order: String,
        done: Result<(), NotDone>,
    ) -> Result<(), DriverError> {
        let Some(hand) = &mut self.hand else {
            return Ok(());
        };
        hand.rests = None;
        match done {
            Ok(()) => Ok(()),
            Err(NotDone::Refused(why)) => {
                hand.say(Tiding::Refused { order, why });
                Ok(())
            }
            Err(NotDone::Broke(error)) => Err(error),
        }
    }

    pub(super) async fn try_to_obey(
        &mut self,
        session: &mut Session,
        order: Order,
    ) -> Result<(), NotDone> {
        match order {
            Order::Play(pace) => {
                self.take_up(session).await?;
                self.hand()?.allowance.add(pace);
                Ok(())
            }
            Order::Pause => {
                self.hand()?.allowance.clear();
                let unsent = self.running.values().filter(|running| !running.noted);
                unsent.for_each(|running| running.cancel.cancel());
                Ok(())
            }
            Order::StopCall(step) => self.stop(&session.state, &step),
            Order::Send { step, messages } => self.send_instead(session, &step, messages).await,
            Order::Answer { step, text } => self.answer_or_take_over(session, step, text).await,
            Order::Reroll { turn, attempts } => self.reroll(session, &turn, attempts).await,
            Order::AskAgain(turn) => self.ask_again(session, &turn).await,
            Order::Edit { turn, text } => self.edit(session, turn, text).await,
            Order::Choose(attempt) => self.choose(session, attempt).await,
            Order::Judge(attempt) => self.judge(session, &attempt).await,
            Order::Retry => self.retry(session).await,
            Order::Raise { ceiling_usd } => self.raise(ceiling_usd),
        }
    }

    pub(super) fn hand(&mut self) -> Result<&mut Hand, NotDone> {
        match &mut self.hand {
            Some(hand) => Ok(hand),
            None => refused("nobody has this session in hand"),
        }
    }

    pub(super) fn person(&self) -> Author {
        Author::Person(self.table.people.name())
    }

    /// What an earlier process left in flight is in doubt and what failed is tried again, as when a
    /// session is resumed; only then, so that looking at a session changes nothing.
    pub(super) async fn take_up(&mut self, session: &mut Session) -> Result<(), NotDone> {
        if std::mem::replace(&mut self.hand()?.taken_up, true) {
            return Ok(());
        }
        let state = &session.state;
        let left = state.calls_without_outcome().next().is_some() || !state.failures().is_empty();
        if left && self.running.is_empty() && state.open().done.is_none() {
            self.resume(session).await?;
        }
        Ok(())
    }

    pub(super) async fn resume(&mut self, session: &mut Session) -> Result<(), DriverError> {
        let resumed = vec![(Author::Engine, Event::Resumed {})];
        self.record(session, resumed).await
    }

    pub(super) fn stop(&mut self, state: &State, id: &StepId) -> Result<(), NotDone> {
        let opening = state.open();
        let step = opening.steps.iter().find(|step| &step.id() == id);
        let running = self.running.get(id).map(|running| running.cancel.clone());
        let hand = self.hand()?;
        match running {
            Some(cancel) => {
                hand.allowance.stop(id, step);
                cancel.cancel();
                Ok(())
            }
            None if hand.asked.contains_key(id) => {
                hand.allowance.stop(id, step);
                hand.withdraw(|asked, _| asked == id);
                Ok(())
            }
            None => refused("it is not in flight: there is nothing to stop"),
        }
    }

    pub(super) async fn send_instead(
        &mut self,
        session: &mut Session,
        id: &StepId,
        messages: Vec<ViewMessage>,
    ) -> Result<(), NotDone> {
        if messages.is_empty() {
            return refused("there are no messages; give one at least");
        }
        let parts = messages.iter().flat_map(|message| &message.parts);
        let bytes: usize = parts
            .filter_map(|part| part.text.as_ref())
            .map(String::len)
            .sum();
        if bytes > MAX_SENT_BYTES {
            return refused(format!(
                "the messages have {bytes} bytes, and {MAX_SENT_BYTES} is the most; shorten them"
            ));
        }
        self.take_up(session).await?;
        let step = self.callable(&session.state, id)?;
        let seats = self.table.seats;
        let call = call::prepare(&session.state, &session.game, seats, &step, Some(messages))?;
        let Some(call) = call else {
            return refused("nobody sits there who could be asked");
        };
        self.enqueue_or_refuse(&session.state, call)
    }

    /// Returns the open step of a model that may be called now.
    pub(super) fn callable(&mut self, state: &State, id: &StepId) -> Result<Step, NotDone> {
        if self.running.contains_key(id) {
            return refused("it is in flight; stop it first, or wait for it");
        }
        let opening = state.open();
        if opening.blocked.contains(id) {
            return refused("it failed; retry, then send it");
        }
        let Some(step) = opening.steps.into_iter().find(|step| &step.id() == id) else {
            return refused("this step is not open; look at the steps that are");
        };
        match step {
            Step::Guard(_) | Step::Speak(_) | Step::Judge(_) | Step::WriteFeedback(_) => {}
            Step::AwaitSpeaker(_) | Step::AwaitJudge(_) | Step::AwaitFeedback(_) => {
                return refused("a person sits there; answer it instead");
            }
            Step::Retrieve
            | Step::RetrieveGuards
            | Step::Refuse(_)
            | Step::Recite(_)
            | Step::Grade { .. } => {
                return refused("no model is asked here; play on instead");
            }
        }
        if self.hand()?.is_held_by_rerolls(state, &step) {
            return refused("it waits for fresh attempts of what it is shown; wait, or stop them");
        }
        Ok(step)
    }

    pub(super) fn enqueue_or_refuse(
        &mut self,
        state: &State,
        call: call::Call,
    ) -> Result<(), NotDone> {
        if self.paused {
            return refused("the ceiling allows no more calls; raise it first");
        }
        match self.enqueue(state, call) {
            None => Ok(()),
            Some((_, limit, committed)) => refused(format!(
                "with this call the debate might pass its own ceiling ({committed} of {limit}); \
                 fork it with a higher one"
            )),
        }
    }

    fn raise(&mut self, ceiling_usd: f64) -> Result<(), NotDone> {
        match self.table.budget.raise(ceiling_usd) {
            Ok(()) => {
                self.paused = false;
                Ok(())
            }
            Err(lower) => refused(lower.to_string()),
        }
    }

    pub(super) async fn retry(&mut self, session: &mut Session) -> Result<(), NotDone> {
        if session.state.failures().is_empty() {
            return refused("nothing failed; play on instead");
        }
        let failed = failed_steps(&session.state);
        let hand = self.hand()?;
        hand.taken_up = true;
        for step in &failed {
            hand.allowance.add_step(step);
        }
        // A call that is in flight must not be taken for one whose outcome nobody will know.
        hand.retries = true;
        self.retry_when_quiet(session).await?;
        Ok(())
    }
}

pub(super) fn check_text(text: &str) -> Result<(), NotDone> {
    if text.trim().is_empty() {
        return refused("there is no text; write some");
    }
    if text.len() > MAX_TEXT_BYTES {
        return refused(format!(
            "the text has {} bytes, and {MAX_TEXT_BYTES} is the most; shorten it",
            text.len()
        ));
    }
    Ok(())
}
