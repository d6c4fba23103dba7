//! Multi-line text editor, over `ratatui-textarea`.
//!
//! That lays out the whole text after every change and counts lines of the screen in 16 bits;
//! the bounds here keep both harmless.

mod drawing;
mod search;

pub(crate) use drawing::EditorFault;

use super::cells::count_cells;
use super::typed_letters::{LineAtCursor, byte_index, find_typed_letter};
use crate::tui::keys::{Action, typed_char};
use elenchus_text::safe_text::{Keep, make_visible};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Style;
use ratatui_textarea::{CursorMove, DataCursor, Scrolling, TextArea, WrapMode};
use thiserror::Error;
use unicode_segmentation::UnicodeSegmentation;

/// Size of an editor's text at most, in bytes.
pub const MAX_EDITOR_BYTES: usize = 256 * 1024;
/// Lines at most.
pub const MAX_EDITOR_LINES: usize = 10_000;
/// Changes that can be undone, at most; every typed letter is one.
const MAX_UNDO: usize = 1000;

/// Result of a key or a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    /// The text is another one.
    Changed,
    /// At most the cursor moved.
    Moved,
    /// The key means nothing in an editor.
    Ignored,
    /// There is no room: bytes were left out at the end.
    Full { dropped_bytes: usize },
}

impl Edited {
    /// Says whether the text is another one.
    pub(crate) fn has_changed(self) -> bool {
        match self {
            Edited::Changed | Edited::Full { .. } => true,
            Edited::Moved | Edited::Ignored => false,
        }
    }
}

/// Direction of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchDirection {
    Next,
    Previous,
}

/// The text, the place in it, and what was done to it.
#[derive(Debug, Clone)]
pub struct Editor {
    area: TextArea<'static>,
    /// Of the whole text, with its line ends.
    bytes: usize,
    /// Another text was put in the place of the whole one.
    has_replaced: bool,
    /// What there is a way back to: the text that was opened, or saved since.
    saved: String,
    /// What was searched for last.
    query: String,
}

/// A text that an editor here cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the text has {bytes} bytes and {lines} lines, and at most {MAX_EDITOR_BYTES} and \
     {MAX_EDITOR_LINES} can be edited here; edit it in your own editor"
)]
pub struct TooLong {
    pub bytes: usize,
    pub lines: usize,
}

impl Default for Editor {
    /// An editor with nothing written.
    fn default() -> Self {
        Self::from_checked_text("")
    }
}

impl Editor {
    /// Opens a text with the cursor at its beginning.
    ///
    /// # Errors
    /// When the text is too long to be edited here; nothing is ever cut off a text that exists.
    pub fn from_text(text: &str) -> Result<Self, TooLong> {
        let lines = text.split('\n').count();
        if text.len() > MAX_EDITOR_BYTES || lines > MAX_EDITOR_LINES {
            return Err(TooLong {
                bytes: text.len(),
                lines,
            });
        }
        Ok(Self::from_checked_text(text))
    }

    fn from_checked_text(text: &str) -> Self {
        let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        area.set_cursor_line_style(Style::default());
        // The terminal's own cursor is there.
        area.set_cursor_style(Style::default());
        area.set_max_histories(MAX_UNDO);
        Self {
            area,
            bytes: text.len(),
            has_replaced: false,
            saved: text.to_owned(),
            query: String::new(),
        }
    }

    /// A text was saved: the way back leads to it.
    pub(crate) fn set_saved_text(&mut self, text: &str) {
        text.clone_into(&mut self.saved);
    }

    /// Returns the whole text.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Returns whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Puts another text in the place of the whole one, as one change that can be undone.
    ///
    /// # Errors
    /// When the text is too long; nothing is changed.
    pub fn replace_text(&mut self, text: &str) -> Result<(), TooLong> {
        // What is typed in later is bounded as everything is.
        Self::from_text(text)?;
        self.area.select_all();
        self.area.cut();
        self.area.insert_str(text);
        self.area.set_yank_text("");
        self.bytes = text.len();
        self.has_replaced = true;
        self.area.move_cursor(CursorMove::Top);
        self.area.move_cursor(CursorMove::Head);
        Ok(())
    }

