//! Which text of which template an attempt was asked for with.

use crate::debate::view::Source;
use crate::debate::{Attempt, AttemptId, State};
use crate::store::Hash;

/// Returns the template that an attempt's seat was shown, with its version; `None` where nobody was
/// shown one: a person spoke, a line was written down, or a guardrail refused.
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

/// Returns the template whose words stand in what the seat was shown.
fn template_of(attempt: &Attempt) -> Option<String> {
    let view = attempt.view.as_ref()?;
    let parts = view.messages.iter().flat_map(|message| &message.parts);
    let mut names = parts.filter_map(|part| match &part.from {
        Source::Template(name) => Some(name.clone()),
        Source::Topic
        | Source::Context
        | Source::Conversation(_)
        | Source::Document(_)
        | Source::Option(_)
        | Source::Turn(_)
        | Source::OwnPrivate(_)
        | Source::Verdict { .. }
        | Source::Ruling { .. }
        | Source::Memory(_)
        | Source::Guardrail(_)
        | Source::Persona
        | Source::Draw(_)
        | Source::Fence
        | Source::Person => None,
    });
    names.next()
}
