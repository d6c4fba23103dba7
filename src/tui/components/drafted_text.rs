//! A text that is written over a screen and kept as a draft until it is used: after a crash, or where it was left,
//! it is offered when something is written at the same place again.

use super::writing::{leave_text, offer_draft, save_edit, warn_if_cut};
use crate::tui::app::{DrawContext, Effect, Task, say_error};
use crate::tui::popups::{Writing, WritingKey};
use crate::tui::widgets::TooLong;
use elenchus_records::workspace::Draft;
use elenchus_terminal::Paste;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

/// The text that is written, if one is.
pub(in crate::tui) struct DraftedText<P>(Option<(Writing<P>, String)>);

/// Result of a key.
pub(in crate::tui) enum DraftedKey<P> {
    /// It goes on, or was left.
    Effects(Vec<Effect>),
    /// It is to be used.
    Done(P, String),
    /// The person's own editor is to take it.
    Outside(P, String),
}

impl<P> Default for DraftedText<P> {
    fn default() -> Self {
        Self(None)
    }
}

impl<P> DraftedText<P> {
    /// Lets a text be written whose draft has a place, and looks for one of an earlier time.
    pub(in crate::tui) fn open_text<M: Send + 'static>(
        &mut self,
        text: (String, &str, P),
        place: String,
        to_message: impl FnOnce(String, Draft) -> M + Send + 'static,
    ) -> Vec<Effect> {
        match self.reopen_text(text, place.clone()) {
            Ok(()) => {
                let draft_place = place.clone();
                let find = Task::find_draft(place, move |draft| to_message(draft_place, draft));
                vec![Effect::Start(find)]
            }
            Err(error) => say_error(error.to_string()),
        }
    }

    /// Lets a text be written further.
    ///
    /// # Errors
    /// When the text is too long to be edited here.
    pub(in crate::tui) fn reopen_text(
        &mut self,
        (title, text, purpose): (String, &str, P),
        place: String,
    ) -> Result<(), TooLong> {
        self.0 = Some((Writing::new(title, text, purpose)?, place));
        Ok(())
    }

    pub(in crate::tui) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Takes a key of the text.
    pub(in crate::tui) fn handle_key(&mut self, key: KeyEvent) -> DraftedKey<P> {
        let Some((mut writing, place)) = self.0.take() else {
            return DraftedKey::Effects(Vec::new());
        };
        let text = writing.text();
        match WritingKey::from(key) {
            WritingKey::Leave => DraftedKey::Effects(leave_text(place, &writing)),
            WritingKey::Done => DraftedKey::Done(writing.purpose, text),
            WritingKey::Outside => DraftedKey::Outside(writing.purpose, text),
            WritingKey::Text => {
                let edit = writing.handle_key(key);
                let effects = save_edit(place.clone(), &writing, edit);
                self.0 = Some((writing, place));
                DraftedKey::Effects(effects)
            }
        }
    }

    /// Types pasted text; `None` where no text is written.
    pub(in crate::tui) fn handle_paste(&mut self, paste: &Paste) -> Option<Vec<Effect>> {
        let (writing, place) = self.0.as_mut()?;
        let edit = writing.paste_text(&paste.text);
        let effects = save_edit(place.clone(), writing, edit);
        Some(effects.into_iter().chain(warn_if_cut(paste)).collect())
    }

    /// Offers a draft of an earlier time, where the text of that place is written.
    pub(in crate::tui) fn handle_draft(&mut self, place: &str, draft: &Draft) -> Vec<Effect> {
        match &mut self.0 {
            Some((writing, of)) if of == place => offer_draft(writing, &draft.text),
            Some(_) | None => Vec::new(),
        }
    }

    /// Draws the text; returns its cursor.
    pub(in crate::tui) fn draw(
        &self,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) -> Option<Position> {
        let (writing, _) = self.0.as_ref()?;
        Some(writing.draw(area, buffer, context))
    }
}
