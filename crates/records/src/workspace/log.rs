//! Log of a process: events and where they happened, never the text of a debate.

use elenchus_game::debate::{Event, SessionId, StepId};

/// Writes that a call was sent.
pub fn log_call(session: &SessionId, step: &StepId) {
    tracing::debug!(%session, %step, "call sent");
}

/// Writes what became durable.
pub fn log_event(session: &SessionId, event: &Event) {
    match event {
        Event::Replied(replied) => {
            tracing::debug!(%session, turn = %replied.turn, latency_ms = replied.reply.latency_ms, "replied");
        }
        Event::Judged(judged) => {
            tracing::debug!(%session, judging = %judged.judging, target = %judged.target, "judged");
        }
        Event::Guarded(guarded) => {
            tracing::debug!(%session, chair = %guarded.chair, matched = guarded.decision.matching_guardrail(), "guarded");
        }
        Event::CallRetried {
            step, why, wait_ms, ..
        } => {
            tracing::warn!(%session, %step, %why, wait_ms, "call retried");
        }
        Event::Failed(failed) => {
            tracing::error!(%session, step = %failed.step, why = %failed.message, "step failed");
        }
        Event::Stopped(stopped) => {
            tracing::warn!(%session, step = %stopped.step, why = stopped.reason.describe(), "reply stopped");
        }
        Event::Truncated { ceiling, limit, .. } => {
            tracing::warn!(%session, ?ceiling, limit, "debate truncated");
        }
        Event::Created(_)
        | Event::Forked { .. }
        | Event::Prompted(_)
        | Event::Resumed {}
        | Event::CallStarted { .. }
        | Event::Retrieved(_)
        | Event::GuardsRetrieved(_)
        | Event::GuardrailWritten(_)
        | Event::RewardsSwapped(_)
        | Event::FeedbackWritten(_)
        | Event::Edited { .. }
        | Event::Chosen { .. } => {}
    }
}
