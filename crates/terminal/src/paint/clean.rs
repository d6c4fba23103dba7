//! Normal form of a screen, of characters alone: equal content has equal cells, and nothing is left
//! that a terminal would obey. Screens make hostile text visible; this is the last line of defence.
//! The backend sends what is in a cell as it is (`nothing_that_a_terminal_obeys_is_ever_sent`), and
//! ratatui loses what stands over the half of a wide character
//! (`a_window_over_the_half_of_a_wide_character_keeps_its_border`).

use crate::Depth;
use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth};
use ratatui::style::{Color, Modifier};

/// Marks and joiners that are kept with a character; the rest of a stack of them is left out.
const CHARACTER_LIMIT: usize = 16;
/// Replacement of characters that must not be sent.
const REFUSED: &str = "?";
/// Modifiers that are visible on an empty cell.
const VISIBLE_ON_BLANK: Modifier = Modifier::REVERSED
    .union(Modifier::UNDERLINED)
    .union(Modifier::CROSSED_OUT);

/// Says whether this cell is covered by the character before it.
pub(super) fn is_second_half(cell: &Cell) -> bool {
    cell.symbol().is_empty()
}

/// Brings every cell into the normal form.
pub(super) fn clean_screen(screen: &mut Buffer, depth: Depth, has_hidden: fn(&str) -> bool) {
    let width = usize::from(screen.area.width).max(1);
    for row in screen.content.chunks_mut(width) {
        clean_row(row, depth, has_hidden);
    }
}

fn clean_row(row: &mut [Cell], depth: Depth, has_hidden: fn(&str) -> bool) {
    let mut rest = row;
    while let Some((cell, after)) = rest.split_first_mut() {
        let columns = clean_cell(cell, depth, has_hidden);
        let extra_columns = columns.saturating_sub(1);
        // Its second half is covered, or it would exceed the row.
        let is_whole = after
            .get(..extra_columns)
            .is_some_and(|cells| cells.iter().all(|cell| cell.symbol() == " "));
        if !is_whole {
            cell.set_symbol(" ");
            rest = after;
            continue;
        }
        let (halves, beyond) = after.split_at_mut(extra_columns);
        for half in halves {
            *half = cell.clone();
            half.set_symbol("");
        }
        rest = beyond;
    }
}

/// Cleans a cell and returns how many columns its character takes.
fn clean_cell(cell: &mut Cell, depth: Depth, has_hidden: fn(&str) -> bool) -> usize {
    cell.set_diff_option(CellDiffOption::None);
    if depth == Depth::None {
        cell.fg = Color::Reset;
        cell.bg = Color::Reset;
        cell.underline_color = Color::Reset;
    }
    // Some terminals have one or the other, and the backend does not set both again together
    // (`a_screen_looks_as_if_it_were_drawn_anew`).
    if cell.modifier.contains(Modifier::BOLD) {
        cell.modifier.remove(Modifier::DIM);
    }
    let columns = clean_symbol(cell, has_hidden);
    if cell.symbol() == " " {
        cell.modifier &= VISIBLE_ON_BLANK;
        if cell.modifier.is_empty() {
            cell.fg = Color::Reset;
        }
    }
    columns
}

fn clean_symbol(cell: &mut Cell, has_hidden: fn(&str) -> bool) -> usize {
    let symbol = cell.symbol();
    if let [byte] = symbol.as_bytes()
        && (0x20..0x7f).contains(byte)
    {
        return 1;
    }
    if symbol.contains(char::is_control) || has_hidden(symbol) {
        cell.set_symbol(REFUSED);
        return 1;
    }
    if symbol.chars().nth(CHARACTER_LIMIT).is_some() {
        let short_symbol: String = symbol.chars().take(CHARACTER_LIMIT).collect();
        cell.set_symbol(&short_symbol);
    }
    // As ratatui lays text out, which is not quite what Unicode says of a few marks.
    let columns = usize::from(cell.symbol().cell_width());
    if columns == 0 {
        cell.set_symbol(" ");
        return 1;
    }
    columns
}
