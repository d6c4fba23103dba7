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
    pub(crate) async fn after_recording(
        &mut self,
        session: &mut Session,
    ) -> Result<(), WorkspaceError> {
        let Some(controller) = &mut self.controller else {
            return Ok(());
        };
        controller.publish_ended();
        let freed = controller
            .takeovers
            .extract_if(.., |id, _| !self.running.contains_key(id));
        let freed: Vec<(StepId, String)> = freed.collect();
        for (id, text) in freed {
            let done = self.answer(session, &id, text).await;
            self.report_outcome(format!("answer '{id}'"), done)?;
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
        self.publish_noted(session).await?;
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
    pub(crate) async fn publish_noted(
        &mut self,
        session: &mut Session,
    ) -> Result<(), WorkspaceError> {
        let Some(controller) = &mut self.controller else {
            return Ok(());
        };
        if controller.noted.is_empty() {
            return Ok(());
        }
        session.sync().await?;
        for record in controller.noted.drain(..) {
            (self.table.observer).happened(&session.id, &record, &session.state);
        }
        Ok(())
    }

    pub(super) async fn retry_when_quiet(
        &mut self,
        session: &mut Session,
    ) -> Result<bool, WorkspaceError> {
        let quiet = !self.running.values().any(|running| running.noted);
        match &mut self.controller {
            // A reply that waits for an earlier one has no outcome in the journal yet.
            Some(controller)
                if controller.retries && quiet && controller.rerolls.turns().next().is_none() =>
            {
                controller.retries = false;
            }
            Some(_) | None => return Ok(false),
        }
        self.resume(session).await?;
        Ok(true)
    }
}

fn idle_reason(controller: &Controller, state: &State, paused: bool) -> IdleReason {
    let Opening { steps, done, .. } = state.open();
    if let Some(done) = done
        && !controller.was_refused
    {
        return IdleReason::Done(done);
    }
    if paused {
        return IdleReason::Paused;
    }
    if controller.waits() {
        return IdleReason::Waits(controller.asked.keys().cloned().collect());
    }
    let failed = failed_steps(state);
    let stuck = failed.iter().any(|step| controller.allowance.holds(step));
    if stuck || (steps.is_empty() && !failed.is_empty()) {
        return IdleReason::Stuck(state.failures().values().cloned().collect());
    }
    IdleReason::Held
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
