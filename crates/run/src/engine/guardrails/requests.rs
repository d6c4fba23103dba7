//! Requests about guardrails: the decision before a turn, and the derivation from a lesson.

use crate::engine::model_request;
use crate::engine::model_request::{CallPlace, GUARDRAIL_STAGE};
use crate::engine::step_request::{StepRequest, merge_sampling};
use elenchus_game::debate::event::Created;
use elenchus_game::debate::{Chair, GuardDecision, State};
use elenchus_game::judge::{self, Material};
use elenchus_game::prompt::{self, Derivation};
use elenchus_model::{CallContext, GuardHint, JudgeTask, ReplyForm, RoleHint, Sampling};
use elenchus_records::library::Game;
use elenchus_records::workspace::WorkspaceError;

/// Expected label of a topic that must not be refused.
const SAFE: &str = "safe";

/// Returns what a debater's own model is asked before its first turn.
///
/// # Errors
/// When the template is missing or fails.
pub(crate) fn build_decision_request(
    state: &State,
    created: &Created,
    game: &Game,
    chair: &Chair,
) -> Result<StepRequest, WorkspaceError> {
    let view = prompt::guard_view(&game.engine, state, chair)?;
    let label_mark = view.label_mark().map(str::to_owned);
    Ok(StepRequest {
        chair: chair.clone(),
        view,
        sampling: merge_sampling(game, [prompt::DECISION], most_likely_sampling()),
        form: None,
        hint: build_call_context(
            created,
            chair,
            u32::from(state.empty_decision(chair).is_some()),
            RoleHint::Guard,
            label_mark,
        ),
    })
}

/// Returns what the model on the feedback seat is asked for once a lesson is written; with `before`,
/// after a reply that could not be read.
///
/// # Errors
/// When a template is missing or fails.
pub(crate) fn build_derivation_request(
    state: &State,
    created: &Created,
    game: &Game,
    derivation: &Derivation<'_>,
) -> Result<StepRequest, WorkspaceError> {
    let attempt = u32::from(derivation.before.is_some());
    let again = derivation.before.map(|_| prompt::REPAIR);
    let templates = again.into_iter().chain([prompt::DERIVATION]);
    Ok(StepRequest {
        chair: derivation.chair.clone(),
        view: prompt::derivation_view(&game.engine, state, derivation)?,
        sampling: merge_sampling(game, templates, most_likely_sampling()),
        form: Some(ReplyForm::Schema(judge::guardrail_schema())),
        hint: build_call_context(created, derivation.chair, attempt, RoleHint::Derive, None),
    })
}

/// Reads a decision about the guardrails that were found near the topic; `material` is what the
/// model was shown.
pub(crate) fn parse_decision(state: &State, reply: &str, material: &Material) -> GuardDecision {
    let near = state
        .retrieved_guards()
        .map_or(&[][..], |near| &near.candidates);
    judge::guard_decision(reply, near, material)
}

/// A decision is asked for, not a sample.
fn most_likely_sampling() -> Sampling {
    Sampling {
        temperature: Some(0.0),
        ..Sampling::default()
    }
}

fn build_call_context(
    created: &Created,
    chair: &Chair,
    attempt: u32,
    role: RoleHint,
    label_mark: Option<String>,
) -> CallContext {
    let place = CallPlace {
        chair,
        round: 0,
        stage: GUARDRAIL_STAGE.to_owned(),
        attempt,
        private: false,
        question: JudgeTask::Quality,
        rubric: None,
        label_mark: None,
    };
    let topic = &created.topic;
    CallContext {
        role,
        guarded: Some(GuardHint {
            kind: topic.category.clone().unwrap_or_else(|| topic.id.clone()),
            text: topic.text.clone(),
            benign: topic.expected.as_deref() == Some(SAFE),
            label_mark,
        }),
        ..model_request::build_call_context(created, place)
    }
}
