//! Drawing of an editor: its text, line numbers, and what is wrong with it.

use super::super::frame::{Focus, draw_frame, draw_line, fill_area};
use super::super::layout::body_and_foot;
use super::super::wrapped_lines::{draw_lines, lay_out};
use super::Editor;
use crate::tui::theme::{Look, Role};
use elenchus_text::Paragraph;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::Widget;
use ratatui_textarea::DataCursor;

/// Lines that a fault takes at most.
const MAX_FAULT_LINES: usize = 4;

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EditorFault {
    /// From 1; `None` where it is in no line.
    pub line: Option<usize>,
    pub why: String,
}

impl Editor {
    /// Draws it in a frame over an area, which keeps nothing of what was there.
    pub(crate) fn draw_with_frame(
        &self,
        area: Rect,
        buf: &mut Buffer,
        look: &Look,
        title: &str,
    ) -> Position {
        fill_area(area, buf, look);
        let inner = draw_frame(area, buf, look, title, Focus::Focused);
        self.draw(inner, buf, look)
    }

    /// Draws the text, scrolled so that the cursor is seen, and returns where the terminal's cursor
    /// belongs.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, look: &Look) -> Position {
        let area = area.intersection(buf.area);
        buf.set_style(area, look.style(Role::Text));
        (&self.area).render(area, buf);
        let (top, _) = self.area.scroll_offset();
        let row = self.area.screen_cursor().row;
        let y = row
            .saturating_sub(top.into())
            .min(usize::from(area.height.saturating_sub(1)));
        let column = self
            .cursor_column(row)
            .min(usize::from(area.width.saturating_sub(1)));
        // Both are less than the size of the area.
        Position::new(area.x + column as u16, area.y + y as u16)
    }

    /// Draws the text as [`Editor::draw`] does, with the numbers of its lines before it and what is wrong with
    /// it below; the faulty line is highlighted.
    pub(crate) fn draw_with_fault(
        &self,
        area: Rect,
        buf: &mut Buffer,
        look: &Look,
        fault: Option<&EditorFault>,
    ) -> Position {
        let why = fault.map(|fault| Paragraph::new(Role::Error, format!("! {}", fault.why)));
        let why = why.map(|why| why.with_indent(0, 2));
        let mut lines = lay_out(why.as_slice(), area.width.into());
        lines.truncate(MAX_FAULT_LINES);
        // At most MAX_FAULT_LINES.
        let below = (lines.len() as u16).min(area.height / 2);
        let [text, foot] = body_and_foot(area, below);
        draw_lines(buf, foot, look, &lines);
        self.draw_with_numbers(text, buf, look, fault.and_then(|fault| fault.line))
    }

    /// Draws the text as [`Editor::draw`] does, with the numbers of its lines before it; the marked
    /// one (counted from 1) is highlighted.
    pub fn draw_with_numbers(
        &self,
        area: Rect,
        buf: &mut Buffer,
        look: &Look,
        marked_line: Option<usize>,
    ) -> Position {
        let area = area.intersection(buf.area);
        let digits = self.area.lines().len().max(10).ilog10() as u16 + 1;
        // Before the number a mark, behind it a blank.
        let gutter = (digits + 2).min(area.width / 2);
        let text = Rect {
            x: area.x + gutter,
            width: area.width - gutter,
            ..area
        };
        let cursor = self.draw(text, buf, look);
        let (top, _) = self.area.scroll_offset();
        let mut before = None;
        for (row, y) in (usize::from(top)..).zip(area.y..area.bottom()) {
            let DataCursor(line, column) = self.area.screen_to_data(row, 0);
            // Rows behind the end of the text are said to be the last line.
            if before.is_some_and(|before| before >= (line, column)) {
                break;
            }
            before = Some((line, column));
            let has_mark = marked_line == Some(line + 1);
            let role = match has_mark {
                true => Role::Error,
                false => Role::Muted,
            };
            if column == 0 {
                let mark = if has_mark { "!" } else { " " };
                let number = format!("{mark}{:>width$}", line + 1, width = usize::from(digits));
                let at = Position::new(area.x, y);
                draw_line(buf, at, gutter, &number, look.style(role), look);
            }
            if has_mark {
                buf.set_style(Rect::new(text.x, y, text.width, 1), look.style(role));
            }
        }
        cursor
    }
}
