//! Model call of one open step: the step as a request, its reply as an event.

use super::build_request::asked;
use super::cost::{WorstCase, expense};
use super::guardrails::requests;
use super::model_request;
use super::model_step::ModelStep;
use super::partial_saver::stop_reason;
use super::seats::{ReadyModel, Seats};
use super::verdict_event::read_verdict;
use elenchus_game::debate::event::{
    Created, Event, Failed, FailureKind, FeedbackWritten, Judged, ModelPlayer, Replied,
};
use elenchus_game::debate::ids::{Chair, TurnId};
use elenchus_game::debate::seeded_random::draw;
use elenchus_game::debate::step::{Step, StepId};
use elenchus_game::debate::view::{PartSource, View, ViewMessage, ViewPart};
use elenchus_game::debate::{Expense, Guarded, Recorded, SessionId, State};
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
pub(crate) fn prepare(
    state: &State,
    game: &Game,
    seats: &Seats,
    step: &Step,
    instead: Option<Vec<ViewMessage>>,
) -> Result<Option<Call>, WorkspaceError> {
    let Some(asks) = ModelStep::from_step(step) else {
        return Ok(None);
    };
    let Some(ready) = ready(state, game, seats, step, instead)? else {
        return Ok(None);
    };
    let PreparedRequest {
        player,
        settings: _,
        request,
        view,
    } = ready;
    let mut seat = seats.seat(player)?;
    let mut view = prompt::compact(state, step.turn(), view);
    view.request_sha256 = request.sha256();
    let mut worst_case = WorstCase::for_request(&seat.settings, &request);
    if let Some(reply) = seat.model.kept(&request) {
        // Nothing is set aside for what is paid already: a ceiling must not hold it up.
        seat.model = Arc::new(FixedReply::instead_of(seat.model.as_ref(), reply));
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
pub(super) fn ready<'a>(
    state: &'a State,
    game: &Game,
    seats: &Seats,
    step: &Step,
    instead: Option<Vec<ViewMessage>>,
) -> Result<Option<PreparedRequest<'a>>, WorkspaceError> {
    let Some(created) = state.created() else {
        return Ok(None);
    };
    let Some(mut asked) = asked(state, game, step)? else {
        return Ok(None);
    };
    let Some(player) = model_player(created, &asked.chair) else {
        return Ok(None);
    };
    if let Some(messages) = instead {
        asked.view = changed(state, step.turn(), &asked.view, messages);
    }
    let settings = seats.settings(player)?;
    let mut sampling = asked.sampling;
    if sampling.max_tokens.is_none() && settings.sampling.max_tokens.is_none() {
        sampling.max_tokens = Some(DEFAULT_MAX_TOKENS);
    }
    sampling.seed = Some(sampling_seed(created, state.sample(), &asked.hint));
    let messages = model_request::messages(&asked.view);
    let sample = sample_of_call(state.sample(), asked.hint.attempt);
    let request = settings.request(messages, &sampling, asked.form, sample, asked.hint);
    Ok(Some(PreparedRequest {
        player,
        settings,
        request,
        view: asked.view,
    }))
}

/// Returns a view that a person changed: parts that the original does not hold are a person's.
fn changed(
    state: &State,
    reader: Option<&TurnId>,
    original: &View,
    messages: Vec<ViewMessage>,
) -> View {
    let known: Vec<&ViewPart> = (original.messages.iter())
        .flat_map(|message| &message.parts)
        .collect();
    let given = View {
        messages,
        request_sha256: String::new(),
    };
    let mut view = prompt::expand(state, reader, given);
    for part in (view.messages.iter_mut()).flat_map(|message| &mut message.parts) {
        if !known.contains(&&*part) {
            part.from = PartSource::Person;
        }
    }
    view
}

