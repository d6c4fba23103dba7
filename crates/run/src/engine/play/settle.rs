//! Results of steps: recorded together, then published, then settled with the budget.

use super::{Deriving, Play, StepResult, store_lessons};
use crate::engine::call::{CallOutcome, call_outcome};
use crate::engine::guardrails::DerivationEnd;
use crate::engine::seats::{answer_event, person_at};
use elenchus_game::debate::State;
use elenchus_game::debate::event::{Author, Event, Record};
use elenchus_game::debate::step::StepId;
use elenchus_records::workspace::Session;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::log;

impl<'a> Play<'a> {
    /// Records all results together.
    pub(super) async fn record_results(
        &mut self,
        session: &mut Session,
        results: Vec<StepResult<'a>>,
    ) -> Result<(), WorkspaceError> {
        let mut events = Vec::new();
        let mut expenses = Vec::new();
        while let Ok(retry_event) = self.retry_receiver.try_recv() {
            self.note_retry(session, retry_event)?;
        }
        let mut fault = None;
        for finished in results {
            match finished {
                StepResult::Reserved(call, _) if self.is_withdrawn(&call.id) => {
                    self.finish_call(&call.id, None, &mut events);
                }
                StepResult::Reserved(call, reservation) => {
                    self.send_call(session, call, reservation)?
                }
                StepResult::Refused(step) => {
                    self.finish_call(&step, None, &mut events);
                    self.paused = true;
                    if let Some(controller) = &mut self.controller {
                        controller.was_refused = true;
                    }
                }
                StepResult::Withdrawn(step) => self.finish_call(&step, None, &mut events),
                StepResult::Called {
                    call,
                    reservation,
                    result,
                    words,
                } => {
                    let step = call.id.clone();
                    match &*result {
                        Err(error) => {
                            let topic = &call.request.context.topic;
                            self.table.budget.note_refusal(topic, error);
                        }
                        Ok(reply) => {
                            self.table.budget.note_answer();
                            let seats = self.table.seats;
                            let model = &call.seat.settings.name;
                            for notice in seats.note_reply(model, reply) {
                                self.table.observer.on_notice(&notice);
                            }
                        }
                    }
                    let CallOutcome {
                        stopped,
                        event,
                        used,
                    } = call_outcome(session, *call, *result, words);
                    events.extend(stopped.map(|stopped| (Author::Engine, stopped)));
                    self.finish_call(&step, event, &mut events);
                    expenses.push((reservation, used));
                }
                StepResult::Graded { step, event } => {
                    self.running.remove(&step);
                    events.extend(event.map(|event| (Author::Engine, *event)));
                }
                StepResult::Derived(derived) => {
                    self.deriving = Deriving::Over;
                    match derived {
                        Ok(DerivationEnd::Kept { notices }) => {
                            for notice in &notices {
                                self.table.observer.on_tail_repair(notice);
                            }
                        }
                        Ok(DerivationEnd::NotSent) => {}
                        Err(error) => {
                            fault = Some(format!("the guardrail could not be derived: {error}"));
                        }
                    }
                }
                StepResult::Answered {
                    step,
                    question,
                    answer,
                } => {
                    self.running.remove(&step.id());
                    let author = person_at(session, &step, self.table.people);
                    match answer.map(|answer| answer_event(session, *step, *question, answer)) {
                        Ok(Some(event)) => events.push((author, event)),
                        Ok(None) => self.person_left = true,
                        Err(error) => {
                            fault = Some(format!("the answer could not be read: {error}"));
                        }
                    }
                }
            }
        }
        if let Some(controller) = &mut self.controller {
            events.extend(controller.take_rerolls(&session.state));
        }
        if !events.is_empty() {
            self.record_events(session, events).await?;
        }
        self.remove_partials(&session.state);
        self.spend_limit
            .set_commitment(self.committed_usd(&session.state));
        for (reservation, cost) in expenses {
            reservation.settle(cost);
        }
        // Those that are left wait until the session is resumed.
        let _ = store_lessons(self.table, session).await?;
        if self.controller.is_some() {
            self.finish_recording(session).await?;
        }
        match fault {
            Some(fault) => Err(WorkspaceError::Invalid(fault)),
            None => Ok(()),
        }
    }

    fn is_withdrawn(&self, step: &StepId) -> bool {
        let running = self.running.get(step);
        running.is_none_or(|running| running.cancel.is_cancelled())
    }

    /// Removes the side files of calls whose outcome is in the journal.
    fn remove_partials(&mut self, state: &State) {
        let over = (self.partials).extract_if(.., |step, _| state.open_call(step).is_none());
        over.for_each(|(_, partial)| partial.remove_file());
    }

    /// Removes a call that is over, and adds its event, if any, to those to record.
    fn finish_call(
        &mut self,
        step: &StepId,
        event: Option<Event>,
        events: &mut Vec<(Author, Event)>,
    ) {
        self.running.remove(step);
        let event = match &mut self.controller {
            None => event,
            Some(controller) => controller.end_call(step, event),
        };
        events.extend(event.map(|event| (Author::Engine, event)));
    }

    /// Records a retry before the outcome of the call is known, since the failed try may have cost money.
    pub(super) fn note_retry(
        &mut self,
        session: &mut Session,
        retried: Event,
    ) -> Result<(), WorkspaceError> {
        let charged_usd = match &retried {
            Event::CallRetried {
                may_have_cost_usd, ..
            } => may_have_cost_usd.unwrap_or(0.0),
            _ => 0.0,
        };
        let record = session.record_without_sync(self.table.clock.now(), retried)?;
        if let Event::Stopped(stopped) = &record.event
            && let Some(partial) = self.partials.get(&stopped.step)
        {
            // The words are in the journal: they must not be found a second time.
            partial.save_words();
        }
        self.spend_limit.forget_charge(charged_usd);
        self.spend_limit
            .set_commitment(self.committed_usd(&session.state));
        log::log_event(&session.id, &record.event);
        match &mut self.controller {
            // A receiver that folds the events needs all of them, in order.
            Some(controller) => controller.pending_records.push(record),
            None => self
                .table
                .observer
                .on_event(&session.id, &record, &session.state),
        }
        Ok(())
    }

    /// Makes events durable, and publishes them after what was noted before.
    pub(crate) async fn record_events(
        &mut self,
        session: &mut Session,
        events: Vec<(Author, Event)>,
    ) -> Result<(), WorkspaceError> {
        let records = session.record_all(self.table.clock.now(), events).await?;
        let observer = self.table.observer;
        if let Some(controller) = &mut self.controller {
            for record in controller.pending_records.drain(..) {
                observer.on_event(&session.id, &record, &session.state);
            }
        }
        self.publish_records(session, &records);
        Ok(())
    }

    /// Publishes what is durable.
    pub(super) fn publish_records(&self, session: &Session, records: &[Record]) {
        for record in records {
            log::log_event(&session.id, &record.event);
            (self.table.observer).on_event(&session.id, record, &session.state);
        }
    }
}
