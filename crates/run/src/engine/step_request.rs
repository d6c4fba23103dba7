//! Request of a step to a chair, before its model is known.

use elenchus_game::debate::ids::Chair;
use elenchus_game::debate::view::View;
use elenchus_model as model;
use elenchus_model::{ReplyForm, Sampling};
use elenchus_records::library::Game;

/// Request to a chair, before its model is known.
pub(crate) struct StepRequest {
    pub chair: Chair,
    pub view: View,
    pub sampling: Sampling,
    pub form: Option<ReplyForm>,
    pub hint: model::CallContext,
}

/// Returns how a call is sampled: as its template says, else as its stage or rule does.
pub(crate) fn merge_sampling<'a>(
    game: &Game,
    templates: impl IntoIterator<Item = &'a str>,
    sampling: Sampling,
) -> Sampling {
    let template_sampling = game.engine.find_sampling(templates);
    Sampling {
        temperature: template_sampling.temperature.or(sampling.temperature),
        max_tokens: template_sampling.max_tokens.or(sampling.max_tokens),
        ..sampling
    }
}
