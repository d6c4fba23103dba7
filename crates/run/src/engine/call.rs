//! Model call of one open step: the step as a request, its reply as an event.

use super::build_request::build_step_request;
use super::cost::{WorstCase, reply_expense};
use super::guardrails::requests;
use super::model_request;
use super::model_step::ModelStep;
use super::partial_saver::stop_reason;
use super::seats::{ReadyModel, Seats};
use super::verdict_event::read_verdict;
use elenchus_game::debate::event::{
    Created, Event, Failed, FailureKind, FeedbackWritten, Judged, ModelPlayer, Replied,
};
use elenchus_game::debate::ids::{Chair, SeatId, TurnId};
use elenchus_game::debate::seeded_random::seeded_number;
use elenchus_game::debate::step::{Step, StepId};
use elenchus_game::debate::view::{PartSource, View, ViewMessage, ViewPart};
use elenchus_game::debate::{Expense, Guarded, GuardrailWritten, Recorded, SessionId, State};
use elenchus_game::judge::{self, Material};
use elenchus_game::prompt;
use elenchus_model as model;
use elenchus_model::{CallError, CallErrorKind, FixedReply, ModelSettings, Request};
use elenchus_records::library::Game;
use elenchus_records::workspace::{PartialReply, Session, WorkspaceError, WorstCaseUse};
use std::sync::Arc;

/// The token limit of replies where protocol, cast and model say nothing.
pub(crate) const DEFAULT_MAX_TOKENS: u32 = 2_048;

/// A request that is ready to be sent.
pub(crate) struct Call {
    step: ModelStep,
    pub id: StepId,
    pub seat: ReadyModel,
    pub request: Request,
    /// The view as it will be recorded: references instead of text where possible.
    view: View,
    pub worst_case: WorstCase,
}

/// Request of a step with its full view; no model needs to be available for it.
pub(super) struct PreparedRequest<'a> {
    player: &'a ModelPlayer,
    pub settings: ModelSettings,
    pub request: Request,
    pub view: View,
}

/// Makes the request of a step that asks a model; with `instead`, these messages are sent.
///
/// # Errors
/// When a template fails or the model cannot be made ready.
pub(crate) fn prepare_call(
    state: &State,
    game: &Game,
    seats: &Seats,
    step: &Step,
    instead: Option<Vec<ViewMessage>>,
) -> Result<Option<Call>, WorkspaceError> {
    let Some(asks) = ModelStep::from_step(step) else {
        return Ok(None);
    };
    let Some(ready) = prepare_request(state, game, seats, step, instead)? else {
        return Ok(None);
    };
    let PreparedRequest {
        player,
        settings: _,
        request,
        view,
    } = ready;
    let mut seat = seats.make_ready(player)?;
    let mut view = prompt::compact_view(state, step.turn(), view);
    view.request_sha256 = request.compute_sha256();
    let mut worst_case = WorstCase::from_request(&seat.settings, &request);
    if let Some(reply) = seat.model.find_cached_reply(&request) {
        // Nothing is set aside for what is paid already: a ceiling must not hold it up.
        seat.model = Arc::new(FixedReply::new(seat.model.as_ref(), reply));
        worst_case = WorstCase::NOTHING;
    }
    Ok(Some(Call {
        id: step.id(),
        step: asks,
        worst_case,
        seat,
        request,
        view,
    }))
}

/// Makes the request of a step that asks a model, and keeps the text of every part.
///
/// # Errors
/// When a template fails or the model's settings cannot be read.
pub(super) fn prepare_request<'a>(
    state: &'a State,
    game: &Game,
    seats: &Seats,
    step: &Step,
    instead: Option<Vec<ViewMessage>>,
) -> Result<Option<PreparedRequest<'a>>, WorkspaceError> {
    let Some(created) = state.first_event() else {
        return Ok(None);
    };
    let Some(mut step_request) = build_step_request(state, game, step)? else {
        return Ok(None);
    };
    let Some(player) = model_player(created, &step_request.chair) else {
        return Ok(None);
    };
    if let Some(messages) = instead {
        step_request.view = build_changed_view(state, step.turn(), &step_request.view, messages);
    }
    let settings = seats.current_settings(player)?;
    let mut sampling = step_request.sampling;
    if sampling.max_tokens.is_none() && settings.sampling.max_tokens.is_none() {
        sampling.max_tokens = Some(DEFAULT_MAX_TOKENS);
    }
    sampling.seed = Some(derive_sampling_seed(
        created,
        state.sample_index(),
        &step_request.hint,
    ));
    let messages = model_request::messages_of_view(&step_request.view);
    let sample = sample_of_call(state.sample_index(), step_request.hint.attempt);
    let request = settings.build_request(
        messages,
        &sampling,
        step_request.form,
        sample,
        step_request.hint,
    );
    Ok(Some(PreparedRequest {
        player,
        settings,
        request,
        view: step_request.view,
    }))
}

