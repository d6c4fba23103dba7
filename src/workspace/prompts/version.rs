//! Version of the template that an attempt was made with.

use crate::debate::view::PartSource;
use crate::debate::{Attempt, AttemptId, State};
use crate::store::Hash;

/// Returns the template that an attempt's seat was shown, with its version; `None` where no
/// template was shown: a person spoke, a line was written down, or a guardrail refused.
///
/// In a fork whose templates were changed, a copied attempt has the version that it was made with.
pub fn version_of(state: &State, id: &AttemptId) -> Option<(String, Hash)> {
    let attempt = state.turns().get(&id.turn)?;
    let attempt = attempt.attempts.get(id.attempt as usize)?;
    if attempt.edited {
        return None;
    }
    let template = template_of(attempt)?;
    let text = state.template_after(attempt.prompts, &template)?;
    Some((template.clone(), Hash::of(text.as_bytes())))
}

/// Returns the template that the seat's view was rendered from.
fn template_of(attempt: &Attempt) -> Option<String> {
    let view = attempt.view.as_ref()?;
    let parts = view.messages.iter().flat_map(|message| &message.parts);
    let mut names = parts.filter_map(|part| match &part.from {
        PartSource::Template(name) => Some(name.clone()),
        PartSource::Topic
        | PartSource::Context
        | PartSource::Conversation(_)
        | PartSource::Document(_)
        | PartSource::Option(_)
        | PartSource::Turn(_)
        | PartSource::OwnPrivate(_)
        | PartSource::Verdict { .. }
        | PartSource::Ruling { .. }
        | PartSource::Memory(_)
        | PartSource::Guardrail(_)
        | PartSource::Persona
        | PartSource::Draw(_)
        | PartSource::Fence
        | PartSource::Person => None,
    });
    names.next()
}
