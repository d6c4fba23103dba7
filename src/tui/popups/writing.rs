//! Writing popup: a text of several lines over the lower half of a screen, kept with what it is for.

use crate::tui::theme::Role;
use crate::tui::widgets::{DrawContext, Edited, Editor, TooLong, body_and_foot, draw_edge_hint};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};

/// Rows of the editor with its frame, at least.
const MIN_HEIGHT: u16 = 8;

/// What a key means to a text that is written over a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WritingKey {
    /// Ctrl-D: the text is to be used.
    Done,
    /// Esc: the text is to be left.
    Leave,
    /// Ctrl-E: the person's own editor is to take it.
    Outside,
    /// It belongs to the editor.
    Text,
}

impl From<KeyEvent> for WritingKey {
    fn from(key: KeyEvent) -> Self {
        match (key.code, key.modifiers) {
            (KeyCode::Esc, _) => WritingKey::Leave,
            (KeyCode::Char('d'), KeyModifiers::CONTROL) => WritingKey::Done,
            (KeyCode::Char('e'), KeyModifiers::CONTROL) => WritingKey::Outside,
            _ => WritingKey::Text,
        }
    }
}

/// The text, and what it is for.
pub(crate) struct Writing<P> {
    title: String,
    editor: Editor,
    pub purpose: P,
    /// Something was typed.
    is_touched: bool,
}

impl<P> Writing<P> {
    /// # Errors
    /// When the text is too long to be edited here.
    pub(crate) fn new(title: String, text: &str, purpose: P) -> Result<Self, TooLong> {
        Ok(Self {
            title,
            editor: Editor::from_text(text)?,
            purpose,
            is_touched: false,
        })
    }

    pub(crate) fn text(&self) -> String {
        self.editor.text()
    }

    pub(crate) fn is_touched(&self) -> bool {
        self.is_touched
    }

    /// Takes a key of [`WritingKey::Text`].
    pub(crate) fn handle_key(&mut self, key: KeyEvent) -> Edited {
        let edit = self.editor.handle_key(key);
        self.is_touched |= edit.has_changed();
        edit
    }

    pub(crate) fn paste_text(&mut self, text: &str) -> Edited {
        self.is_touched = true;
        self.editor.paste_text(text)
    }

    /// Puts another text in place of what is there, as one change.
    ///
    /// # Errors
    /// When the text is too long to be edited here.
    pub(crate) fn replace_text(&mut self, text: &str) -> Result<(), TooLong> {
        self.editor.replace_text(text)
    }

    /// Takes a draft of an earlier time, with the cursor at its end; says whether it did. What was typed
    /// meanwhile is not replaced.
    pub(crate) fn take_draft(&mut self, text: &str) -> bool {
        let can_take = !self.is_touched && self.editor.replace_text(text).is_ok();
        if can_take {
            let end = KeyEvent::new(KeyCode::End, KeyModifiers::CONTROL);
            self.editor.handle_key(end);
        }
        can_take
    }

    /// Returns what is left of an area above the text.
    pub(crate) fn area_above(area: Rect) -> Rect {
        let [above, _] = body_and_foot(area, Self::height(area));
        above
    }

    fn height(area: Rect) -> u16 {
        (area.height / 2).max(MIN_HEIGHT).min(area.height)
    }

    /// Draws it over the lower half of an area: what is written about stays in sight.
    pub(crate) fn draw(
        &self,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) -> Position {
        let look = context.look;
        context.rows.begin_popup();
        let [_, area] = body_and_foot(area, Self::height(area));
        let cursor = self.editor.draw_with_frame(area, buffer, look, &self.title);
        let hint = " Ctrl-D done  Esc leave, it is kept  Ctrl-E your editor  Ctrl-O as it was ";
        draw_edge_hint(buffer, area, look, Role::KeyHint, hint);
        cursor
    }
}