/// Returns a view that a person changed: parts that the original does not hold are a person's.
fn build_changed_view(
    state: &State,
    reader: Option<&TurnId>,
    original: &View,
    messages: Vec<ViewMessage>,
) -> View {
    let original_parts: Vec<&ViewPart> = (original.messages.iter())
        .flat_map(|message| &message.parts)
        .collect();
    let edited_view = View {
        messages,
        request_sha256: String::new(),
    };
    let mut view = prompt::expand_view(state, reader, edited_view);
    for part in (view.messages.iter_mut()).flat_map(|message| &mut message.parts) {
        if !original_parts.contains(&&*part) {
            part.from = PartSource::Person;
        }
    }
    view
}

/// Derives the server's sampling seed from the session's seed and the place (FIGURES 10).
///
/// Servers take it as a signed number of 32 or 64 bits: 31 bits fit all of them.
pub(super) fn derive_sampling_seed(
    created: &Created,
    sample: u32,
    hint: &model::CallContext,
) -> u64 {
    let sample_text = sample.to_string();
    let (round, index) = (hint.round.to_string(), hint.index.to_string());
    let attempt = hint.attempt.to_string();
    let mut place = vec![
        "sampling",
        &created.topic.id,
        &round,
        &hint.seat,
        &index,
        &hint.stage,
        &attempt,
    ];
    if sample > 0 {
        place.push(&sample_text);
    }
    seeded_number(created.seed, &place) & 0x7fff_ffff
}

/// Distinguishes equal requests of one place: its attempts, in every sample of a tried
/// prompt.
fn sample_of_call(sample: u32, attempt: u32) -> u32 {
    const ATTEMPTS: u32 = 1 << 16;
    sample.saturating_mul(ATTEMPTS).saturating_add(attempt)
}

fn model_player<'a>(created: &'a Created, chair: &Chair) -> Option<&'a ModelPlayer> {
    created.player_of(chair)?.as_model()
}

impl Call {
    /// Returns the texts of others that the seat was shown.
    pub(crate) fn collect_material(&self, state: &State) -> Material {
        let reader = match &self.step {
            ModelStep::Speak(speak) => Some(&speak.turn),
            ModelStep::Judge(_)
            | ModelStep::Guard(_)
            | ModelStep::WriteFeedback(_)
            | ModelStep::DeriveGuardrail(_) => None,
        };
        let view = prompt::expand_view(state, reader, self.view.clone());
        Material::from_view(&view)
    }

    /// Returns the event that a reply becomes.
    pub(crate) fn into_reply_event(self, session: &Session, reply: model::Reply) -> Event {
        let (state, game) = (&session.state, &session.game);
        let cost_usd = self.seat.settings.cost_usd(&reply);
        let mut reply = model_request::to_event_reply(reply, cost_usd, &self.request);
        // A re-roll that comes back empty is not repeated: the person can ask for another one.
        let is_step = self.id.rerolled_attempt().is_none();
        let may_come = reply.is_empty() && !reply.out_of_tokens;
        reply.ask_again = is_step && may_come && state.asks_again_after(&self.step.to_step());
        let material = self.collect_material(state);
        match self.step {
            ModelStep::Speak(speak) => {
                let schema = state
                    .protocol()
                    .and_then(|protocol| protocol.find_stage(&speak.turn.stage))
                    .and_then(|stage| stage.output.as_ref());
                Event::Replied(Box::new(Replied {
                    fields: schema
                        .map(|schema| judge::parse_json_fields(schema, &reply.text, &material)),
                    turn: speak.turn,
                    attempt: speak.attempt,
                    view: Some(self.view),
                    reply,
                    call: None,
                    guardrail: None,
                }))
            }
            ModelStep::Judge(judge) => Event::Judged(Box::new(Judged {
                outcome: read_verdict(state.protocol(), game, &judge, &reply, &material),
                judging: judge.judging,
                chair: judge.chair.index,
                target: judge.target,
                order: judge.order,
                attempt: judge.attempt,
                view: Some(self.view),
                reply: Some(reply),
            })),
            ModelStep::Guard(chair) => Event::Guarded(Box::new(Guarded {
                decision: requests::parse_decision(state, &reply.text, &material),
                chair,
                view: Some(Recorded::from(&self.view)),
                reply,
            })),
            ModelStep::DeriveGuardrail(chair) => {
                Event::GuardrailWritten(Box::new(GuardrailWritten {
                    chair,
                    view: Some(Recorded::from(&self.view)),
                    reply,
                }))
            }
            ModelStep::WriteFeedback(lesson) => Event::FeedbackWritten(Box::new(FeedbackWritten {
                entry: entry_id(&session.id, lesson.learner.as_ref()),
                learner: lesson.learner,
                view: Some(Recorded::from(&self.view)),
                reply,
            })),
        }
    }

