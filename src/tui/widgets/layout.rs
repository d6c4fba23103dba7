//! Areas of screens, over ratatui's layout.

use super::frame::draw_line;
use super::wrapped_lines::{StyledLine, draw_lines};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Margin, Rect};

/// Two areas: side by side where there is room for it, else one above the other. Which of them has the
/// focus does not change their sizes, so no text is wrapped anew.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Split {
    /// Width from which on they are side by side.
    pub wide: u16,
    /// Width of the left one.
    pub left: Constraint,
    /// Height of the upper one.
    pub above: Constraint,
}

impl Split {
    /// Two areas side by side from a width on, with so many hundredths of it on the left, else one above the
    /// other.
    pub(crate) fn with_share(wide: u16, left: u16, above: u16) -> Self {
        Self {
            wide,
            left: Constraint::Percentage(left),
            above: Constraint::Length(above),
        }
    }

    /// Returns a list with details beside it from a width on, else below it in so many rows, and never more
    /// than half of them.
    pub(crate) fn with_details(area: Rect, wide: u16, below: u16) -> [Rect; 2] {
        let split = Self {
            wide,
            left: Constraint::Percentage(60),
            above: Constraint::Length(area.height - below.min(area.height / 2)),
        };
        split.split_area(area)
    }

    pub(crate) fn split_area(self, area: Rect) -> [Rect; 2] {
        match area.width >= self.wide {
            true => Layout::horizontal([self.left, Constraint::Fill(1)]).areas(area),
            false => Layout::vertical([self.above, Constraint::Fill(1)]).areas(area),
        }
    }
}

/// Returns the first rows of an area, and the rest.
pub(crate) fn head_and_body(area: Rect, head: u16) -> [Rect; 2] {
    Layout::vertical([Constraint::Length(head), Constraint::Fill(1)]).areas(area)
}

/// Returns an area without its last rows, and these.
pub(crate) fn body_and_foot(area: Rect, foot: u16) -> [Rect; 2] {
    Layout::vertical([Constraint::Fill(1), Constraint::Length(foot)]).areas(area)
}

/// Puts a label at the beginning of a row, and returns what is left of it.
pub(crate) fn draw_label(
    buffer: &mut Buffer,
    row: Rect,
    look: &Look,
    role: Role,
    label: &str,
) -> Rect {
    let label_width = draw_line(
        buffer,
        row.as_position(),
        row.width,
        label,
        look.style(role),
        look,
    );
    let [_, rest] =
        Layout::horizontal([Constraint::Length(label_width), Constraint::Fill(1)]).areas(row);
    rest
}

/// Draws a line at the right end of a row.
pub(crate) fn draw_at_right(buffer: &mut Buffer, row: Rect, look: &Look, line: &StyledLine) {
    let width = u16::try_from(line.count_cells()).unwrap_or(u16::MAX);
    let parts = [Constraint::Fill(1), Constraint::Length(width)];
    let [_, right] = Layout::horizontal(parts).areas(row);
    line.draw(buffer, right, look);
}

/// Draws a line across a row.
pub(crate) fn draw_line_across(buffer: &mut Buffer, row: Rect, look: &Look) {
    let line = look.glyphs().border.horizontal_top;
    let line = line.repeat(row.width.into());
    draw_label(buffer, row, look, Role::Border, &line);
}

/// Puts a hint on the lower edge of a frame.
pub(crate) fn draw_edge_hint(
    buffer: &mut Buffer,
    framed: Rect,
    look: &Look,
    role: Role,
    hint: &str,
) {
    let [_, edge] = body_and_foot(framed, 1);
    draw_label(buffer, edge.inner(Margin::new(2, 0)), look, role, hint);
}

/// Draws lines at the top of an area, and returns what is left of it.
pub(crate) fn draw_top_lines(
    buffer: &mut Buffer,
    area: Rect,
    look: &Look,
    lines: &[StyledLine],
) -> Rect {
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let [head, rest] = head_and_body(area, height.min(area.height));
    draw_lines(buffer, head, look, lines);
    rest
}
