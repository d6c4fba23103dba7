//! Sample of a prompt trial, as far as it has come. Pure.

use crate::debate::event::Outcome;
use crate::debate::step::{StepId, Target};
use crate::debate::{Attempt, AttemptId, JudgingId, SessionId, State, TurnId};
use crate::engine::live::{DeltaKind, LiveEvent};
use crate::experiments::prompt_trial::SampleEnd;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Of a reply that is coming, so much of its end is kept.
const MAX_COMING_BYTES: usize = 16 * 1024;

/// A sample of the turn.
pub(crate) struct TrialSample {
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

/// A reply that is coming.
#[derive(Debug, Default)]
pub(crate) struct ComingReply {
    pub text: String,
    pub thinking: usize,
    pub note: Option<String>,
}

/// Findings with their rules.
pub(super) type SampleFindings = Vec<(JudgingId, Outcome)>;

impl TrialSample {
    pub(crate) fn begun(number: u32, session: &SessionId, state: &Arc<State>) -> Self {
        Self {
            number,
            session: session.clone(),
            state: Arc::clone(state),
            coming: BTreeMap::new(),
            end: None,
            adopted: false,
        }
    }

    /// Returns the attempt that this sample brought; `None` where none came yet.
    pub(crate) fn attempt(&self, turn: &TurnId) -> Option<(AttemptId, &Attempt)> {
        let chosen = self.state.chosen(turn);
        chosen.filter(|(_, attempt)| !attempt.inherited)
    }

    /// Returns the turns that were spoken after the one that was tried, in the order of the game.
    pub(crate) fn followed(&self, tried: &TurnId) -> Vec<AttemptId> {
        let Some(protocol) = self.state.protocol() else {
            return Vec::new();
        };
        let turns = self.state.turns().keys().filter(|turn| *turn != tried);
        let own = turns.filter_map(|turn| self.state.chosen(turn));
        let own = own.filter(|(_, attempt)| !attempt.inherited);
        let mut own: Vec<AttemptId> = own.map(|(id, _)| id).collect();
        own.sort_by_key(|id| {
            let place = protocol.stage_place(&id.turn.stage);
            (id.turn.round, place, id.turn.chair.clone())
        });
        own
    }

    /// Takes in an event of its session.
    pub(crate) fn take(&mut self, update: &LiveEvent) {
        match update {
            LiveEvent::Happened(record) => {
                // Reported records are durable and in order, so they fit.
                let _ = Arc::make_mut(&mut self.state).apply(record);
            }
            LiveEvent::Began { step } => {
                self.coming.insert(step.clone(), ComingReply::default());
            }
            LiveEvent::Delta { step, kind, text } => {
                let coming = self.coming.entry(step.clone()).or_default();
                coming.note = None;
                match kind {
                    DeltaKind::Public => coming.push(text),
                    DeltaKind::Thinking => coming.thinking += text.chars().count(),
                }
            }
            LiveEvent::WasThinking { step } => {
                let coming = self.coming.entry(step.clone()).or_default();
                coming.thinking += coming.text.chars().count();
                coming.text.clear();
            }
            LiveEvent::Void { step, why, .. } => {
                let again = ComingReply {
                    note: Some(format!("trying again: {why}")),
                    ..ComingReply::default()
                };
                self.coming.insert(step.clone(), again);
            }
            LiveEvent::Ended { step } => {
                self.coming.remove(step);
            }
            LiveEvent::Asks(..)
            | LiveEvent::Idle(_)
            | LiveEvent::Refused { .. }
            | LiveEvent::Mended(_)
            | LiveEvent::Noticed(_)
            | LiveEvent::Broke(_) => {}
        }
    }

    /// It was left: nothing comes any more.
    pub(crate) fn left(&mut self, end: SampleEnd) {
        self.coming.clear();
        self.end = Some(end);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some()
    }
}

impl ComingReply {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        if self.text.len() > 2 * MAX_COMING_BYTES {
            let from = self.text.len() - MAX_COMING_BYTES;
            let from = self.text.ceil_char_boundary(from);
            self.text.drain(..from);
        }
    }
}

/// Returns what was found on an attempt.
pub(super) fn found_on(state: &State, id: &AttemptId) -> SampleFindings {
    found(state, &Target::Attempt(id.clone()))
}

/// Returns what was found on something.
pub(super) fn found(state: &State, target: &Target) -> SampleFindings {
    let rules = state.protocol().map(|protocol| &protocol.judging);
    let rules = rules.into_iter().flatten().filter(|rule| rule.enabled);
    rules
        .filter_map(|rule| Some((rule.id.clone(), state.finding(rule, target)?)))
        .collect()
}