/// Derives the server's sampling seed from the session's seed and the place (FIGURES 10).
///
/// Servers take it as a signed number of 32 or 64 bits: 31 bits fit all of them.
pub(super) fn sampling_seed(created: &Created, sample: u32, hint: &model::CallContext) -> u64 {
    let numbered = sample.to_string();
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
        place.push(&numbered);
    }
    draw(created.seed, &place) & 0x7fff_ffff
}

/// Distinguishes equal requests of one place: its attempts, in every sample of a tried
/// prompt.
fn sample_of_call(sample: u32, attempt: u32) -> u32 {
    const ATTEMPTS: u32 = 1 << 16;
    sample.saturating_mul(ATTEMPTS).saturating_add(attempt)
}

fn model_player<'a>(created: &'a Created, chair: &Chair) -> Option<&'a ModelPlayer> {
    created.player(chair)?.model()
}

impl Call {
    /// Returns the texts of others that the seat was shown.
    pub(crate) fn material(&self, state: &State) -> Material {
        let reader = match &self.step {
            ModelStep::Speak(speak) => Some(&speak.turn),
            ModelStep::Judge(_) | ModelStep::Guard(_) | ModelStep::WriteFeedback(_) => None,
        };
        let view = prompt::expand(state, reader, self.view.clone());
        Material::from_view(&view)
    }

    /// Returns the event that a reply becomes.
    pub(crate) fn replied(self, session: &Session, reply: model::Reply) -> Event {
        let (state, game) = (&session.state, &session.game);
        let cost_usd = self.seat.settings.cost_usd(&reply);
        let mut reply = model_request::reply(reply, cost_usd, &self.request);
        // A re-roll that comes back empty is not repeated: the person can ask for another one.
        let is_step = self.id.rerolled().is_none();
        let may_come = reply.is_empty() && !reply.out_of_tokens;
        reply.ask_again = is_step && may_come && state.asks_again_after(&self.step.to_step());
        let material = self.material(state);
        match self.step {
            ModelStep::Speak(speak) => {
                let schema = state
                    .protocol()
                    .and_then(|protocol| protocol.stage(&speak.turn.stage))
                    .and_then(|stage| stage.output.as_ref());
                Event::Replied(Box::new(Replied {
                    fields: schema.map(|schema| judge::fields(schema, &reply.text, &material)),
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
                decision: requests::decision(state, &reply.text, &material),
                chair,
                view: Some(Recorded::from(&self.view)),
                reply,
            })),
            ModelStep::WriteFeedback(_) => Event::FeedbackWritten(Box::new(FeedbackWritten {
                entry: entry_id(&session.id),
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
    pub(crate) fn charge(&self, error: &CallError, words: &PartialReply) -> WorstCase {
        let charge = self.worst_case.charge(error);
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
    pub(crate) fn stopped(&self, error: &CallError, words: PartialReply) -> Option<Event> {
        let worst_case = WorstCaseUse {
            usd: self.worst_case.usd,
            tokens: self.worst_case.tokens,
        };
        (!words.is_empty()).then(|| words.stopped(self.id.clone(), stop_reason(error), worst_case))
    }

    /// Returns the event that a failed call becomes.
    pub(crate) fn failed(&self, error: &CallError, charge: WorstCase) -> Event {
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

/// Returns the id of the memory entry that holds a session's lesson: there is one at most.
pub(super) fn entry_id(session: &SessionId) -> String {
    format!("lesson-{session}")
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
pub(super) fn outcome(
    session: &Session,
    call: Call,
    result: Result<model::Reply, CallError>,
    words: PartialReply,
) -> CallOutcome {
    match result {
        Ok(reply) => CallOutcome {
            stopped: None,
            used: expense(&call.seat.settings, &reply),
            event: Some(call.replied(session, reply)),
        },
        Err(error) => {
            let charge = call.charge(&error, &words);
            let event = match error.kind {
                CallErrorKind::Cancelled => None,
                _ => Some(call.failed(&error, charge)),
            };
            CallOutcome {
                stopped: call.stopped(&error, words),
                event,
                used: charge.expense(),
            }
        }
    }
}
