//! Idle state of a live session: what is published when calls end, and why nothing is running.

use super::controller::Controller;
use super::messages::{IdleReason, LiveEvent};
use crate::engine::play::Play;
use elenchus_game::debate::event::{Author, Event};
use elenchus_game::debate::step::{Opening, Step, StepId};
use elenchus_game::debate::{Record, State};
use elenchus_records::workspace::Session;
use elenchus_records::workspace::WorkspaceError;

impl Play<'_> {
    /// Publishes ended calls, and records answers of people whose seats are free now.
    ///
    /// # Errors
    /// When the disk stops the session.
    pub(crate) async fn finish_recording(
        &mut self,
        session: &mut Session,
    ) -> Result<(), WorkspaceError> {
        let Some(controller) = &mut self.controller else {
            return Ok(());
        };
        controller.publish_call_ends();
        let texts = controller
            .takeovers
            .extract_if(.., |id, _| !self.running.contains_key(id));
        let texts: Vec<(StepId, String)> = texts.collect();
        for (id, text) in texts {
            let outcome = self.answer_step(session, &id, text).await;
            self.report_outcome(format!("answer '{id}'"), outcome)?;
        }
        self.retry_when_quiet(session).await?;
        Ok(())
    }

    /// Publishes once why nothing is in flight. Returns whether the state changed instead.
    ///
    /// # Errors
    /// When the disk stops the session.
    pub(crate) async fn report_idle(
        &mut self,
        session: &mut Session,
    ) -> Result<bool, WorkspaceError> {
        if self.retry_when_quiet(session).await? {
            return Ok(true);
        }
        self.publish_notes(session).await?;
        let Some(controller) = &mut self.controller else {
            return Ok(false);
        };
        let rest = idle_reason(controller, &session.state, self.paused);
        match &rest {
            IdleReason::Held | IdleReason::Done(_) => controller.allowance.clear(),
            IdleReason::Stuck(_) | IdleReason::Paused | IdleReason::Waits(_) => {}
        }
        if controller.reported_idle.as_ref() != Some(&rest) {
            controller.send_event(LiveEvent::Idle(rest.clone()));
            controller.reported_idle = Some(rest);
        }
        Ok(false)
    }

    /// Makes noted records durable, and publishes them.
    ///
    /// # Errors
    /// When the disk stops the session.
    pub(crate) async fn publish_notes(
        &mut self,
        session: &mut Session,
    ) -> Result<(), WorkspaceError> {
        let Some(controller) = &mut self.controller else {
            return Ok(());
        };
        if controller.pending_records.is_empty() {
            return Ok(());
        }
        session.sync().await?;
        for record in controller.pending_records.drain(..) {
            (self.table.observer).on_event(&session.id, &record, &session.state);
        }
        Ok(())
    }

    pub(super) async fn retry_when_quiet(
        &mut self,
        session: &mut Session,
    ) -> Result<bool, WorkspaceError> {
        let quiet = !self.running.values().any(|running| running.is_sent);
        match &mut self.controller {
            // A reply that waits for an earlier one has no outcome in the journal yet.
            Some(controller)
                if controller.retries && quiet && controller.rerolls.turns().next().is_none() =>
            {
                controller.retries = false;
            }
            Some(_) | None => return Ok(false),
        }
        self.resume_session(session).await?;
        Ok(true)
    }
}

fn idle_reason(controller: &Controller, state: &State, paused: bool) -> IdleReason {
    let Opening { steps, done, .. } = state.find_open_steps();
    if let Some(end_reason) = done
        && !controller.was_refused
    {
        return IdleReason::Done(end_reason);
    }
    if paused {
        return IdleReason::Paused;
    }
    if controller.has_questions() {
        return IdleReason::Waits(controller.questions.keys().cloned().collect());
    }
    let stuck_steps = failed_steps(state);
    let stuck = stuck_steps
        .iter()
        .any(|step| controller.allowance.allows_step(step));
    if stuck || (steps.is_empty() && !stuck_steps.is_empty()) {
        return IdleReason::Stuck(state.failures().values().cloned().collect());
    }
    IdleReason::Held
}

/// Returns the steps that failed and would be open but for that.
pub(super) fn failed_steps(state: &State) -> Vec<Step> {
    let Opening { blocked, .. } = state.find_open_steps();
    if blocked.is_empty() {
        return Vec::new();
    }
    let mut retry_state = state.clone();
    let record = Record {
        at: String::new(),
        by: Author::Engine,
        event: Event::Resumed {},
    };
    if retry_state.apply_event(&record).is_err() {
        return Vec::new();
    }
    let steps = retry_state.find_open_steps().steps.into_iter();
    steps.filter(|step| blocked.contains(&step.id())).collect()
}
