//! Single-line text input. The cursor is between grapheme clusters.

use super::cells::{count_cells, grapheme_cells};
use crate::tui::keys::typed_char;
use crate::tui::theme::{Look, Role};
use elenchus_text::safe_text::{Keep, make_visible};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};
use unicode_segmentation::UnicodeSegmentation;

/// Size of a line at most, in bytes; further input is left out.
pub const MAX_LINE_BYTES: usize = 16 * 1024;

/// Result of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// The text is another one.
    Changed,
    /// At most the cursor moved.
    Moved,
    /// The key means nothing in a line.
    Ignored,
}

/// The text and the place in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineInput {
    text: String,
    /// In bytes; always between graphemes.
    cursor: usize,
}

impl LineInput {
    /// Returns a line with the cursor behind the text.
    pub fn new(text: &str) -> Self {
        let mut line = Self::default();
        line.paste_text(text);
        line
    }

    /// Returns what was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Empties the line.
    pub fn clear(&mut self) {
        self.text.clear();
        self.cursor = 0;
    }

    /// Takes a key: letters, Backspace, Del, Left, Right, Home, End; with Ctrl, Left and Right move by
    /// words, and U empties what is before the cursor.
    pub fn handle_key(&mut self, key: KeyEvent) -> Typed {
        if let Some(c) = typed_char(key) {
            return self.insert(c.encode_utf8(&mut [0; 4]));
        }
        match key.code {
            KeyCode::Left
                if key.modifiers.contains(KeyModifiers::CONTROL)
                    || key.modifiers.contains(KeyModifiers::ALT) =>
            {
                self.move_cursor(self.word_before())
            }
            KeyCode::Right
                if key.modifiers.contains(KeyModifiers::CONTROL)
                    || key.modifiers.contains(KeyModifiers::ALT) =>
            {
                self.move_cursor(self.word_after())
            }
            KeyCode::Left => self.move_cursor(self.grapheme_before()),
            KeyCode::Right => self.move_cursor(self.grapheme_after()),
            KeyCode::Home => self.move_cursor(0),
            KeyCode::End => self.move_cursor(self.text.len()),
            KeyCode::Backspace => self.remove_range(self.grapheme_before(), self.cursor),
            KeyCode::Delete => self.remove_range(self.cursor, self.grapheme_after()),
            KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                self.remove_range(0, self.cursor)
            }
            _ => Typed::Ignored,
        }
    }

    /// Inserts pasted text; the ends of its lines become spaces.
    pub fn paste_text(&mut self, text: &str) -> Typed {
        let line = text.trim_end_matches(['\r', '\n']).replace("\r\n", " ");
        let line = line.replace(['\r', '\n', '\t'], " ");
        self.insert(&make_visible(&line, Keep::Nothing))
    }

    /// Draws the line, scrolled so that the cursor is seen, and returns where the terminal's cursor
    /// belongs.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look, role: Role) -> Position {
        let area = area.intersection(buf.area);
        let room = usize::from(area.width.max(1));
        let before = self.text.get(..self.cursor).unwrap_or_default();
        let mut start = 0;
        let mut column = count_cells(before);
        for grapheme in before.graphemes(true) {
            if column < room {
                break;
            }
            start += grapheme.len();
            column -= grapheme_cells(grapheme);
        }
        let visible_text = self.text.get(start..).unwrap_or_default();
        buf.set_stringn(
            area.x,
            area.y,
            visible_text,
            area.width.into(),
            look.style(role),
        );
        // Less than the width of the area.
        Position::new(area.x + column as u16, area.y)
    }

    fn insert(&mut self, text: &str) -> Typed {
        let room = MAX_LINE_BYTES.saturating_sub(self.text.len());
        let cut = text.floor_char_boundary(room);
        let text = text.get(..cut).unwrap_or_default();
        if text.is_empty() {
            return Typed::Moved;
        }
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
        self.align_cursor();
        Typed::Changed
    }

    fn remove_range(&mut self, from: usize, to: usize) -> Typed {
        if from >= to {
            return Typed::Moved;
        }
        self.text.replace_range(from..to, "");
        self.cursor = from;
        self.align_cursor();
        Typed::Changed
    }

    /// Typed text may have joined what follows into one character.
    fn align_cursor(&mut self) {
        let at = self.cursor;
        self.cursor = self
            .text
            .grapheme_indices(true)
            .map(|(start, _)| start)
            .find(|start| *start >= at)
            .unwrap_or(self.text.len());
    }

    fn move_cursor(&mut self, to: usize) -> Typed {
        self.cursor = to;
        Typed::Moved
    }

    fn grapheme_before(&self) -> usize {
        let before = self.text.get(..self.cursor).unwrap_or_default();
        before
            .grapheme_indices(true)
            .next_back()
            .map_or(0, |(at, _)| at)
    }

    fn grapheme_after(&self) -> usize {
        let after = self.text.get(self.cursor..).unwrap_or_default();
        self.cursor + after.graphemes(true).next().map_or(0, str::len)
    }

    fn word_before(&self) -> usize {
        let before = self.text.get(..self.cursor).unwrap_or_default();
        before
            .unicode_word_indices()
            .next_back()
            .map_or(0, |(at, _)| at)
    }

    fn word_after(&self) -> usize {
        let after = self.text.get(self.cursor..).unwrap_or_default();
        after
            .unicode_word_indices()
            .find(|(at, _)| *at > 0)
            .map_or(self.text.len(), |(at, _)| self.cursor + at)
    }
}
