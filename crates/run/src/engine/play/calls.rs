//! Start of calls: the worst case is reserved, then the call is recorded as started and sent.

use super::{Play, Running, StepResult};
use crate::engine::call;
use crate::engine::call::Call;
use crate::engine::cost::Reservation;
use crate::engine::partial_saver::PartialSaver;
use crate::engine::retries::Retries;
use elenchus_game::debate::State;
use elenchus_game::debate::event::{Author, CeilingKind, Event};
use elenchus_game::debate::step::Step;
use elenchus_records::workspace::Session;
use elenchus_records::workspace::WorkspaceError;
use elenchus_records::workspace::log;
use std::sync::{Arc, Mutex};

/// A ceiling of the debate that another call might break: which, where it is, and what would be
/// committed.
pub(super) type CeilingMet = (CeilingKind, f64, f64);

impl<'a> Play<'a> {
    /// Returns whether the state changed: a ceiling of the debate may end it here.
    pub(super) async fn start_call(
        &mut self,
        session: &mut Session,
        step: &Step,
    ) -> Result<bool, WorkspaceError> {
        let seats = self.table.seats;
        let call = call::prepare_call(&session.state, &session.game, seats, step, None)?;
        let Some(call) = call else {
            return Ok(false);
        };
        let Some((ceiling, limit, committed)) = self.enqueue_call(&session.state, call) else {
            return Ok(false);
        };
        let waits = self
            .controller
            .as_ref()
            .is_some_and(|controller| controller.has_questions());
        if waits || !self.running.is_empty() {
            // Calls in flight may turn out cheaper than their worst case.
            return Ok(false);
        }
        let event = Event::Truncated {
            ceiling,
            limit,
            committed,
        };
        self.record_events(session, vec![(Author::Engine, event)])
            .await?;
        Ok(true)
    }

    /// Lets a call wait for its reservation, unless it might break a ceiling of the debate.
    pub(crate) fn enqueue_call(&mut self, state: &State, call: Call) -> Option<CeilingMet> {
        let running = Running {
            usd: call.worst_case.usd.unwrap_or(0.0),
            tokens: call.worst_case.tokens,
            is_call: true,
            is_sent: false,
            cancel: self.table.cancel.child_token(),
        };
        if let Some(ceiling) = self.debate_ceiling(state, &running) {
            return Some(ceiling);
        }
        let cancel = running.cancel.clone();
        let worst_case = call.worst_case.to_expense();
        self.running.insert(call.id.clone(), running);
        self.spend_limit.set_commitment(self.committed_usd(state));
        let budget = self.table.budget;
        let call = Box::new(call);
        self.doing.push(Box::pin(async move {
            tokio::select! {
                biased;
                reserved = budget.reserve(worst_case) => match reserved {
                    Ok(reservation) => StepResult::Reserved(call, reservation),
                    Err(_) => StepResult::Refused(call.id),
                },
                () = cancel.cancelled() => StepResult::Withdrawn(call.id),
            }
        }));
        None
    }

    /// Returns the debate's own ceiling that another call might break.
    fn debate_ceiling(&self, state: &State, next: &Running) -> Option<CeilingMet> {
        let ceilings = &state.protocol()?.ceilings;
        // The state counts all calls that were sent, failed ones included.
        let unsent = || self.running.values().filter(|running| !running.is_sent);
        if let Some(limit) = ceilings.cost_usd {
            let usd = self.committed_usd(state) + self.spend_limit.charged_usd() + next.usd;
            if usd > limit {
                return Some((CeilingKind::CostUsd, limit, usd));
            }
        }
        if let Some(limit) = ceilings.calls {
            let waiting = unsent().filter(|running| running.is_call).count();
            let calls = state.committed_calls() + waiting as u64 + 1;
            if calls > limit {
                return Some((CeilingKind::Calls, limit as f64, calls as f64));
            }
        }
        if let Some(limit) = ceilings.tokens {
            let waiting: u64 = unsent().map(|running| running.tokens).sum();
            let tokens = (state.committed_tokens())
                .saturating_add(waiting)
                .saturating_add(next.tokens);
            if tokens > limit {
                return Some((CeilingKind::Tokens, limit as f64, tokens as f64));
            }
        }
        None
    }

    /// Returns the amount spent or in doubt; calls that were not sent yet count at their worst case.
    pub(crate) fn committed_usd(&self, state: &State) -> f64 {
        let unsent = self.running.values().filter(|running| !running.is_sent);
        state.committed_usd() + unsent.map(|running| running.usd).sum::<f64>()
    }

    /// Records that a call starts, and sends it.
    pub(crate) fn send_call(
        &mut self,
        session: &mut Session,
        call: Box<Call>,
        mut reservation: Reservation<'a>,
    ) -> Result<(), WorkspaceError> {
        let Some(running) = self.running.get_mut(&call.id) else {
            return Ok(());
        };
        let start_event = Event::CallStarted {
            step: call.id.clone(),
            worst_case_usd: call.worst_case.usd,
            worst_case_tokens: call.worst_case.tokens,
        };
        log::log_call(&session.id, &call.id);
        let record = session.record_without_sync(self.table.clock.now(), start_event)?;
        running.is_sent = true;
        let cancel = running.cancel.clone();
        reservation.mark_sent();
        let stream = (self.controller.as_mut())
            .map(|controller| controller.publish_call_start(&call.id, record));
        let budget = self.table.budget;
        let spend_limit = Arc::clone(&self.spend_limit);
        let retrying = self.retry_sender.clone();
        let partial = Arc::new(PartialSaver::new(session.partial_writer(&call.id)));
        if let Some(before) = self.partials.insert(call.id.clone(), Arc::clone(&partial)) {
            before.remove_file();
        }
        self.doing.push(Box::pin(async move {
            let result = {
                let retries = Retries {
                    call: &call,
                    budget,
                    spend_limit: &spend_limit,
                    cancel: &cancel,
                    events: &retrying,
                    stream: stream.as_ref(),
                    partial: &partial,
                    longer: Mutex::default(),
                };
                let reply = (call.seat.model).complete(&call.request, &retries, &cancel);
                partial.save_during(reply).await
            };
            let words = partial.take_words();
            StepResult::Called {
                call,
                reservation,
                result: Box::new(result),
                words,
            }
        }));
        Ok(())
    }
}
