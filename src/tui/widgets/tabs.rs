//! Tabs: one line of names, the chosen one always in sight.

use super::cells::count_cells;
use super::frame::draw_line;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

/// Draws the tabs on the first row of an area, and a hint at its right end where there is room.
pub fn draw_tabs(
    buffer: &mut Buffer,
    area: Rect,
    look: &Look,
    names: &[String],
    chosen: usize,
    hint: &str,
) {
    let hint_width = u16::try_from(count_cells(hint)).unwrap_or(u16::MAX);
    let room = match area.width.checked_sub(hint_width + 1) {
        Some(room) if room >= area.width / 2 && !hint.is_empty() => {
            let at = Position::new(area.x + room + 1, area.y);
            draw_line(buffer, at, hint_width, hint, look.style(Role::Muted), look);
            room
        }
        Some(_) | None => area.width,
    };
    let end = area.x + room;
    let mut x = area.x;
    let visible_tabs = names
        .iter()
        .enumerate()
        .skip(find_first_tab(names, chosen, room));
    for (at, name) in visible_tabs {
        let (role, mark) = match at == chosen {
            true => (Role::Selection, look.glyphs().focus),
            false => (Role::Muted, ""),
        };
        let text = match mark.is_empty() {
            true => format!(" {name} "),
            false => format!(" {mark} {name} "),
        };
        let spare = end.saturating_sub(x);
        x += draw_line(
            buffer,
            Position::new(x, area.y),
            spare,
            &text,
            look.style(role),
            look,
        ) + 1;
    }
}

/// Returns the first tab to draw, so that the chosen one fits.
fn find_first_tab(names: &[String], chosen: usize, room: u16) -> usize {
    // Blanks around a name, its mark, and the gap after it.
    let wide = |at: usize| names.get(at).map_or(0, |name| count_cells(name) + 5);
    let mut first = chosen;
    let mut total_width = wide(chosen);
    while let Some(before) = first.checked_sub(1) {
        total_width += wide(before);
        if total_width > usize::from(room) {
            break;
        }
        first = before;
    }
    first
}
