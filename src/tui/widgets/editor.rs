//! Multi-line text editor, over `ratatui-textarea`.
//!
//! That lays out the whole text after every change and counts lines of the screen in 16 bits;
//! the bounds here keep both harmless.

mod drawing;
mod search;

pub(crate) use drawing::EditorFault;

use super::cells::cells;
use super::typed_letters::{LineAtCursor, byte_of, typed_between};
use crate::tui::keys::{Action, typed_char};
use elenchus_text::text::{Keep, visible};
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
    wanted: String,
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
        Self::of("")
    }
}

impl Editor {
    /// Opens a text with the cursor at its beginning.
    ///
    /// # Errors
    /// When the text is too long to be edited here; nothing is ever cut off a text that exists.
    pub fn open(text: &str) -> Result<Self, TooLong> {
        let lines = text.split('\n').count();
        if text.len() > MAX_EDITOR_BYTES || lines > MAX_EDITOR_LINES {
            return Err(TooLong {
                bytes: text.len(),
                lines,
            });
        }
        Ok(Self::of(text))
    }

    fn of(text: &str) -> Self {
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
            wanted: String::new(),
        }
    }

    /// A text was saved: the way back leads to it.
    pub(crate) fn set_saved(&mut self, text: &str) {
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
    pub fn replace(&mut self, text: &str) -> Result<(), TooLong> {
        // What is typed in later is bounded as everything is.
        Self::open(text)?;
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
    pub fn key(&mut self, key: KeyEvent) -> Edited {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let wide = ctrl || key.modifiers.contains(KeyModifiers::ALT);
        if let Some(c) = typed_char(key) {
            return self.insert(c.encode_utf8(&mut [0; 4]));
        }
        match key.code {
            KeyCode::Enter => self.insert("\n"),
            KeyCode::Char('j') if ctrl => self.insert("\n"),
            KeyCode::Char('_' | '/' | '7') if ctrl => self.by_word(TextArea::undo, TextArea::redo),
            KeyCode::Char('r') if ctrl => self.by_word(TextArea::redo, TextArea::undo),
            KeyCode::Char('o') if ctrl => self.go_to_saved(),
            KeyCode::Char('u') if ctrl => self.change(TextArea::delete_line_by_head),
            KeyCode::Char('k') if ctrl => self.change(TextArea::delete_line_by_end),
            KeyCode::Backspace if wide => self.change(TextArea::delete_word),
            KeyCode::Backspace => self.remove_before(),
            KeyCode::Delete => self.remove_after(),
            KeyCode::Left if wide => self.go(CursorMove::WordBack),
            KeyCode::Right if wide => self.go(CursorMove::WordForward),
            KeyCode::Left => self.step(CursorMove::Back),
            KeyCode::Right => self.step(CursorMove::Forward),
            KeyCode::Home if wide => {
                self.go(CursorMove::Top);
                self.go(CursorMove::Head)
            }
            KeyCode::End if wide => {
                self.go(CursorMove::Bottom);
                self.go(CursorMove::End)
            }
            KeyCode::Home => self.go(CursorMove::Head),
            KeyCode::End => self.go(CursorMove::End),
            KeyCode::Up => self.go(CursorMove::Up),
            KeyCode::Down => self.go(CursorMove::Down),
            KeyCode::PageUp => self.scroll(Scrolling::PageUp),
            KeyCode::PageDown => self.scroll(Scrolling::PageDown),
            _ => Edited::Ignored,
        }
    }

    /// Moves, searches, undoes or does again, if the action does.
    ///
    /// # Errors
    /// When there is nothing to undo or to find; says what.
    pub fn act(&mut self, action: Action) -> Result<Edited, String> {
        let ctrl = |code| KeyEvent::new(code, KeyModifiers::CONTROL);
        let undone = |edited: Edited, nothing: &str| match edited.has_changed() {
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
                return undone(self.key(ctrl(KeyCode::Char('_'))), "nothing to undo");
            }
            Action::Redo => {
                return undone(self.key(ctrl(KeyCode::Char('r'))), "nothing to redo");
            }
            Action::SearchNext => return self.seek(SearchDirection::Next),
            Action::SearchPrevious => return self.seek(SearchDirection::Previous),
            _ => return Ok(Edited::Ignored),
        };
        Ok(self.key(key))
    }

    /// Inserts pasted text as one change; what would act on a terminal is made visible.
    pub fn paste(&mut self, text: &str) -> Edited {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        self.insert(&visible(&text, Keep::NewlinesAndTabs))
    }

    /// Puts the cursor on a line, counted from 1, or the nearest that there is.
    pub fn go_to_line(&mut self, line: usize) {
        self.go_to(line.saturating_sub(1), 0);
    }

    fn go_to(&mut self, line: usize, column: usize) {
        // The bounds of the text keep lines small; a column beyond 16 bits is near enough at its end.
        let line = u16::try_from(line).unwrap_or(u16::MAX);
        let column = u16::try_from(column).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(line, column));
    }

    /// Cells between the beginning of the drawn line and the cursor, as ratatui draws them.
    fn column(&self, row: usize) -> usize {
        let DataCursor(line, column) = self.area.cursor();
        let DataCursor(_, start) = self.area.screen_to_data(row, 0);
        let text = self.area.lines().get(line).map_or("", String::as_str);
        let from = byte_of(text, start);
        let to = byte_of(text, column).max(from);
        let before = text.get(from..to).unwrap_or_default();
        cells(&before.replace('\t', "    "))
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

    fn change(&mut self, what: impl FnOnce(&mut TextArea<'static>) -> bool) -> Edited {
        if !what(&mut self.area) {
            return Edited::Moved;
        }
        let letters: usize = self.area.lines().iter().map(String::len).sum();
        self.bytes = letters + self.area.lines().len() - 1;
        Edited::Changed
    }

    /// Undoes or does again; a text that took the place of another is one step, though it was cut and
    /// written in two.
    fn go_back(&mut self, what: Change) -> Edited {
        let edited = self.change(what);
        if self.has_replaced && edited == Edited::Changed && self.is_empty() {
            self.change(what);
        }
        edited
    }

    /// Undoes or does again; of typed letters a whole word, with the blanks behind it.
    fn by_word(&mut self, what: Change, opposite: Change) -> Edited {
        let before = self.line_at_cursor();
        let edited = self.go_back(what);
        let Some((way, mut last)) = typed_between(&before, &self.line_at_cursor()) else {
            return edited;
        };
        loop {
            let before = self.line_at_cursor();
            if self.change(what) != Edited::Changed {
                return edited;
            }
            match typed_between(&before, &self.line_at_cursor()) {
                Some((same, next))
                    if same == way && (last.is_whitespace() || !next.is_whitespace()) =>
                {
                    last = next;
                }
                Some(_) | None => {
                    self.change(opposite);
                    return edited;
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
    fn go_to_saved(&mut self) -> Edited {
        let saved = self.saved.clone();
        if self.text() == saved || self.replace(&saved).is_err() {
            return Edited::Moved;
        }
        Edited::Changed
    }

    fn remove_before(&mut self) -> Edited {
        let many = self.characters_before();
        self.change(|area| (0..many).fold(false, |any, _| area.delete_char() || any))
    }

    fn remove_after(&mut self) -> Edited {
        let many = self.characters_after();
        self.change(|area| (0..many).fold(false, |any, _| area.delete_next_char() || any))
    }

    /// Moves by what people see as one character.
    fn step(&mut self, by: CursorMove) -> Edited {
        let many = match by {
            CursorMove::Back => self.characters_before(),
            _ => self.characters_after(),
        };
        for _ in 0..many {
            self.area.move_cursor(by);
        }
        Edited::Moved
    }

    fn go(&mut self, to: CursorMove) -> Edited {
        self.area.move_cursor(to);
        Edited::Moved
    }

    fn scroll(&mut self, by: Scrolling) -> Edited {
        self.area.scroll(by);
        Edited::Moved
    }

    /// Returns how many characters the one that people see before the cursor has.
    fn characters_before(&self) -> usize {
        let (line, at) = self.place();
        let mut before = line.get(..at).unwrap_or_default().graphemes(true);
        before.next_back().map_or(1, characters)
    }

    /// Returns how many characters the one that people see behind the cursor has.
    fn characters_after(&self) -> usize {
        let (line, at) = self.place();
        let mut after = line.get(at..).unwrap_or_default().graphemes(true);
        after.next().map_or(1, characters)
    }

    fn place(&self) -> (&str, usize) {
        let DataCursor(line, column) = self.area.cursor();
        let text = self.area.lines().get(line).map_or("", String::as_str);
        (text, byte_of(text, column))
    }
}

/// Changes the text; says whether there was something to change.
type Change = fn(&mut TextArea<'static>) -> bool;

fn characters(text: &str) -> usize {
    text.chars().count()
}
