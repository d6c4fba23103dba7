//! List that is filtered while one types: which items pass, and which is chosen.

use super::draw_context::DrawContext;
use super::layout::{draw_label, head_and_body};
use super::line_input::{LineInput, Typed};
use super::list::{ListCursor, Moved, moving_action};
use super::table::{Table, TableRow};
use super::wrapped_lines::{StyledLine, draw_text};
use crate::tui::keys::Action;
use crate::tui::theme::{Look, Role};
use elenchus_text::Paragraph;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};

/// Items are named by their index; the screen holds them and says which pass.
#[derive(Debug, Clone, Default)]
pub(crate) struct FilterList {
    filter: LineInput,
    is_typing: bool,
    /// Items that pass, in their order.
    items: Vec<usize>,
    rows: ListCursor,
}

impl FilterList {
    /// A list with a filter to begin with.
    pub(crate) fn with_filter(filter: &str) -> Self {
        Self {
            filter: LineInput::new(filter),
            ..Self::default()
        }
    }

    /// Says whether keys are text of the filter.
    pub(crate) fn is_typing(&self) -> bool {
        self.is_typing
    }

    /// Lets the filter be typed, from its beginning: what stood there is gone.
    pub(crate) fn type_filter(&mut self) {
        self.filter.clear();
        self.is_typing = true;
    }

    /// Returns the words that an item must hold, in lower case.
    pub(crate) fn filter_words(&self) -> Vec<String> {
        let words = self.filter.text().split_whitespace();
        words.map(str::to_lowercase).collect()
    }

    /// Drops the filter; returns whether there was one.
    pub(crate) fn clear_filter(&mut self) -> bool {
        let was_there = !self.filter.text().is_empty();
        self.filter.clear();
        was_there
    }

    /// Takes a key of the filter: arrows move, Enter and Esc end the typing. `Changed` asks for
    /// [`FilterList::set_items`].
    pub(crate) fn handle_key(&mut self, key: KeyEvent) -> Typed {
        if matches!(key.code, KeyCode::Esc | KeyCode::Enter) {
            self.is_typing = false;
            return Typed::Moved;
        }
        let Some(move_action) = moving_action(key) else {
            return self.filter.handle_key(key);
        };
        self.rows.handle_action(move_action);
        Typed::Moved
    }

    /// Types pasted text; `Changed` asks for [`FilterList::set_items`].
    pub(crate) fn paste_text(&mut self, text: &str) -> Typed {
        self.filter.paste_text(text)
    }

    /// Takes which items pass, with the cursor on one of them where it is named.
    pub(crate) fn set_items(&mut self, items: Vec<usize>, chosen: Option<usize>) {
        let row = chosen.and_then(|item| items.iter().position(|listed| *listed == item));
        self.rows = ListCursor::new(items.len());
        self.rows.select_row(row.unwrap_or(0));
        self.items = items;
    }

    /// Returns the item under the cursor.
    pub(crate) fn selected_item(&self) -> Option<usize> {
        self.items.get(self.rows.selected_row()?).copied()
    }

    /// Returns how many items pass.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Moves the cursor, if the action does.
    pub(crate) fn handle_action(&mut self, action: Action) -> Moved {
        self.rows.handle_action(action)
    }

    /// Draws the filter where there is one, and the items in sight or what is said where there are none.
    /// Returns the cursor of the filter, and the rows that are left.
    pub(crate) fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        empty: &str,
        mut row: impl FnMut(usize, usize) -> StyledLine,
    ) -> (Option<Position>, Rect) {
        self.draw_with(buffer, area, context, empty, |buffer, body| {
            context.rows.note_rows(self.rows, body);
            self.rows.draw(buffer, body, context.look, |at, width| {
                let item = self.items.get(at);
                item.map_or_else(StyledLine::default, |item| row(*item, width))
            });
            0
        })
    }

    /// Draws as [`FilterList::draw`], the items as rows of a table below its headings.
    pub(crate) fn draw_table(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        empty: &str,
        table: &Table,
        mut row: impl FnMut(usize) -> TableRow,
    ) -> (Option<Position>, Rect) {
        self.draw_with(buffer, area, context, empty, |buffer, body| {
            let [headings, body] = head_and_body(body, 1);
            table.draw_headings(buffer, headings, context.look);
            table.draw_rows(buffer, body, context, self.rows, |at| {
                let item = self.items.get(at);
                item.map_or_else(TableRow::new_blank, |item| row(*item))
            });
            1
        })
    }

    /// Draws the items by a function, which says how many rows it takes beside them.
    fn draw_with(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        empty: &str,
        items: impl FnOnce(&mut Buffer, Rect) -> u16,
    ) -> (Option<Position>, Rect) {
        let look = context.look;
        let has_filter = self.is_typing || !self.filter.text().is_empty();
        let [head, body] = head_and_body(area, u16::from(has_filter));
        let cursor = has_filter.then(|| self.draw_filter(buffer, head, look));
        let row_count = match self.items.len() {
            0 => draw_text(buffer, body, look, &[Paragraph::new(Role::Notice, empty)]),
            many => {
                let beside = items(buffer, body);
                u16::try_from(many).map_or(u16::MAX, |many| many.saturating_add(beside))
            }
        };
        let [_, left] = head_and_body(body, row_count.min(body.height));
        (cursor.filter(|_| self.is_typing), left)
    }

    fn draw_filter(&self, buffer: &mut Buffer, area: Rect, look: &Look) -> Position {
        let line = draw_label(buffer, area, look, Role::Muted, "filter: ");
        self.filter.draw(line, buffer, look, Role::Text)
    }
}
