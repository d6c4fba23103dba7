//! Sample of a trial that is watched, as far as it has come. Pure.

use crate::engine::live::{CallProgress, ComingReply, LiveEvent, LiveGroup};
use crate::experiments::prompt_trial::{SampleEnd, TriedCall, own_attempts};
use elenchus_game::debate::event::Outcome;
use elenchus_game::debate::step::StepId;
use elenchus_game::debate::{AttemptId, JudgingId, SessionId, State, TurnId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A sample of the turn.
pub struct LiveSample {
    pub number: u32,
    pub session: SessionId,
    pub state: Arc<State>,
    /// Calls that are on their way.
    pub coming: BTreeMap<StepId, ComingReply>,
    /// `None` while it is played.
    pub end: Option<SampleEnd>,
    /// It is a session among the others now.
    pub adopted: bool,
}

/// Findings with their rules.
pub(super) type SampleFindings = Vec<(JudgingId, Outcome)>;

impl LiveSample {
    pub(super) fn new(number: u32, session: SessionId, state: Arc<State>) -> Self {
        Self {
            number,
            session,
            state,
            coming: BTreeMap::new(),
            end: None,
            adopted: false,
        }
    }

    /// Says whether the reply came that is asked for.
    pub fn has_reply(&self, call: &TriedCall) -> bool {
        !call.list_own_replies(&self.state).is_empty()
    }

    /// Returns the turns that were spoken after the one that was tried, in the order of the game.
    pub(super) fn following_turns(&self, tried: &TurnId) -> Vec<AttemptId> {
        let mut own = own_attempts(&self.state);
        own.retain(|id| id.turn != *tried);
        own
    }

    /// Takes in an event of its session.
    pub(super) fn apply_event(&mut self, update: &LiveEvent) {
        match update.group() {
            LiveGroup::Record(record) => {
                // Reported records are durable and in order, so they fit.
                let _ = Arc::make_mut(&mut self.state).apply_event(record);
            }
            LiveGroup::Call(step, CallProgress::Ended) => {
                self.coming.remove(step);
            }
            LiveGroup::Call(step, progress) => {
                let coming = self.coming.entry(step.clone()).or_default();
                coming.apply_progress(progress);
            }
            LiveGroup::Seat(_)
            | LiveGroup::Rest(_)
            | LiveGroup::Refused { .. }
            | LiveGroup::Notice
            | LiveGroup::Broke(_) => {}
        }
    }

    /// It was left: nothing comes any more.
    pub(super) fn end_sample(&mut self, end: SampleEnd) {
        self.coming.clear();
        self.end = Some(end);
    }

    pub fn is_over(&self) -> bool {
        self.end.is_some()
    }
}
