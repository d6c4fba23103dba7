//! Frames, and single lines of text that fit where they are put.

use super::cells::{cells, grapheme_cells};
use crate::exchange::text::{Keep, visible};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::{Block, Clear, Widget};
use unicode_segmentation::UnicodeSegmentation;

/// Whether keys go here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Focused,
    Unfocused,
}

/// Draws a border with a title and returns what is inside; focus shows by its lines, a mark and bold.
pub fn frame(area: Rect, buf: &mut Buffer, look: &Look, title: &str, focus: Focus) -> Rect {
    let area = area.intersection(buf.area);
    let glyphs = look.glyphs();
    let (set, role) = match focus {
        Focus::Focused => (glyphs.border_focused, Role::BorderFocused),
        Focus::Unfocused => (glyphs.border, Role::Border),
    };
    let block = Block::bordered()
        .border_set(set)
        .border_style(look.style(role));
    let inner = block.inner(area);
    block.render(area, buf);
    let room = area.width.saturating_sub(4);
    if title.is_empty() || room < 3 {
        return inner;
    }
    let shown = match focus {
        Focus::Focused => format!(" {} {title} ", glyphs.focus),
        Focus::Unfocused => format!(" {title} "),
    };
    let at = Position::new(area.x + 2, area.y);
    let style = look.style(role).patch(look.style(Role::Strong));
    put(buf, at, room, &shown, style, look);
    inner
}

/// Empties an area and gives it the style of the whole screen.
pub fn fill(area: Rect, buf: &mut Buffer, look: &Look) {
    let area = area.intersection(buf.area);
    Clear.render(area, buf);
    buf.set_style(area, look.base());
}

/// Writes one line and returns how many cells it took; what does not fit is cut with a mark, and
/// what would act on a terminal is made visible.
pub fn put(
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
    let text = visible(text, Keep::Nothing);
    if cells(&text) <= usize::from(room) {
        let (end, _) = buf.set_stringn(at.x, at.y, &text, room.into(), style);
        return end - at.x;
    }
    let Some(before) = room.checked_sub(1) else {
        return 0;
    };
    let kept = head(&text, before.into());
    let (end, _) = buf.set_stringn(at.x, at.y, kept, before.into(), style);
    buf.set_stringn(end, at.y, look.glyphs().ellipsis, 1, style);
    end - at.x + 1
}

/// Returns an area without its last row, which is the status line's.
pub fn above_status(area: Rect) -> Rect {
    Rect {
        height: area.height.saturating_sub(1),
        ..area
    }
}

/// Returns the area of a size in the middle of another, cut to it.
pub fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect::new(
        area.x + (area.width - width) / 2,
        area.y + (area.height - height) / 2,
        width,
        height,
    )
}

/// Returns as much of the beginning as fits.
pub(super) fn head(text: &str, room: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme_cells(grapheme);
        if used > room {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}