    /// Takes a key.
    ///
    /// Enter and Ctrl-J begin a new line; Ctrl or Alt with Left and Right move by words, Ctrl with Home
    /// and End to the ends of the text; Ctrl-U and Ctrl-K empty the line before and behind the cursor,
    /// Alt-Backspace removes a word; Ctrl-_ (which terminals also send for Ctrl-/) undoes and Ctrl-R
    /// does again, what was typed word by word; Ctrl-O goes back to the text that was opened or saved.
    pub fn handle_key(&mut self, key: KeyEvent) -> Edited {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let wide = ctrl || key.modifiers.contains(KeyModifiers::ALT);
        if let Some(c) = typed_char(key) {
            return self.insert(c.encode_utf8(&mut [0; 4]));
        }
        match key.code {
            KeyCode::Enter => self.insert("\n"),
            KeyCode::Char('j') if ctrl => self.insert("\n"),
            KeyCode::Char('_' | '/' | '7') if ctrl => {
                self.apply_word_steps(TextArea::undo, TextArea::redo)
            }
            KeyCode::Char('r') if ctrl => self.apply_word_steps(TextArea::redo, TextArea::undo),
            KeyCode::Char('o') if ctrl => self.restore_saved_text(),
            KeyCode::Char('u') if ctrl => self.apply_change(TextArea::delete_line_by_head),
            KeyCode::Char('k') if ctrl => self.apply_change(TextArea::delete_line_by_end),
            KeyCode::Backspace if wide => self.apply_change(TextArea::delete_word),
            KeyCode::Backspace => self.remove_before(),
            KeyCode::Delete => self.remove_after(),
            KeyCode::Left if wide => self.move_cursor(CursorMove::WordBack),
            KeyCode::Right if wide => self.move_cursor(CursorMove::WordForward),
            KeyCode::Left => self.step_cursor(CursorMove::Back),
            KeyCode::Right => self.step_cursor(CursorMove::Forward),
            KeyCode::Home if wide => {
                self.move_cursor(CursorMove::Top);
                self.move_cursor(CursorMove::Head)
            }
            KeyCode::End if wide => {
                self.move_cursor(CursorMove::Bottom);
                self.move_cursor(CursorMove::End)
            }
            KeyCode::Home => self.move_cursor(CursorMove::Head),
            KeyCode::End => self.move_cursor(CursorMove::End),
            KeyCode::Up => self.move_cursor(CursorMove::Up),
            KeyCode::Down => self.move_cursor(CursorMove::Down),
            KeyCode::PageUp => self.scroll_by(Scrolling::PageUp),
            KeyCode::PageDown => self.scroll_by(Scrolling::PageDown),
            _ => Edited::Ignored,
        }
    }

    /// Moves, searches, undoes or does again, if the action does.
    ///
    /// # Errors
    /// When there is nothing to undo or to find; says what.
    pub fn handle_action(&mut self, action: Action) -> Result<Edited, String> {
        let ctrl = |code| KeyEvent::new(code, KeyModifiers::CONTROL);
        let check_step = |edited: Edited, nothing: &str| match edited.has_changed() {
            true => Ok(edited),
            false => Err(nothing.to_owned()),
        };
        let key = match action {
            Action::Up => KeyCode::Up.into(),
            Action::Down => KeyCode::Down.into(),
            Action::PageUp => KeyCode::PageUp.into(),
            Action::PageDown => KeyCode::PageDown.into(),
            Action::Top => ctrl(KeyCode::Home),
            Action::Bottom => ctrl(KeyCode::End),
            Action::Undo => {
                return check_step(self.handle_key(ctrl(KeyCode::Char('_'))), "nothing to undo");
            }
            Action::Redo => {
                return check_step(self.handle_key(ctrl(KeyCode::Char('r'))), "nothing to redo");
            }
            Action::SearchNext => return self.find_next(SearchDirection::Next),
            Action::SearchPrevious => return self.find_next(SearchDirection::Previous),
            _ => return Ok(Edited::Ignored),
        };
        Ok(self.handle_key(key))
    }

    /// Inserts pasted text as one change; what would act on a terminal is made visible.
    pub fn paste_text(&mut self, text: &str) -> Edited {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        self.insert(&make_visible(&text, Keep::NewlinesAndTabs))
    }

    /// Puts the cursor on a line, counted from 1, or the nearest that there is.
    pub fn go_to_line(&mut self, line: usize) {
        self.move_to(line.saturating_sub(1), 0);
    }

