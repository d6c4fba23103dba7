//! Cost estimate of a prompt comparison, before anything is sent.

use super::event::AbContext;
use super::preference::{PreferenceJudge, load_judge};
use super::{AbPlan, check_outcome, check_texts};
use crate::engine::DEFAULT_MAX_TOKENS;
use crate::engine::cost::estimate_cost;
use crate::experiments::engine::ExperimentContext;
use crate::experiments::prompt_trial::{PromptChange, TriedCall, estimate_call, too_large_error};
use elenchus_game::debate::{CostEstimate, State};
use elenchus_model::CHARS_PER_TOKEN;
use elenchus_records::library::Game;
use elenchus_records::workspace::Result;
use std::iter::repeat_n;

/// Returns what a comparison costs if all its planned samples are played and none is served from
/// earlier tries. Blocks while it reads the sessions.
///
/// # Errors
/// When a session cannot be read, its game is too large to be walked, or there is no such judge.
pub fn estimate_ab(with: &ExperimentContext, plan: &AbPlan) -> Result<CostEstimate> {
    check_outcome(plan)?;
    if let Some(first) = plan.contexts.first() {
        check_texts(with, first, plan)?;
    }
    let judge = plan.preference.as_ref().map(|wanted| {
        let ab_judge = load_judge(&with.library, &with.seats, wanted)?;
        PreferenceJudge::new(&with.seats, &ab_judge, plan.seed)
    });
    let judge = judge.transpose()?;
    let mut whole = CostEstimate::zero();
    for context in &plan.contexts {
        let mut both = CostEstimate::zero();
        for arm in &plan.arms {
            let change = arm.build_change(&plan.template);
            let change = change.as_ref();
            let sample = match &context.call {
                Some(call) => estimate_call(with, (&context.session, call), change, plan.roll)?,
                None => estimate_fresh_debate(with, context, change)?,
            };
            both = both.plus(sample);
        }
        if let (Some(judge), Some(call)) = (&judge, &context.call) {
            let state = context.read_state(&with.store.layout)?;
            let question_cost =
                judge.estimate_question(&state, call, estimate_reply_tokens(&state, call));
            both = both.plus(question_cost).plus(question_cost);
        }
        whole = whole.plus(repeat_n(both, plan.samples as usize).sum());
    }
    Ok(whole)
}

fn estimate_fresh_debate(
    with: &ExperimentContext,
    context: &AbContext,
    change: Option<&PromptChange>,
) -> Result<CostEstimate> {
    let state = context.read_state(&with.store.layout)?;
    let too_large = || too_large_error(&context.session);
    let mut created = state.first_event().cloned().ok_or_else(too_large)?;
    if let Some(change) = change {
        let (name, text) = (change.template.clone(), change.text.clone());
        created.templates.insert(name, text);
    }
    let game = Game::from_created(&created)?;
    estimate_cost(&created, &game).ok_or_else(too_large)
}

/// Returns how many tokens the seat's reply likely has, as the recorded one, and at most.
fn estimate_reply_tokens(state: &State, call: &TriedCall) -> [u64; 2] {
    let replies = call.list_replies(state);
    let chars = replies
        .first()
        .map_or(0, |reply| reply.text.chars().count());
    let limit = state.protocol().and_then(|protocol| match call {
        TriedCall::Turn(turn) => protocol.find_stage(&turn.stage)?.max_tokens,
        TriedCall::Lesson(place) => protocol.find_feedback(place.learner.as_ref())?.max_tokens,
        TriedCall::Verdict(_) | TriedCall::GuardDecision(_) | TriedCall::Derivation(_) => None,
    });
    [
        (chars as u64).div_ceil(CHARS_PER_TOKEN),
        u64::from(limit.unwrap_or(DEFAULT_MAX_TOKENS)),
    ]
}
