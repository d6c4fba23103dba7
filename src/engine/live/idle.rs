//! What is done when calls end, and why a session rests when none is left.

use super::hand::Hand;
use super::tiding::{Rest, Tiding};
use crate::debate::event::{Author, Event};
use crate::debate::step::{Opening, Step, StepId};
use crate::debate::{Record, State};
use crate::driver::error::DriverError;
use crate::driver::play::Play;
use crate::driver::session::Session;

impl Play<'_> {
    /// Tells what is over, and lets people speak whose seats were freed for them.
    ///
    /// # Errors
    /// When the disk stops the session.
    pub(in crate::driver) async fn after_taking_in(
        &mut self,
        session: &mut Session,
    ) -> Result<(), DriverError> {
        let Some(hand) = &mut self.hand else {
            return Ok(());
        };
        hand.tell_what_is_over();
        let freed = hand
            .takeovers
            .extract_if(.., |id, _| !self.running.contains_key(id));
        let freed: Vec<(StepId, String)> = freed.collect();
        for (id, text) in freed {
            let done = self.answer(session, &id, text).await;
            self.tell_how_it_went(format!("answer '{id}'"), done)?;
        }
        self.retry_when_quiet(session).await?;
        Ok(())
    }

    /// Nothing is in flight: tells why, once. Returns whether the state changed instead.
    ///
    /// # Errors
    /// When the disk stops the session.
    pub(in crate::driver) async fn rest(
        &mut self,
        session: &mut Session,
    ) -> Result<bool, DriverError> {
        if self.retry_when_quiet(session).await? {
            return Ok(true);
        }
        self.tell_what_was_noted(session).await?;
        let Some(hand) = &mut self.hand else {
            return Ok(false);
        };
        let rest = why_it_rests(hand, &session.state, self.paused);
        match &rest {
            Rest::Held | Rest::Done(_) => hand.allowance.clear(),
            Rest::Stuck(_) | Rest::Paused | Rest::Waits(_) => {}
        }
        if hand.rests.as_ref() != Some(&rest) {
            hand.say(Tiding::Rests(rest.clone()));
            hand.rests = Some(rest);
        }
        Ok(false)
    }

    /// Makes durable what was noted, and tells it.
    ///
    /// # Errors
    /// When the disk stops the session.
    pub(in crate::driver) async fn tell_what_was_noted(
        &mut self,
        session: &mut Session,
    ) -> Result<(), DriverError> {
        let Some(hand) = &mut self.hand else {
            return Ok(());
        };
        if hand.noted.is_empty() {
            return Ok(());
        }
        session.sync().await?;
        for record in hand.noted.drain(..) {
            (self.table.observer).happened(&session.id, &record, &session.state);
        }
        Ok(())
    }

    pub(super) async fn retry_when_quiet(
        &mut self,
        session: &mut Session,
    ) -> Result<bool, DriverError> {
        let quiet = !self.running.values().any(|running| running.noted);
        match &mut self.hand {
            // A reply that waits for an earlier one has no outcome in the journal yet.
            Some(hand) if hand.retries && quiet && hand.rerolls.turns().next().is_none() => {
                hand.retries = false;
            }
            Some(_) | None => return Ok(false),
        }
        self.resume(session).await?;
        Ok(true)
    }
}

fn why_it_rests(hand: &Hand, state: &State, paused: bool) -> Rest {
    let Opening { steps, done, .. } = state.open();
    if let Some(done) = done {
        return Rest::Done(done);
    }
    if paused {
        return Rest::Paused;
    }
    if hand.waits() {
        return Rest::Waits(hand.asked.keys().cloned().collect());
    }
    let failed = failed_steps(state);
    let stuck = failed.iter().any(|step| hand.allowance.holds(step));
    if stuck || (steps.is_empty() && !failed.is_empty()) {
        return Rest::Stuck(state.failures().values().cloned().collect());
    }
    Rest::Held
}

/// Returns the steps that failed and would be open but for that.
pub(super) fn failed_steps(state: &State) -> Vec<Step> {
    let Opening { blocked, .. } = state.open();
    if blocked.is_empty() {
        return Vec::new();
    }
    let mut forgiven = state.clone();
    let resumed = Record {
        at: String::new(),
        by: Author::Engine,
        event: Event::Resumed {},
    };
    if forgiven.apply(&resumed).is_err() {
        return Vec::new();
    }
    let steps = forgiven.open().steps.into_iter();
    steps.filter(|step| blocked.contains(&step.id())).collect()
}