    /// Returns the view as it will be recorded.
    pub(crate) fn into_view(self) -> View {
        self.view
    }

    /// Returns what a failed try has used or may have used: by the usage that the server reported,
    /// if it did, else the worst case.
    pub(crate) fn charge_for_failure(&self, error: &CallError, words: &PartialReply) -> WorstCase {
        let charge = self.worst_case.failure_charge(error);
        match words.usage {
            Some(usage) if charge.tokens > 0 => WorstCase {
                usd: words.cost_usd,
                tokens: usage.input_tokens.saturating_add(usage.output_tokens),
                ..charge
            },
            Some(_) | None => charge,
        }
    }

    /// Returns the event that keeps the words of a try that ended, if any came.
    pub(crate) fn stopped_reply_event(
        &self,
        error: &CallError,
        words: PartialReply,
    ) -> Option<Event> {
        let worst_case = WorstCaseUse {
            usd: self.worst_case.usd,
            tokens: self.worst_case.tokens,
        };
        (!words.is_empty())
            .then(|| words.into_stopped_event(self.id.clone(), stop_reason(error), worst_case))
    }

    /// Returns the event that a failed call becomes.
    pub(crate) fn failure_event(&self, error: &CallError, charge: WorstCase) -> Event {
        let kind = match error.kind {
            CallErrorKind::ContentFilter => FailureKind::Filtered,
            _ => FailureKind::Error,
        };
        let WorstCase { usd, tokens, calls } = charge;
        Event::Failed(Failed {
            step: self.id.clone(),
            kind,
            message: error.to_string(),
            may_have_cost_usd: usd,
            may_have_used_tokens: Some(tokens).filter(|tokens| *tokens > 0),
            unsent: calls == 0,
        })
    }
}

/// Returns the id of the memory entry that holds a session's lesson: there is one at most for each learner.
pub(super) fn entry_id(session: &SessionId, learner: Option<&SeatId>) -> String {
    match learner {
        None => format!("lesson-{session}"),
        Some(learner) => format!("lesson-{session}-{learner}"),
    }
}

/// What is journalled of a call's end.
pub(super) struct CallOutcome {
    /// The words of a reply that ended before it was whole, if any came.
    pub stopped: Option<Event>,
    /// The reply or the failure. A call that was cancelled has none; without words it leaves no event
    /// at all, and its `CallStarted` counts at its worst until it is resumed.
    pub event: Option<Event>,
    /// What it used or may have used.
    pub used: Expense,
}

/// Returns what a call's result becomes; `words` are those of its last try.
pub(super) fn call_outcome(
    session: &Session,
    call: Call,
    result: Result<model::Reply, CallError>,
    words: PartialReply,
) -> CallOutcome {
    match result {
        Ok(reply) => CallOutcome {
            stopped: None,
            used: reply_expense(&call.seat.settings, &reply),
            event: Some(call.into_reply_event(session, reply)),
        },
        Err(error) => {
            let charge = call.charge_for_failure(&error, &words);
            let event = match error.kind {
                CallErrorKind::Cancelled => None,
                _ => Some(call.failure_event(&error, charge)),
            };
            CallOutcome {
                stopped: call.stopped_reply_event(&error, words),
                event,
                used: charge.to_expense(),
            }
        }
    }
}
