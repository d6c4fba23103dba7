//! Words on texts that are written in a screen: drafts, what did not fit, what of a paste was left out.

use crate::tui::app::{self, Effect, say_notice};
use crate::tui::popups::Writing;
use crate::tui::theme::Role;
use crate::tui::widgets::Edited;
use elenchus_terminal::Paste;

/// Keeps a text that was not used yet.
pub(in crate::tui) fn keep_draft<P>(place: String, writing: &Writing<P>) -> Effect {
    app::keep_draft(place, writing.text())
}

/// Keeps the text after an edit, where it has changed, and says what did not fit.
pub(in crate::tui) fn save_edit<P>(
    place: String,
    writing: &Writing<P>,
    edit: Edited,
) -> Vec<Effect> {
    let draft = edit.has_changed().then(|| keep_draft(place, writing));
    draft.into_iter().chain(warn_if_full(edit)).collect()
}

/// Leaves a text: what was typed is kept as a draft.
pub(in crate::tui) fn leave_text<P>(place: String, writing: &Writing<P>) -> Vec<Effect> {
    if !writing.is_touched() {
        return Vec::new();
    }
    let mut effects = vec![keep_draft(place, writing)];
    effects.extend(say_notice(
        "the text is kept and comes back when you write here again",
    ));
    effects
}

/// Offers a draft of an earlier time in place of a text that was not touched yet.
pub(in crate::tui) fn offer_draft<P>(writing: &mut Writing<P>, text: &str) -> Vec<Effect> {
    match writing.take_draft(text) {
        true => say_notice(
            "this is what you wrote last time and did not use; Ctrl-O brings back what was there",
        ),
        false => Vec::new(),
    }
}

/// Says that an editor had no room, where that is so.
pub(in crate::tui) fn warn_if_full(edit: Edited) -> Vec<Effect> {
    match edit {
        Edited::Changed | Edited::Moved | Edited::Ignored => Vec::new(),
        Edited::Full { dropped_bytes } => {
            let text = format!("the editor is full: {dropped_bytes} bytes were left out");
            vec![Effect::Say(Role::Warning, text)]
        }
    }
}

/// Says that a paste was too long for the terminal, where that is so.
pub(in crate::tui) fn warn_if_cut(paste: &Paste) -> Option<Effect> {
    let text = format!("{} bytes of the paste were left out", paste.dropped_bytes);
    (paste.dropped_bytes > 0).then(|| Effect::Say(Role::Warning, text))
}
