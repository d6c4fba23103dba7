//! Version of the template that an attempt was made with.

use elenchus_game::debate::{AttemptId, State};
use elenchus_store::Hash;

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
    let view = state.view_at(attempt.view?);
    let (template, _) = view.template_words().next()?;
    let text = state.template_after(attempt.prompts, template)?;
    Some((template.to_owned(), Hash::digest(text.as_bytes())))
}
