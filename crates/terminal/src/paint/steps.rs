//! Cells that the backend writes so that the next screen is shown: ratatui's differences, and what it
//! leaves out.
//!
//! ratatui trusts terminals to find every character as wide as it does
//! (`after_a_doubtful_character_the_cursor_is_put_where_it_belongs`,
//! `what_a_wider_terminal_would_have_written_over_is_written_again`), and it jumps over every cell that
//! stays, which costs a debate's turn more than its budget
//! (`a_debate_is_painted_in_few_bytes_and_its_cursor_moves_in_fewer`).

use super::clean::is_second_half;
use ratatui::buffer::{Buffer, Cell, CellWidth};
use std::borrow::Cow;
use unicode_width::UnicodeWidthChar;

/// Unchanged cells that are rather written again than jumped over, which takes six to eight bytes.
const BRIDGED: usize = 6;

/// A cell that the backend writes: its column, its row, and what is in it.
pub(super) type Step<'a> = (u16, u16, Cow<'a, Cell>);

/// Content of a cell that is unknown: no cell that is to be shown holds it.
const UNKNOWN: Cell = Cell::new("");

/// Returns the cells to be written, in their order, so that the next screen is shown.
pub(super) fn list_steps<'a>(shown: &mut Buffer, next: &'a Buffer) -> Vec<Step<'a>> {
    forget_rewritten(shown, next);
    let mut steps = Vec::new();
    for (x, y, cell) in shown.diff_iter(next) {
        if is_second_half(cell) {
            continue;
        }
        let columns = cell.cell_width();
        let is_doubtful = find_reach(cell.symbol(), columns).is_some();
        let with = |symbol| {
            let mut other = cell.clone();
            other.set_symbol(symbol);
            Cow::Owned(other)
        };
        if is_doubtful && columns > 1 {
            // A terminal that finds it narrower would leave standing what was there.
            steps.extend((x..x + columns).map(|x| (x, y, with(" "))));
        }
        steps.push((x, y, Cow::Borrowed(cell)));
        if is_doubtful && columns == 1 {
            // The backend takes the cursor to be behind this nothing, and moves it for what follows.
            steps.push((x + 1, y, with("")));
        }
    }
    steps
}

/// Forgets cells that stay as they are and are written again all the same: those that a doubtful
/// character covers in some terminal, and the few between two changes.
fn forget_rewritten(shown: &mut Buffer, next: &Buffer) {
    let width = usize::from(next.area.width).max(1);
    let rows = next.content.chunks(width);
    for (row, before) in rows.zip(shown.content.chunks_mut(width)) {
        let mut last = None;
        for (x, cell) in row.iter().enumerate() {
            if before.get(x) == Some(cell) || is_second_half(cell) {
                continue;
            }
            if let Some(last) = last.replace(x)
                && let Some(between) = row.get(last + 1..x)
                && between.len() <= BRIDGED
                && let Some(left) = row.get(last)
                && between.iter().all(|cell| is_cheap(cell, left))
            {
                forget_cells(before, last + 1, between.len());
            }
            if let Some(reach) = find_reach(cell.symbol(), cell.cell_width()) {
                forget_cells(before, x + 1, usize::from(reach) - 1);
            }
        }
    }
}

fn forget_cells(row: &mut [Cell], from: usize, count: usize) {
    let cells = row.iter_mut().skip(from).take(count);
    cells.for_each(|cell| *cell = UNKNOWN);
}

fn is_cheap(cell: &Cell, left: &Cell) -> bool {
    cell.symbol().len() == 1 && cell.style() == left.style()
}

/// Returns the most columns that some terminal gives a character that takes this number on our screen;
/// `None` where all agree. Terminals disagree about sequences (joiners, variants, flags, marks) and
/// about wide symbols, never about letters of one code point.
fn find_reach(symbol: &str, columns: u16) -> Option<u16> {
    if symbol.len() <= 1 {
        return None;
    }
    let mut chars = symbol.chars();
    let is_single = chars.next().is_some_and(|c| columns == 1 || !is_symbol(c));
    if is_single && chars.next().is_none() {
        return None;
    }
    let alone = |c: char| {
        if c >= '\u{1f000}' {
            2
        } else {
            c.width().unwrap_or_default() as u16
        }
    };
    let reach: u16 = symbol.chars().map(alone).sum();
    Some(reach.max(columns))
}

/// Arrows, signs and pictures that terminals know as wide since some version of Unicode.
fn is_symbol(c: char) -> bool {
    matches!(c, '\u{2300}'..='\u{2bff}' | '\u{1f000}'..='\u{1ffff}')
}
