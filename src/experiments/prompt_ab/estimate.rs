//! Cost estimate of a prompt comparison, before anything is sent.

use super::event::AbContext;
use super::preference::{PreferenceJudge, judge_of};
use super::{AbPlan, try_texts};
use crate::debate::event::{Author, Event, Record};
use crate::debate::{CostEstimate, ExpectedUse, SessionId, State, Step, TurnId};
use crate::engine::DEFAULT_MAX_TOKENS;
use crate::engine::cost::estimate;
use crate::engine::dry_run::{RetryAssumption, continue_dry_run};
use crate::experiments::engine::ExperimentContext;
use crate::experiments::prompt_trial::{PromptChange, RollForward, TryPlan};
use crate::experiments::prompt_trial::{own_attempts, rolls_on};
use crate::library::Game;
use crate::model::CHARS_PER_TOKEN;
use crate::workspace::WorkspaceError;
use crate::workspace::{Reopen, fork_point, turn_of};
use crate::workspace::{read_records, read_session};

/// Returns what a comparison costs if all its planned samples are played and none is served from
/// earlier tries. Blocks while it reads the sessions.
///
/// # Errors
/// When a session cannot be read, its game is too large to be walked, or there is no such judge.
pub fn estimate_ab(
    with: &ExperimentContext,
    plan: &AbPlan,
) -> Result<CostEstimate, WorkspaceError> {
    if let Some(first) = plan.contexts.first() {
        try_texts(with, first, plan)?;
    }
    let judge = plan.preference.as_ref().map(|wanted| {
        let kept = judge_of(&with.library, &with.seats, wanted)?;
        PreferenceJudge::new(&with.seats, &kept, plan.seed)
    });
    let judge = judge.transpose()?;
    let mut whole = nothing();
    for context in &plan.contexts {
        let mut both = nothing();
        for arm in &plan.arms {
            let change = arm.change(&plan.template);
            let sample = match &context.turn {
                Some(turn) => on_turn(with, &context.session, turn, change.as_ref(), plan.roll)?,
                None => fresh(with, context, change.as_ref())?,
            };
            both = both.with(sample);
        }
        if let (Some(judge), Some(turn)) = (&judge, &context.turn) {
            let path = with.desk.layout.session(context.session.as_str())?;
            let state = read_session(&path)?;
            let asked = judge.estimate(&state, turn, reply_tokens(&state, turn));
            both = both.with(asked).with(asked);
        }
        whole = whole.with(times(both, plan.samples));
    }
    Ok(whole)
}

/// Returns what a try costs if none of its samples is served from earlier ones. Blocks while it reads
/// the session.
///
/// # Errors
/// When the session cannot be read, has no such turn, or its game is too large to be walked.
pub fn estimate_try(
    with: &ExperimentContext,
    plan: &TryPlan,
) -> Result<CostEstimate, WorkspaceError> {
    let (change, roll) = (plan.change.as_ref(), plan.roll);
    let one = on_turn(with, &plan.session, &plan.turn, change, roll)?;
    Ok(times(one, plan.samples))
}

fn nothing() -> CostEstimate {
    let used = ExpectedUse {
        cost_usd: Some(0.0),
        ..ExpectedUse::default()
    };
    CostEstimate {
        likely: used,
        at_most: used,
    }
}

fn times(one: CostEstimate, times: u32) -> CostEstimate {
    (0..times).fold(nothing(), |sum, _| sum.with(one))
}

fn too_large(session: &SessionId) -> WorkspaceError {
    WorkspaceError::Invalid(format!(
        "the game of session {session} is too large to be estimated"
    ))
}

fn fresh(
    with: &ExperimentContext,
    context: &AbContext,
    change: Option<&PromptChange>,
) -> Result<CostEstimate, WorkspaceError> {
    let path = with.desk.layout.tries().session(context.session.as_str())?;
    let state = read_session(&path)?;
    let created = state.created();
    let mut created = created
        .cloned()
        .ok_or_else(|| too_large(&context.session))?;
    if let Some(change) = change {
        let (name, text) = (change.template.clone(), change.text.clone());
        created.templates.insert(name, text);
    }
    let game = Game::of_session(&created)?;
    estimate(&created, &game).ok_or_else(|| too_large(&context.session))
}

/// Walks from where a fork would begin, as far as a sample would go.
fn on_turn(
    with: &ExperimentContext,
    session: &SessionId,
    turn: &TurnId,
    change: Option<&PromptChange>,
    roll: RollForward,
) -> Result<CostEstimate, WorkspaceError> {
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
) -> Result<State, WorkspaceError> {
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
    };
    let prompted = match change {
        Some(change) => change.event(0),
        None => crate::experiments::prompt_trial::unchanged(0),
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

/// Returns how many tokens the seat's reply likely has, as the recorded one, and at most.
fn reply_tokens(state: &State, turn: &TurnId) -> [u64; 2] {
    let chars = state
        .chosen(turn)
        .map_or(0, |(_, attempt)| attempt.reply.text.chars().count());
    let stage = state
        .protocol()
        .and_then(|protocol| protocol.stage(&turn.stage));
    let limit = stage.and_then(|stage| stage.max_tokens);
    [
        (chars as u64).div_ceil(CHARS_PER_TOKEN),
        u64::from(limit.unwrap_or(DEFAULT_MAX_TOKENS)),
    ]
}
