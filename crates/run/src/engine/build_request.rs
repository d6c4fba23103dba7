//! Building of requests: what each step that asks a model asks, of which chair, with which sampling. It
//! chooses no model and sends nothing.

use super::guardrails::requests;
use super::model_request;
use super::model_request::{CallPlace, reply_form};
use super::model_step::ModelStep;
use super::step_request::{StepRequest, merge_sampling};
use elenchus_game::debate::State;
use elenchus_game::debate::event::Created;
use elenchus_game::debate::protocol::Orders;
use elenchus_game::debate::step::{Judge, LessonStep, Speak, Step, StepId};
use elenchus_game::judge::{REFUSAL_RUBRIC, ScoreFrom};
use elenchus_game::prompt::{self, Derivation};
use elenchus_model::{JudgeTask, ReplyForm, Sampling};
use elenchus_records::library::Game;
use elenchus_records::library::template_selection;
use elenchus_records::workspace::WorkspaceError;

/// Number of first-token candidates requested where a rubric scores by them: enough for both labels in
/// several spellings.
const TOP_LOGPROBS: u8 = 5;
/// Returns what a step asks of whom; `None` for a step that asks no model.
///
/// # Errors
/// When a template fails.
pub(crate) fn build_step_request(
    state: &State,
    game: &Game,
    step: &Step,
) -> Result<Option<StepRequest>, WorkspaceError> {
    let Some(created) = state.first_event() else {
        return Ok(None);
    };
    let Some(step) = ModelStep::from_step(step) else {
        return Ok(None);
    };
    let request = match &step {
        ModelStep::Speak(speak) => build_speaker_request(state, created, game, speak)?,
        ModelStep::Judge(judge) => build_judge_request(state, created, game, judge)?,
        ModelStep::WriteFeedback(lesson) => build_feedback_request(state, created, game, lesson)?,
        ModelStep::Guard(chair) => requests::build_decision_request(state, created, game, chair)?,
        ModelStep::DeriveGuardrail(chair) => {
            let Some(lesson) = state.lesson() else {
                return Ok(None);
            };
            let derivation = Derivation {
                chair,
                lesson: &lesson.reply.text,
                entry: &lesson.entry,
                before: None,
            };
            requests::build_derivation_request(state, created, game, &derivation)?
        }
    };
    Ok(Some(request))
}

fn build_speaker_request(
    state: &State,
    created: &Created,
    game: &Game,
    speak: &Speak,
) -> Result<StepRequest, WorkspaceError> {
    let view = prompt::speaker_view(&game.engine, state, speak)?;
    let stage = created.protocol.find_stage(&speak.turn.stage);
    let place = CallPlace {
        chair: &speak.turn.chair,
        round: speak.turn.round,
        stage: speak.turn.stage.to_string(),
        attempt: speak.attempt,
        private: stage.is_some_and(|stage| stage.private),
        question: JudgeTask::Quality,
        rubric: None,
        label_mark: None,
    };
    let sampling = Sampling {
        max_tokens: stage.and_then(|stage| stage.max_tokens),
        temperature: stage.and_then(|stage| stage.temperature),
        ..Sampling::default()
    };
    Ok(StepRequest {
        chair: speak.turn.chair.clone(),
        view,
        sampling: merge_sampling(
            game,
            template_selection::speaker_templates(&created.protocol, speak),
            sampling,
        ),
        form: stage
            .and_then(|stage| stage.output.clone())
            .map(ReplyForm::Schema),
        hint: model_request::build_call_context(created, place),
    })
}

fn build_judge_request(
    state: &State,
    created: &Created,
    game: &Game,
    step: &Judge,
) -> Result<StepRequest, WorkspaceError> {
    let judging = created.protocol.find_judging(&step.judging);
    let name = judging
        .and_then(|judging| judging.rubric.as_deref())
        .unwrap_or_default();
    let frame = game.judge_frame(name).ok_or_else(|| {
        WorkspaceError::Invalid(format!(
            "the session holds no rubric '{name}' for '{}'",
            step.judging
        ))
    })?;
    let view = prompt::judge_view(&game.engine, state, step, &frame)?;
    let label_mark = view.label_mark().map(str::to_owned);
    let rubric = game.rubrics.get(name);
    let (stage, round) = model_request::judge_place(step, state.last_round());
    let place = CallPlace {
        chair: &step.chair,
        round,
        stage,
        attempt: step.attempt,
        private: false,
        question: match judging.map(|judging| judging.orders) {
            Some(Orders::Both) => JudgeTask::Pick,
            Some(Orders::One) | None => task_of_rubric(name),
        },
        rubric,
        label_mark: label_mark.as_deref(),
    };
    // Judges are asked for their most likely verdict, not for a sample.
    let sampling = Sampling {
        max_tokens: judging
            .and_then(|judging| judging.max_tokens)
            .or(rubric.and_then(|rubric| rubric.max_tokens)),
        temperature: Some(0.0),
        top_logprobs: rubric
            .and_then(|rubric| rubric.score)
            .map(|ScoreFrom::FirstToken| TOP_LOGPROBS),
        chat_template_kwargs: rubric.and_then(|rubric| rubric.chat_template_kwargs.clone()),
        ..Sampling::default()
    };
    Ok(StepRequest {
        chair: step.chair.clone(),
        view,
        sampling: merge_sampling(
            game,
            template_selection::judge_templates(judging, step, &frame.template),
            sampling,
        ),
        form: rubric.and_then(|rubric| reply_form(rubric, label_mark.as_deref())),
        hint: model_request::build_call_context(created, place),
    })
}

fn build_feedback_request(
    state: &State,
    created: &Created,
    game: &Game,
    lesson: &LessonStep,
) -> Result<StepRequest, WorkspaceError> {
    let view = prompt::feedback_view(&game.engine, state, lesson)?;
    let learner = lesson.learner.as_ref();
    let place = CallPlace {
        chair: &lesson.chair,
        round: state.last_round(),
        // Lessons of one debate are draws of their own.
        stage: StepId::feedback_step(learner).to_string(),
        attempt: u32::from(state.empty_lesson(learner).is_some()),
        private: false,
        question: JudgeTask::Quality,
        rubric: None,
        label_mark: None,
    };
    let rule = created.protocol.find_feedback(learner);
    let sampling = Sampling {
        max_tokens: rule.and_then(|feedback| feedback.max_tokens),
        ..Sampling::default()
    };
    let template = rule.map(template_selection::feedback_template);
    let mut hint = model_request::build_call_context(created, place);
    hint.others_rewards =
        rule.is_some_and(|rule| rule.sees.rewards) && state.swapped_rewards().is_some();
    Ok(StepRequest {
        chair: lesson.chair.clone(),
        view,
        sampling: merge_sampling(game, template, sampling),
        form: None,
        hint,
    })
}

/// Returns what a rubric asks about a turn, for the simulated model to read the right truth.
fn task_of_rubric(rubric: &str) -> JudgeTask {
    match rubric {
        REFUSAL_RUBRIC => JudgeTask::Refusal,
        "critic-stance" => JudgeTask::Stance,
        "private-acceptance" => JudgeTask::PrivateAcceptance,
        "back-stab" => JudgeTask::BackStab,
        "critique-quality" | "named-error" => JudgeTask::Spurious,
        _ => JudgeTask::Quality,
    }
}
