//! Cost estimate of a sample, before anything is sent.

use super::change::{PromptChange, unchanged};
use super::plan::{RollForward, TryPlan};
use super::sample::{own_attempts, rolls_on};
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
    let (change, roll) = (plan.change.as_ref(), plan.roll);
    on_turn(with, &plan.session, &plan.turn, change, roll)
}

pub(crate) fn too_large(session: &SessionId) -> WorkspaceError {
    WorkspaceError::Invalid(format!(
        "the game of session {session} is too large to be estimated"
    ))
}

/// Walks from where a fork would begin, as far as a sample would go.
pub(crate) fn on_turn(
    with: &ExperimentContext,
    session: &SessionId,
    turn: &TurnId,
    change: Option<&PromptChange>,
    roll: RollForward,
) -> Result<CostEstimate> {
    let path = with.desk.layout.session(session.as_str())?;
    let state = before(read_records(&path)?, session, turn, change)?;
    let Some(created) = state.created() else {
        return Err(too_large(session));
    };
    let (game, topic) = (Game::of_session(created)?, created.topic.clone());
    let walked = |luck: RetryAssumption| {
        let walk = continue_dry_run(state.clone(), &game, luck, |state| next(state, turn, roll));
        walk.ok_or_else(|| too_large(session))
    };
    Ok(CostEstimate {
        likely: walked(RetryAssumption::Good)?.likely(&topic),
        at_most: walked(RetryAssumption::Bad)?.at_most(&topic),
    })
}

/// Returns what a fork begins with whose turn is still to be spoken.
fn before(
    records: Vec<Record>,
    session: &SessionId,
    turn: &TurnId,
    change: Option<&PromptChange>,
) -> Result<State> {
    let point = fork_point(&records, &Reopen::Turn(turn.clone()))?;
    let kept = usize::try_from(point.lines).unwrap_or(usize::MAX);
    let mut state = State::default();
    for record in records.into_iter().take(kept) {
        if turn_of(&record.event).as_ref() != Some(turn) {
            // What is about the turn that is left out does not fit, and is not wanted.
            let _ = state.apply(&record);
        }
    }
    let forked = Event::Forked {
        parent: session.clone(),
        parent_head: String::new(),
        session: None,
    };
    let prompted = match change {
        Some(change) => change.event(0),
        None => unchanged(0),
    };
    for event in [forked, Event::Prompted(Box::new(prompted))] {
        let record = Record {
            at: String::new(),
            by: Author::Engine,
            event,
        };
        state.apply(&record).map_err(WorkspaceError::Refused)?;
    }
    Ok(state)
}

/// Returns the step that a sample takes next.
fn next(state: &State, turn: &TurnId, roll: RollForward) -> Option<Step> {
    let steps = || state.open().steps.into_iter();
    if !state.is_settled(turn) {
        return steps().find(|step| step.id().turn().as_ref() == Some(turn));
    }
    if rolls_on(state, turn, roll).is_some() {
        let last = match roll {
            RollForward::End => u32::MAX,
            RollForward::Turn | RollForward::Next => turn.round.saturating_add(1),
        };
        let is_near = |step: &Step| step.id().turn().is_none_or(|turn| turn.round <= last);
        if let Some(step) = steps().find(is_near) {
            return Some(step);
        }
    }
    let own = own_attempts(state).into_iter();
    let judged = own.flat_map(|id| state.judges_of(&id));
    judged.map(Step::Judge).next()
}