    fn move_to(&mut self, line: usize, column: usize) {
        // The bounds of the text keep lines small; a column beyond 16 bits is near enough at its end.
        let line = u16::try_from(line).unwrap_or(u16::MAX);
        let column = u16::try_from(column).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(line, column));
    }

    /// Cells between the beginning of the drawn line and the cursor, as ratatui draws them.
    fn cursor_column(&self, row: usize) -> usize {
        let DataCursor(line, column) = self.area.cursor();
        let DataCursor(_, start) = self.area.screen_to_data(row, 0);
        let text = self.area.lines().get(line).map_or("", String::as_str);
        let from = byte_index(text, start);
        let to = byte_index(text, column).max(from);
        let before = text.get(from..to).unwrap_or_default();
        count_cells(&before.replace('\t', "    "))
    }

    fn insert(&mut self, text: &str) -> Edited {
        let room = MAX_EDITOR_BYTES.saturating_sub(self.bytes);
        let lines = MAX_EDITOR_LINES.saturating_sub(self.area.lines().len());
        let mut end = text.floor_char_boundary(room);
        if let Some((beyond, _)) = text.match_indices('\n').nth(lines) {
            end = end.min(beyond);
        }
        let (fits, dropped) = text.split_at(end);
        if !fits.is_empty() {
            self.area.insert_str(fits);
            self.bytes += fits.len();
        }
        if dropped.is_empty() {
            Edited::Changed
        } else {
            Edited::Full {
                dropped_bytes: dropped.len(),
            }
        }
    }

    fn apply_change(&mut self, what: impl FnOnce(&mut TextArea<'static>) -> bool) -> Edited {
        if !what(&mut self.area) {
            return Edited::Moved;
        }
        let letters: usize = self.area.lines().iter().map(String::len).sum();
        self.bytes = letters + self.area.lines().len() - 1;
        Edited::Changed
    }

    /// Undoes or does again; a text that took the place of another is one step, though it was cut and
    /// written in two.
    fn apply_step(&mut self, what: Change) -> Edited {
        let edit = self.apply_change(what);
        if self.has_replaced && edit == Edited::Changed && self.is_empty() {
            self.apply_change(what);
        }
        edit
    }

    /// Undoes or does again; of typed letters a whole word, with the blanks behind it.
    fn apply_word_steps(&mut self, what: Change, opposite: Change) -> Edited {
        let before = self.line_at_cursor();
        let edit = self.apply_step(what);
        let Some((way, mut last)) = find_typed_letter(&before, &self.line_at_cursor()) else {
            return edit;
        };
        loop {
            let before = self.line_at_cursor();
            if self.apply_change(what) != Edited::Changed {
                return edit;
            }
            match find_typed_letter(&before, &self.line_at_cursor()) {
                Some((same, next))
                    if same == way && (last.is_whitespace() || !next.is_whitespace()) =>
                {
                    last = next;
                }
                Some(_) | None => {
                    self.apply_change(opposite);
                    return edit;
                }
            }
        }
    }

    fn line_at_cursor(&self) -> LineAtCursor {
        let DataCursor(line, column) = self.area.cursor();
        LineAtCursor {
            lines: self.area.lines().len(),
            line,
            column,
            text: self.area.lines().get(line).cloned().unwrap_or_default(),
        }
    }

    /// Goes back to the text that was opened or saved, as one change that can be undone.
    fn restore_saved_text(&mut self) -> Edited {
        let saved_text = self.saved.clone();
        if self.text() == saved_text || self.replace_text(&saved_text).is_err() {
            return Edited::Moved;
        }
        Edited::Changed
    }

    fn remove_before(&mut self) -> Edited {
        let many = self.characters_before();
        self.apply_change(|area| (0..many).fold(false, |any, _| area.delete_char() || any))
    }

    fn remove_after(&mut self) -> Edited {
        let many = self.characters_after();
        self.apply_change(|area| (0..many).fold(false, |any, _| area.delete_next_char() || any))
    }

    /// Moves by what people see as one character.
    fn step_cursor(&mut self, by: CursorMove) -> Edited {
        let many = match by {
            CursorMove::Back => self.characters_before(),
            _ => self.characters_after(),
        };
        for _ in 0..many {
            self.area.move_cursor(by);
        }
        Edited::Moved
    }

    fn move_cursor(&mut self, to: CursorMove) -> Edited {
        self.area.move_cursor(to);
        Edited::Moved
    }

    fn scroll_by(&mut self, by: Scrolling) -> Edited {
        self.area.scroll(by);
        Edited::Moved
    }

    /// Returns how many characters the one that people see before the cursor has.
    fn characters_before(&self) -> usize {
        let (line, at) = self.line_and_offset();
        let mut before = line.get(..at).unwrap_or_default().graphemes(true);
        before.next_back().map_or(1, count_characters)
    }

    /// Returns how many characters the one that people see behind the cursor has.
    fn characters_after(&self) -> usize {
        let (line, at) = self.line_and_offset();
        let mut after = line.get(at..).unwrap_or_default().graphemes(true);
        after.next().map_or(1, count_characters)
    }

    fn line_and_offset(&self) -> (&str, usize) {
        let DataCursor(line, column) = self.area.cursor();
        let text = self.area.lines().get(line).map_or("", String::as_str);
        (text, byte_index(text, column))
    }
}

/// Changes the text; says whether there was something to change.
type Change = fn(&mut TextArea<'static>) -> bool;

fn count_characters(text: &str) -> usize {
    text.chars().count()
}
