//! Fast writing of cells. A screen of 200×60 has twelve thousand of them, and every key writes them
//! all: ordinary text is written without asking for widths and clusters.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Writes text into a row of at most `room` cells and returns the column behind it, as
/// [`Buffer::set_stringn`] does.
pub fn put_text(buffer: &mut Buffer, x: u16, y: u16, text: &str, room: u16, style: Style) -> u16 {
    let is_plain = |byte: u8| (0x20..0x7f).contains(&byte);
    if !text.bytes().all(is_plain) {
        return buffer.set_stringn(x, y, text, room.into(), style).0;
    }
    let room = room.min(buffer.area.right().saturating_sub(x));
    let end = text.len().min(room.into());
    let Some(cells) = row_cells_mut(buffer, x, y, end) else {
        return x;
    };
    for (at, cell) in cells.iter_mut().enumerate() {
        // Every byte is a character of its own.
        cell.set_symbol(text.get(at..at + 1).unwrap_or(" "));
        cell.set_style(style);
    }
    x + end as u16
}

/// Empties an area and gives it a style.
pub fn clear_area(buffer: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buffer.area);
    let mut cell = Cell::EMPTY;
    cell.set_style(style);
    for y in area.top()..area.bottom() {
        if let Some(cells) = row_cells_mut(buffer, area.x, y, area.width.into()) {
            cells.fill(cell.clone());
        }
    }
}

/// Writes one symbol into a cell.
pub(super) fn put_symbol(buffer: &mut Buffer, x: u16, y: u16, symbol: &str, style: Style) {
    if let Some([cell]) = row_cells_mut(buffer, x, y, 1) {
        cell.set_symbol(symbol);
        cell.set_style(style);
    }
}

fn row_cells_mut(buffer: &mut Buffer, x: u16, y: u16, cells: usize) -> Option<&mut [Cell]> {
    let area = buffer.area;
    let (column, row) = (x.checked_sub(area.x)?, y.checked_sub(area.y)?);
    if row >= area.height || usize::from(column) + cells > usize::from(area.width) {
        return None;
    }
    let begin = usize::from(row) * usize::from(area.width) + usize::from(column);
    buffer.content.get_mut(begin..begin + cells)
}
