//! Frames, and single lines of text cut to their area.

use super::cells::{count_cells, grapheme_cells};
use super::fast_cells::{clear_area, put_symbol, put_text};
use crate::tui::theme::{Look, Role};
use elenchus_text::safe_text::{Keep, make_visible};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::symbols::border::Set;
use ratatui::widgets::Block;
use unicode_segmentation::UnicodeSegmentation;

/// Focus of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Focused,
    Unfocused,
}

/// Draws a border with a title and returns what is inside; focus shows by its lines, a mark and bold.
pub fn draw_frame(area: Rect, buf: &mut Buffer, look: &Look, title: &str, focus: Focus) -> Rect {
    let area = area.intersection(buf.area);
    let glyphs = look.glyphs();
    let (set, role) = match focus {
        Focus::Focused => (glyphs.border_focused, Role::BorderFocused),
        Focus::Unfocused => (glyphs.border, Role::Border),
    };
    let inner = Block::bordered().inner(area);
    draw_border(area, buf, &set, look.style(role));
    let room = area.width.saturating_sub(4);
    if title.is_empty() || room < 3 {
        return inner;
    }
    let label = match focus {
        Focus::Focused => format!(" {} {title} ", glyphs.focus),
        Focus::Unfocused => format!(" {title} "),
    };
    let at = Position::new(area.x + 2, area.y);
    let style = look.style(role).patch(look.style(Role::Strong));
    draw_line(buf, at, room, &label, style, look);
    inner
}

/// Draws the lines around an area; ratatui's block would also style every cell inside.
fn draw_border(area: Rect, buf: &mut Buffer, set: &Set<'_>, style: Style) {
    let (Some(right), Some(bottom)) = (area.right().checked_sub(1), area.bottom().checked_sub(1))
    else {
        return;
    };
    if area.is_empty() {
        return;
    }
    for y in area.top()..=bottom {
        put_symbol(buf, area.x, y, set.vertical_left, style);
        put_symbol(buf, right, y, set.vertical_right, style);
    }
    for x in area.left()..=right {
        put_symbol(buf, x, area.y, set.horizontal_top, style);
        put_symbol(buf, x, bottom, set.horizontal_bottom, style);
    }
    put_symbol(buf, right, bottom, set.bottom_right, style);
    put_symbol(buf, right, area.y, set.top_right, style);
    put_symbol(buf, area.x, bottom, set.bottom_left, style);
    put_symbol(buf, area.x, area.y, set.top_left, style);
}

/// Empties an area and gives it the style of the whole screen.
pub fn fill_area(area: Rect, buf: &mut Buffer, look: &Look) {
    clear_area(buf, area, look.base_style());
}

/// Writes one line and returns how many cells it took; what does not fit is cut with a mark, and
/// what would act on a terminal is made visible.
pub fn draw_line(
    buf: &mut Buffer,
    at: Position,
    room: u16,
    text: &str,
    style: Style,
    look: &Look,
) -> u16 {
    if !buf.area.contains(at) {
        return 0;
    }
    let room = room.min(buf.area.right() - at.x);
    let text = make_visible(text, Keep::Nothing);
    if count_cells(&text) <= usize::from(room) {
        return put_text(buf, at.x, at.y, &text, room, style) - at.x;
    }
    let Some(before) = room.checked_sub(1) else {
        return 0;
    };
    let prefix = fitting_prefix(&text, before.into());
    let end = put_text(buf, at.x, at.y, prefix, before, style);
    buf.set_stringn(end, at.y, look.glyphs().ellipsis, 1, style);
    end - at.x + 1
}

/// Returns the area of a size in the middle of another, cut to it.
pub fn center_rect(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect::new(
        area.x + (area.width - width) / 2,
        area.y + (area.height - height) / 2,
        width,
        height,
    )
}

/// Returns as much of the beginning as fits.
pub(super) fn fitting_prefix(text: &str, room: usize) -> &str {
    let mut width = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        width += grapheme_cells(grapheme);
        if width > room {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}
