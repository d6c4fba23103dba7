//! Recorded session as a model that returns the same replies.

use elenchus_game::debate::State;
use elenchus_game::debate::event::{Finish, Participant, Reply};
use elenchus_game::debate::ids::Chair;
use elenchus_game::debate::step::{Judge, StepId};
use elenchus_model as model;
use elenchus_model::{LookupRecording, Model, RecordedKey, RecordedModel, Recording, TokenSource};
use elenchus_records::workspace::{WorkspaceError, read_session};
use elenchus_store::Layout;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A recorded session, ready to be replayed.
pub struct Replay {
    /// Recorded cast.
    pub cast: Vec<Participant>,
    pub model: Arc<dyn Model>,
}

/// Makes the model that replays a session of the store: the same replies in the same places, as
/// long as the requests are the recorded ones.
///
/// # Errors
/// When the session cannot be read.
pub fn open_replay(layout: &Layout, session: &str) -> Result<Replay, WorkspaceError> {
    let id = elenchus_records::workspace::find_session(layout, session)?;
    let path = layout.session_path(id.as_str())?;
    let state = read_session(&path)?;
    let replies = collect_replies(&state);
    let created = state
        .first_event()
        .ok_or_else(|| WorkspaceError::invalid("the session has not begun"))?;
    let lookup: LookupRecording = Arc::new(move |key: &RecordedKey| replies.get(key).cloned());
    Ok(Replay {
        cast: created.cast.clone(),
        model: Arc::new(if created.is_simulated() {
            RecordedModel::from_simulated_replies(lookup)
        } else {
            RecordedModel::from_real_replies(lookup)
        }),
    })
}

fn collect_replies(state: &State) -> BTreeMap<RecordedKey, Recording> {
    let mut recordings = BTreeMap::new();
    let mut keep = |chair: &Chair,
                    round: u32,
                    stage: String,
                    attempt: u32,
                    hash: Option<String>,
                    reply: &Reply| {
        let key = RecordedKey {
            seat: chair.seat.to_string(),
            index: chair.index,
            round,
            stage,
            attempt,
        };
        let recording = Recording {
            request_sha256: hash.unwrap_or_default(),
            dialect: serde_json::from_value(reply.dialect.decode()).unwrap_or_default(),
            reply: to_model_reply(reply),
        };
        recordings.insert(key, recording);
    };
    for (turn, known) in state.turns() {
        for (attempt, said) in (0u32..).zip(&known.attempts) {
            let hash = said.view.map(|place| state.view_at(place).request_sha256);
            let stage = turn.stage.to_string();
            keep(&turn.chair, turn.round, stage, attempt, hash, &said.reply);
        }
    }
    for (chair, decided) in state.guard_states() {
        let empty = state.empty_decision(chair);
        let tries = empty.into_iter().chain(&decided.decided);
        for (attempt, guarded) in (0u32..).zip(tries) {
            let hash = (guarded.view.as_ref()).map(|view| view.decode().request_sha256);
            let stage = crate::engine::model_request::GUARDRAIL_STAGE.to_owned();
            keep(chair, 0, stage, attempt, hash, &guarded.reply);
        }
    }
    let last_round = state.last_round();
    for (judging, target, by_slot) in state.verdicts() {
        let seat = state
            .protocol()
            .and_then(|protocol| protocol.find_judging(judging))
            .and_then(|judging| judging.by.clone());
        let Some(seat) = seat else { continue };
        for (slot, last) in by_slot {
            let tries = last.earlier.iter().chain(std::iter::once(&**last));
            for (attempt, verdict) in (0u32..).zip(tries) {
                let judge = Judge {
                    judging: judging.clone(),
                    chair: Chair {
                        seat: seat.clone(),
                        index: slot.chair,
                    },
                    target: target.clone(),
                    order: slot.order,
                    attempt,
                };
                if let Some(reply) = &verdict.reply {
                    let hash = (verdict.view).map(|place| state.view_at(place).request_sha256);
                    let (stage, round) =
                        crate::engine::model_request::judge_place(&judge, last_round);
                    keep(&judge.chair, round, stage, attempt, hash, reply);
                }
            }
        }
    }
    for lesson in state.lessons() {
        let learner = lesson.learner.as_ref();
        let rule = state
            .protocol()
            .and_then(|protocol| protocol.find_feedback(learner));
        let Some(rule) = rule else { continue };
        let chair = Chair {
            seat: rule.by.clone(),
            index: 0,
        };
        let tries = state.empty_lesson(learner).into_iter().chain([lesson]);
        for (attempt, lesson) in (0u32..).zip(tries) {
            let hash = (lesson.view.as_ref()).map(|view| view.decode().request_sha256);
            let stage = StepId::feedback_step(learner).to_string();
            keep(&chair, last_round, stage, attempt, hash, &lesson.reply);
        }
    }
    recordings
}

fn to_model_reply(reply: &Reply) -> model::Reply {
    model::Reply {
        text: reply.text.clone(),
        thinking: reply.thinking.clone(),
        finish: match &reply.finish {
            Finish::Stop => model::Finish::Stop,
            Finish::Length => model::Finish::Length,
            Finish::Other(reason) => model::Finish::Other(reason.clone()),
        },
        usage: model::Usage {
            input_tokens: reply.usage.input_tokens,
            output_tokens: reply.usage.output_tokens,
            reasoning_tokens: None,
            cached_tokens: None,
            counted: if reply.usage.estimated {
                TokenSource::Estimated
            } else {
                TokenSource::Server
            },
            claimed: None,
            sent_tokens: None,
        },
        model: reply.model.clone(),
        latency_ms: reply.latency_ms,
        first_token_ms: reply.first_token_ms,
        request_id: reply.request_id.clone(),
        cached: true,
        end_token: reply.end_token.clone(),
        unknown_mark: reply.unknown_mark.clone(),
        first_token: reply.first_token.as_ref().map(|first| model::FirstToken {
            token: first.token.clone(),
            probability: first.probability,
            others: first.others.clone(),
        }),
        left_out: reply.left_out.clone(),
        sent_as: reply.sent_as.clone(),
        reported_cost_usd: None,
    }
}
