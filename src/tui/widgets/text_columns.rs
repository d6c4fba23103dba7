//! Text columns: texts side by side, with a cursor on one of them, that are scrolled together.

use super::draw_context::{DrawContext, LayoutStyle};
use super::frame::{Focus, draw_frame};
use super::list::{Moved, move_target};
use super::wrapped_lines::{WrappedText, max_line_count};
use crate::tui::keys::Action;
use elenchus_text::Paragraph;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use std::collections::HashMap;

/// Columns side by side, at most.
const MAX_COLUMNS: usize = 4;

/// What is drawn around and in a column.
pub(crate) struct ColumnHead {
    pub title: String,
    /// The text still grows: it is laid out in each frame, and its end is in sight.
    pub grows: bool,
}

/// The columns: how many, which ones are in sight, and how far they are scrolled.
#[derive(Debug, Clone)]
pub struct TextColumns {
    /// A column that is narrower cannot be read.
    narrowest: u16,
    /// The first column stays in sight where there is room for two.
    keeps_first: bool,
    count: usize,
    cursor: usize,
    first: usize,
    scroll: usize,
    /// Height of the columns when they were drawn last.
    height: usize,
    /// Laid out lines, by column and width.
    wrapped: HashMap<(usize, usize), WrappedText>,
    /// What they were laid out for.
    style: Option<LayoutStyle>,
}

impl Default for TextColumns {
    fn default() -> Self {
        Self::new(1)
    }
}

impl TextColumns {
    pub fn new(narrowest: u16) -> Self {
        Self {
            narrowest,
            keeps_first: false,
            count: 0,
            cursor: 0,
            first: 0,
            scroll: 0,
            height: 1,
            wrapped: HashMap::new(),
            style: None,
        }
    }

    /// Returns columns whose first one the others are compared with: it stays in sight.
    pub fn with_fixed_first(narrowest: u16) -> Self {
        Self {
            keeps_first: true,
            ..Self::new(narrowest)
        }
    }

    /// Takes how many columns there are; the cursor stays where it can.
    pub fn set_count(&mut self, count: usize) {
        self.count = count;
        self.cursor = self.cursor.min(count.saturating_sub(1));
    }

    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Puts the cursor on a column, and goes to the beginning of the texts.
    pub fn select_column(&mut self, at: usize) {
        (self.cursor, self.scroll) = (at.min(self.count.saturating_sub(1)), 0);
    }

    /// Forgets how texts were laid out.
    pub(crate) fn forget_layouts(&mut self) {
        self.wrapped.clear();
    }

    /// Forgets how the texts of these columns were laid out.
    pub(crate) fn forget_columns(&mut self, columns: &[usize]) {
        self.wrapped
            .retain(|(column, _), _| !columns.contains(column));
    }

    /// Goes to another column or scrolls, if the action does.
    pub(crate) fn handle_action(&mut self, action: Action) -> Moved {
        match action {
            Action::Left | Action::FocusPrevious => {
                self.select_column(self.cursor.saturating_sub(1))
            }
            Action::Right | Action::FocusNext => self.select_column(self.cursor + 1),
            _ => {
                let Some(to) = move_target(action, self.scroll, (self.height / 2).max(1)) else {
                    return Moved::No;
                };
                let last = max_line_count(self.wrapped.values()).saturating_sub(self.height);
                self.scroll = to.min(last);
            }
        }
        Moved::Yes
    }

    /// Returns the columns that fit into a width, with the one under the cursor among them.
    pub fn visible_columns(&mut self, width: u16) -> Vec<usize> {
        let fit = usize::from(width / self.narrowest).clamp(1, MAX_COLUMNS);
        let fit = fit.min(self.count);
        let fixed_count = usize::from(self.keeps_first && fit > 1);
        let room = fit - fixed_count.min(fit);
        let cursor = self.cursor.max(fixed_count);
        let least = (cursor + 1).saturating_sub(room).max(fixed_count);
        let most = cursor.min(self.count.saturating_sub(room)).max(least);
        self.first = self.first.clamp(least, most);
        (0..fixed_count)
            .chain(self.first..self.first + room)
            .collect()
    }

    /// Draws the columns in sight, each in its frame; a text is asked for where its lines are not known.
    pub(crate) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        head: impl Fn(usize) -> ColumnHead,
        text: impl Fn(usize) -> Vec<Paragraph>,
    ) {
        let look = context.look;
        if self.style.replace(context.layout_style()) != Some(context.layout_style()) {
            self.wrapped.clear();
        }
        let column_indices = self.visible_columns(area.width);
        let widths = vec![Constraint::Fill(1); column_indices.len()];
        let columns = Layout::horizontal(widths).split(area);
        for (column, at) in columns.iter().zip(column_indices) {
            let focus = match at == self.cursor {
                true => Focus::Focused,
                false => Focus::Unfocused,
            };
            context.rows.note_pane(*column, at, self.cursor);
            let ColumnHead { title, grows } = head(at);
            let inner = draw_frame(*column, buffer, look, &title, focus);
            self.height = inner.height.into();
            let place = (at, usize::from(inner.width));
            if grows {
                self.wrapped.remove(&place);
            }
            let lines = self.wrapped.entry(place);
            let lines = lines
                .or_insert_with(|| WrappedText::from_paragraphs(&text(at), inner.width.into()));
            let from = match grows {
                true => lines.len().saturating_sub(self.height),
                false => self.scroll.min(lines.len().saturating_sub(1)),
            };
            for (row, line) in inner.rows().zip(lines.lines_from(from)) {
                line.draw(buffer, row, look);
            }
        }
    }
}
