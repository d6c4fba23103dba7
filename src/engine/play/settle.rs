//! What comes back: recorded together, then told, then paid for.

use super::{Came, Deriving, Play, learn};
use crate::debate::event::{Author, Event};
use crate::debate::step::StepId;
use crate::driver::asked::{answered, person_at};
use crate::driver::call::outcome;
use crate::driver::derive::Derived;
use crate::driver::error::DriverError;
use crate::driver::log;
use crate::driver::session::Session;

impl<'a> Play<'a> {
    /// Records everything that came, together.
    pub(super) async fn take_in(
        &mut self,
        session: &mut Session,
        came: Vec<Came<'a>>,
    ) -> Result<(), DriverError> {
        let mut events = Vec::new();
        let mut settled = Vec::new();
        while let Ok(retried) = self.retried.try_recv() {
            self.note_retry(session, retried)?;
        }
        let mut fault = None;
        for came in came {
            match came {
                Came::Reserved(call, _) if self.is_withdrawn(&call.id) => {
                    self.is_over(&call.id, None, &mut events);
                }
                Came::Reserved(call, reservation) => self.send(session, call, reservation)?,
                Came::Refused(step) => {
                    self.is_over(&step, None, &mut events);
                    self.paused = true;
                }
                Came::Withdrawn(step) => self.is_over(&step, None, &mut events),
                Came::Called {
                    call,
                    reservation,
                    result,
                } => {
                    let step = call.id.clone();
                    if let Err(error) = &*result {
                        self.table.budget.turned_away(error);
                    }
                    let (event, cost) = outcome(session, *call, *result);
                    self.is_over(&step, event, &mut events);
                    settled.push((reservation, cost));
                }
                Came::Derived(derived) => {
                    self.deriving = Deriving::Over;
                    match derived {
                        Ok(Derived::Kept { notices }) => {
                            for notice in &notices {
                                self.table.observer.mended(notice);
                            }
                        }
                        Ok(Derived::NotSent) => {}
                        Err(error) => {
                            fault = Some(format!("the guardrail could not be derived: {error}"));
                        }
                    }
                }
                Came::Answered {
                    step,
                    question,
                    answer,
                } => {
                    self.running.remove(&step.id());
                    let author = person_at(session, &step, self.table.people);
                    match answer.map(|answer| answered(session, *step, *question, answer)) {
                        Ok(Some(event)) => events.push((author, event)),
                        Ok(None) => self.left = true,
                        Err(error) => {
                            fault = Some(format!("the answer could not be read: {error}"));
                        }
                    }
                }
            }
        }
        if let Some(hand) = &mut self.hand {
            events.extend(hand.rerolled(&session.state));
        }
        if !events.is_empty() {
            self.record(session, events).await?;
        }
        self.purse.commit(self.committed_usd(&session.state));
        for (reservation, cost) in settled {
            reservation.settle(cost);
        }
        learn(self.table, session).await?;
        if self.hand.is_some() {
            self.after_taking_in(session).await?;
        }
        match fault {
            Some(fault) => Err(DriverError::Invalid(fault)),
            None => Ok(()),
        }
    }

    fn is_withdrawn(&self, step: &StepId) -> bool {
        let running = self.running.get(step);
        running.is_none_or(|running| running.cancel.is_cancelled())
    }

    /// A call is over; what it brought, if anything, is to be recorded.
    fn is_over(&mut self, step: &StepId, event: Option<Event>, events: &mut Vec<(Author, Event)>) {
        self.running.remove(step);
        let event = match &mut self.hand {
            None => event,
            Some(hand) => hand.call_is_over(step, event),
        };
        events.extend(event.map(|event| (Author::Engine, event)));
    }

    /// Writes that a call is made again: before its outcome is known, for it may have cost money.
    pub(super) fn note_retry(
        &mut self,
        session: &mut Session,
        retried: Event,
    ) -> Result<(), DriverError> {
        let charged = match &retried {
            Event::CallRetried {
                may_have_cost_usd, ..
            } => may_have_cost_usd.unwrap_or(0.0),
            _ => 0.0,
        };
        let record = session.note(self.table.clock.now(), retried)?;
        self.purse.recorded(charged);
        self.purse.commit(self.committed_usd(&session.state));
        log::tell(&session.id, &record.event);
        match &mut self.hand {
            // Whoever folds what is told must be told everything, in order.
            Some(hand) => hand.noted.push(record),
            None => self
                .table
                .observer
                .happened(&session.id, &record, &session.state),
        }
        Ok(())
    }

    /// Makes events durable, and tells them with what was noted before.
    pub(in crate::driver) async fn record(
        &mut self,
        session: &mut Session,
        events: Vec<(Author, Event)>,
    ) -> Result<(), DriverError> {
        let records = session.record_all(self.table.clock.now(), events).await?;
        let observer = self.table.observer;
        if let Some(hand) = &mut self.hand {
            for record in hand.noted.drain(..) {
                observer.happened(&session.id, &record, &session.state);
            }
        }
        for record in &records {
            log::tell(&session.id, &record.event);
            observer.happened(&session.id, record, &session.state);
        }
        Ok(())
    }
}
