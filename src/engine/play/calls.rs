//! Calls on their way out: what they may cost is set aside, then they are noted and sent.

use super::{Came, Play, Running};
use crate::debate::State;
use crate::debate::event::{Author, CeilingKind, Event};
use crate::debate::step::Step;
use crate::driver::budget::Reservation;
use crate::driver::call::{self, Call};
use crate::driver::error::DriverError;
use crate::driver::log;
use crate::driver::retries::Retries;
use crate::driver::session::Session;
use std::sync::Arc;

/// A ceiling of the debate that another call might break: which, where it is, and what would be
/// committed.
pub(in crate::driver) type Met = (CeilingKind, f64, f64);

impl<'a> Play<'a> {
    /// Returns whether the state changed: a ceiling of the debate may end it here.
    pub(super) async fn start_call(
        &mut self,
        session: &mut Session,
        step: &Step,
    ) -> Result<bool, DriverError> {
        let seats = self.table.seats;
        let call = call::prepare(&session.state, &session.game, seats, step, None)?;
        let Some(call) = call else {
            return Ok(false);
        };
        let Some((ceiling, limit, committed)) = self.enqueue(&session.state, call) else {
            return Ok(false);
        };
        let waits = self.hand.as_ref().is_some_and(|hand| hand.waits());
        if waits || !self.running.is_empty() {
            // Calls in flight may turn out cheaper than their worst case.
            return Ok(false);
        }
        let event = Event::Truncated {
            ceiling,
            limit,
            committed,
        };
        self.record(session, vec![(Author::Engine, event)]).await?;
        Ok(true)
    }

    /// Lets a call wait for its reservation, unless it might break a ceiling of the debate.
    pub(in crate::driver) fn enqueue(&mut self, state: &State, call: Call) -> Option<Met> {
        let running = Running {
            usd: call.worst_case.usd.unwrap_or(0.0),
            tokens: call.worst_case.tokens,
            is_call: true,
            noted: false,
            cancel: self.table.cancel.child_token(),
        };
        if let Some(met) = self.debate_ceiling(state, &running) {
            return Some(met);
        }
        let cancel = running.cancel.clone();
        let worst_case = call.worst_case.expense();
        self.running.insert(call.id.clone(), running);
        self.purse.commit(self.committed_usd(state));
        let budget = self.table.budget;
        let call = Box::new(call);
        self.doing.push(Box::pin(async move {
            tokio::select! {
                biased;
                reserved = budget.reserve(worst_case) => match reserved {
                    Ok(reservation) => Came::Reserved(call, reservation),
                    Err(_) => Came::Refused(call.id),
                },
                () = cancel.cancelled() => Came::Withdrawn(call.id),
            }
        }));
        None
    }

    /// Says which of the debate's own ceilings another call might break.
    fn debate_ceiling(&self, state: &State, next: &Running) -> Option<Met> {
        let ceilings = &state.protocol()?.ceilings;
        // The state counts calls that were sent, whatever became of them.
        let unsent = || self.running.values().filter(|running| !running.noted);
        if let Some(limit) = ceilings.cost_usd {
            let usd = self.committed_usd(state) + self.purse.charged_usd() + next.usd;
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

    /// What is spent or in doubt, calls that were not sent yet included at their worst.
    pub(super) fn committed_usd(&self, state: &State) -> f64 {
        let unsent = self.running.values().filter(|running| !running.noted);
        state.committed_usd() + unsent.map(|running| running.usd).sum::<f64>()
    }

    /// Notes that a call is about to be sent, and sends it.
    pub(super) fn send(
        &mut self,
        session: &mut Session,
        call: Box<Call>,
        mut reservation: Reservation<'a>,
    ) -> Result<(), DriverError> {
        let Some(running) = self.running.get_mut(&call.id) else {
            return Ok(());
        };
        let started = Event::CallStarted {
            step: call.id.clone(),
            worst_case_usd: call.worst_case.usd,
            worst_case_tokens: call.worst_case.tokens,
        };
        log::sent(&session.id, &call.id);
        let noted = session.note(self.table.clock.now(), started)?;
        running.noted = true;
        let cancel = running.cancel.clone();
        reservation.sent();
        let pieces = (self.hand.as_mut()).map(|hand| hand.began(&call.id, noted));
        let budget = self.table.budget;
        let purse = Arc::clone(&self.purse);
        let retrying = self.retrying.clone();
        self.doing.push(Box::pin(async move {
            let retries = Retries {
                call: &call,
                budget,
                purse: &purse,
                cancel: &cancel,
                tell: &retrying,
                pieces: pieces.as_ref(),
            };
            let result = call
                .seat
                .model
                .complete(&call.request, &retries, &cancel)
                .await;
            Came::Called {
                call,
                reservation,
                result: Box::new(result),
            }
        }));
        Ok(())
    }
}
