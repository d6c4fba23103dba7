//! Cost estimate of a sample, before anything is sent.

use super::call::TriedCall;
use super::change::{PromptChange, event_without_change};
use super::plan::{RollForward, TryPlan};
use super::reopened::ReopenedContext;
use super::sample::{own_attempts, pace_after_turn};
use crate::engine::dry_run::{RetryAssumption, continue_dry_run};
use crate::experiments::engine::ExperimentContext;
use elenchus_game::debate::event::{Author, Event, Record};
use elenchus_game::debate::{CostEstimate, SessionId, State, Step, TurnId};
use elenchus_records::library::Game;
use elenchus_records::workspace::{
    Reopen, Result, WorkspaceError, fork_point, read_records, turn_of,
};

/// Returns what a sample of a trial costs if nothing of it is served from earlier ones. Blocks while it
/// reads the session.
///
/// # Errors
/// When the session cannot be read, has no such turn, or its game is too large to be walked.
pub fn estimate_sample(with: &ExperimentContext, plan: &TryPlan) -> Result<CostEstimate> {
    let change = plan.change.as_ref();
    estimate_call(with, (&plan.session, &plan.call), change, plan.roll)
}

/// Returns what a sample on a call of a session costs.
pub(crate) fn estimate_call(
    with: &ExperimentContext,
    (session, call): (&SessionId, &TriedCall),
    change: Option<&PromptChange>,
    roll: RollForward,
) -> Result<CostEstimate> {
    match call {
        TriedCall::Turn(turn) => estimate_turn(with, session, turn, change, roll),
        TriedCall::Verdict(_)
        | TriedCall::Lesson(_)
        | TriedCall::GuardDecision(_)
        | TriedCall::Derivation(_) => {
            let layout = &with.store.layout;
            ReopenedContext::read(layout, session, call)?.estimate(&with.seats, change)
        }
    }
}

pub(crate) fn too_large_error(session: &SessionId) -> WorkspaceError {
    WorkspaceError::Invalid(format!(
        "the game of session {session} is too large to be estimated"
    ))
}

/// Walks from where a fork would begin, as far as a sample would go.
fn estimate_turn(
    with: &ExperimentContext,
    session: &SessionId,
    turn: &TurnId,
    change: Option<&PromptChange>,
    roll: RollForward,
) -> Result<CostEstimate> {
    let path = with.store.layout.session_path(session.as_str())?;
    let state = build_fork_state(read_records(&path)?, session, turn, change)?;
    let Some(created) = state.first_event() else {
        return Err(too_large_error(session));
    };
    let (game, topic) = (Game::from_created(created)?, created.topic.clone());
    let walk_sample = |luck: RetryAssumption| {
        let walk = continue_dry_run(state.clone(), &game, luck, |state| {
            next_step(state, turn, roll)
        });
        walk.ok_or_else(|| too_large_error(session))
    };
    Ok(CostEstimate {
        likely: walk_sample(RetryAssumption::Good)?.likely_use(&topic),
        at_most: walk_sample(RetryAssumption::Bad)?.max_use(&topic),
    })
}

/// Returns what a fork begins with whose turn is still to be spoken.
fn build_fork_state(
    records: Vec<Record>,
    session: &SessionId,
    turn: &TurnId,
    change: Option<&PromptChange>,
) -> Result<State> {
    let point = fork_point(&records, &Reopen::Turn(turn.clone()))?;
    let line_count = usize::try_from(point.lines).unwrap_or(usize::MAX);
    let mut state = State::default();
    for record in records.into_iter().take(line_count) {
        if turn_of(&record.event).as_ref() != Some(turn) {
            // What is about the turn that is left out does not fit, and is not wanted.
            let _ = state.apply_event(&record);
        }
    }
    let fork_event = Event::Forked {
        parent: session.clone(),
        parent_head: String::new(),
        session: None,
    };
    let prompt_event = match change {
        Some(change) => change.to_event(0),
        None => event_without_change(0),
    };
    for event in [fork_event, Event::Prompted(Box::new(prompt_event))] {
        let record = Record {
            at: String::new(),
            by: Author::Engine,
            event,
        };
        state
            .apply_event(&record)
            .map_err(WorkspaceError::Refused)?;
    }
    Ok(state)
}

/// Returns the step that a sample takes next.
fn next_step(state: &State, turn: &TurnId, roll: RollForward) -> Option<Step> {
    let steps = || state.find_open_steps().steps.into_iter();
    if !state.is_settled(turn) {
        return steps().find(|step| step.id().turn().as_ref() == Some(turn));
    }
    if pace_after_turn(state, turn, roll).is_some() {
        let last = match roll {
            RollForward::End => u32::MAX,
            RollForward::Turn | RollForward::Next => turn.round.saturating_add(1),
        };
        let is_near = |step: &Step| step.id().turn().is_none_or(|turn| turn.round <= last);
        if let Some(step) = steps().find(is_near) {
            return Some(step);
        }
    }
    let ids = own_attempts(state).into_iter();
    let judges = ids.flat_map(|id| state.judges_of(&id));
    judges.map(Step::Judge).next()
}
