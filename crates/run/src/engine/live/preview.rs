//! Preview of the request of an open step. Sends nothing.

use crate::engine::call;
use crate::engine::call::DEFAULT_MAX_TOKENS;
use crate::engine::dry_run::LIKELY_SHARE;
use crate::engine::seats::Seats;
use crate::engine::seats::build_question;
use crate::engine::seats::simulated_reply_tokens;
use elenchus_game::debate::State;
use elenchus_game::debate::event::Player;
use elenchus_game::debate::ids::Chair;
use elenchus_game::debate::step::{Performer, Step, StepId};
use elenchus_game::debate::view::ViewMessage;
use elenchus_model::{CHARS_PER_TOKEN, ReplyForm, Request, Sampling, input_tokens_bound};
use elenchus_records::library::Game;
use elenchus_records::workspace::WorkspaceError;

/// Request of an open step, and who it would be shown to.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    pub step: StepId,
    pub chair: Chair,
    /// The exact messages; every part has its text and where it comes from.
    pub messages: Vec<ViewMessage>,
    /// The request to the model besides its messages, and its cost; `None` where a person sits.
    pub request: Option<PreviewRequest>,
}

/// The request of a [`Preview`] without its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewRequest {
    /// The model's name in the configuration.
    pub model: String,
    /// The name sent to the server.
    pub name: String,
    pub simulated: bool,
    pub sampling: Sampling,
    pub form: Option<ReplyForm>,
    /// SHA-256 of the exact request, hex.
    pub sha256: String,
    /// Four characters a token, and half of the reply's token limit.
    pub likely: PreviewUse,
    /// Every byte a token, and the whole limit.
    pub at_most: PreviewUse,
}

/// Use of a call.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PreviewUse {
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// `None` when the model has no prices.
    pub cost_usd: Option<f64>,
}

/// Returns what an open step would send: a turn, a verdict or a lesson, a model's or a person's.
///
/// # Errors
/// When a template fails, the model's settings cannot be read, or the step has no view.
pub fn preview_step(
    state: &State,
    game: &Game,
    seats: &Seats,
    step: &Step,
) -> Result<Preview, WorkspaceError> {
    let chair = match (step.performer(), step.chair()) {
        (Performer::Model | Performer::Person, Some(chair)) => chair,
        (Performer::Engine, _) | (_, None) => {
            return Err(WorkspaceError::Invalid(format!(
                "step '{}' has no request to show; play on to perform it",
                step.id()
            )));
        }
    };
    let player = state
        .first_event()
        .and_then(|created| created.player_of(chair));
    let (messages, request) = match call::prepare_request(state, game, seats, step, None)? {
        Some(ready) => {
            let at_most = max_use(&ready);
            let likely = likely_use(&ready, player, at_most);
            let request = ready.request;
            let model = player.and_then(Player::as_model);
            let name = model.map_or(&request.model, |player| &player.model).clone();
            let about = PreviewRequest {
                model: name,
                simulated: player.is_some_and(Player::is_simulated),
                sha256: request.compute_sha256(),
                name: request.model,
                sampling: request.sampling,
                form: request.form,
                likely,
                at_most,
            };
            (ready.view.messages, Some(about))
        }
        None => (build_question(state, game, step)?.view.messages, None),
    };
    Ok(Preview {
        step: step.id(),
        chair: chair.clone(),
        messages,
        request,
    })
}

fn max_use(ready: &call::PreparedRequest<'_>) -> PreviewUse {
    let request = &ready.request;
    let limit = request.sampling.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS);
    PreviewUse {
        input_tokens: input_tokens_bound(request),
        output_tokens: u64::from(limit),
        cost_usd: ready.settings.worst_case_usd(request),
    }
}

fn likely_use(
    ready: &call::PreparedRequest<'_>,
    player: Option<&Player>,
    at_most: PreviewUse,
) -> PreviewUse {
    let model = player.and_then(Player::as_model);
    let simulated_tokens = model.and_then(simulated_reply_tokens);
    let share = (at_most.output_tokens as f64 * LIKELY_SHARE).ceil() as u64;
    let output_tokens = simulated_tokens.unwrap_or(share).min(at_most.output_tokens);
    let input_tokens = count_chars(&ready.request).div_ceil(CHARS_PER_TOKEN);
    PreviewUse {
        input_tokens,
        output_tokens,
        cost_usd: ready.settings.compute_price(input_tokens, output_tokens),
    }
}

fn count_chars(request: &Request) -> u64 {
    let messages = request.messages.iter();
    let message_chars: usize = messages.map(|said| said.content.chars().count()).sum();
    let form = request.form.as_ref().map(ReplyForm::to_text);
    (message_chars + form.map_or(0, |form| form.chars().count())) as u64
}
