//! Cursor of a list: the chosen row, and the rows on the screen.

use super::draw_context::DrawContext;
use super::wrapped_lines::{StyledLine, draw_lines};
use crate::tui::keys::Action;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Constraint, Layout, Rect};

/// Rows of a page; lists do not know how high they are drawn.
const PAGE: usize = 8;

/// Cells before a row: the cursor's mark and a space.
const MARGIN: u16 = 2;

/// Chosen row and number of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListCursor {
    chosen: usize,
    len: usize,
}

/// Result of offering an action to a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    Yes,
    No,
}

impl ListCursor {
    /// Returns a list with its first row chosen.
    pub fn new(len: usize) -> Self {
        Self { chosen: 0, len }
    }

    /// Returns a list with a row chosen, the last one if there are fewer.
    pub fn with_row(row: usize, len: usize) -> Self {
        let mut cursor = Self::new(len);
        cursor.select_row(row);
        cursor
    }

    /// Returns the chosen row; `None` when there are none.
    pub fn selected_row(self) -> Option<usize> {
        (self.chosen < self.len).then_some(self.chosen)
    }

    /// Returns how many rows there are.
    pub fn row_count(self) -> usize {
        self.len
    }

    /// Chooses a row, the last one if there are fewer.
    pub fn select_row(&mut self, row: usize) {
        self.chosen = row.min(self.len.saturating_sub(1));
    }

    /// Gives the list another number of rows; the choice stays where it can.
    pub fn set_len(&mut self, len: usize) {
        self.len = len;
        self.select_row(self.chosen);
    }

    /// Moves the choice, if the action moves.
    pub fn handle_action(&mut self, action: Action) -> Moved {
        let Some(to) = move_target(action, self.chosen, PAGE) else {
            return Moved::No;
        };
        self.select_row(to);
        Moved::Yes
    }

    /// Draws the rows in sight, each as so many lines; the chosen one is marked by a glyph and its style.
    pub(crate) fn draw_tall(
        self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        lines: u16,
        mut row: impl FnMut(usize) -> Vec<StyledLine>,
    ) {
        let fit = (area.height / lines).max(1);
        let blocks = Layout::vertical(vec![Constraint::Length(lines); fit.into()]).split(area);
        for (block, at) in blocks.iter().zip(self.top_row(fit)..self.len) {
            let [_, text] =
                Layout::horizontal([Constraint::Length(MARGIN), Constraint::Fill(1)]).areas(*block);
            draw_lines(buffer, text, context.look, &row(at));
            context.rows.note_item(*block, at, self.chosen);
            if self.chosen == at {
                mark_row(buffer, *block, context.look);
            }
        }
    }

    /// Draws the rows in sight, each as one line; the chosen one is marked by a glyph and its style.
    pub fn draw(
        self,
        buffer: &mut Buffer,
        area: Rect,
        look: &Look,
        mut row: impl FnMut(usize, usize) -> StyledLine,
    ) {
        for (place, at) in area.rows().zip(self.top_row(area.height)..self.len) {
            let [_, line] =
                Layout::horizontal([Constraint::Length(MARGIN), Constraint::Fill(1)]).areas(place);
            row(at, line.width.into()).draw(buffer, line, look);
            if self.chosen == at {
                mark_row(buffer, place, look);
            }
        }
    }

    /// Returns the first row to draw in an area of this height.
    pub fn top_row(self, height: u16) -> usize {
        first_visible_row(self.chosen, self.len, height)
    }
}

/// Returns how a key moves in a list while text is typed above or below it.
pub(crate) fn moving_action(key: KeyEvent) -> Option<Action> {
    Some(match key.code {
        KeyCode::Up => Action::Up,
        KeyCode::Down => Action::Down,
        KeyCode::PageUp => Action::PageUp,
        KeyCode::PageDown => Action::PageDown,
        _ => return None,
    })
}

/// Returns where an action leads from a place, with pages of so many rows; the caller knows the end.
pub(super) fn move_target(action: Action, from: usize, page: usize) -> Option<usize> {
    Some(match action {
        Action::Up => from.saturating_sub(1),
        Action::Down => from + 1,
        Action::PageUp => from.saturating_sub(page),
        Action::PageDown => from + page,
        Action::Top => 0,
        Action::Bottom => usize::MAX,
        _ => return None,
    })
}

/// Returns the first of `len` rows to draw in `height` lines so that `chosen` is among them.
///
/// It moves by half a page at a time: scrolling by one row repaints every row each time.
pub fn first_visible_row(chosen: usize, len: usize, height: u16) -> usize {
    let height = usize::from(height.max(1));
    let step = (height / 2).max(1);
    let top = (chosen / step * step).saturating_sub(step / 2);
    top.min(len.saturating_sub(height))
}

/// Marks a row as the one under the cursor, by a glyph and by its style.
pub fn mark_row(buffer: &mut Buffer, row: Rect, look: &Look) {
    let style = look.style(Role::Selection);
    buffer.set_style(row, style);
    buffer.set_stringn(row.x, row.y, look.glyphs().cursor, row.width.into(), style);
}
