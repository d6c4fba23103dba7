//! Normal form of a screen, of characters alone: equal content has equal cells, and nothing is left
//! that a terminal would obey. Screens make hostile text visible; this is the last line of defence.

use crate::metrics::{TextCharacter, characters};
use crate::tui::theme::Depth;
use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthChar;

/// Marks and joiners that are kept with a character; the rest of a stack of them is left out.
const CHARACTER_LIMIT: usize = 16;
/// Replacement of characters that must not be sent.
const REFUSED: &str = "?";
/// Modifiers that are visible on an empty cell.
const VISIBLE_ON_BLANK: Modifier = Modifier::REVERSED
    .union(Modifier::UNDERLINED)
    .union(Modifier::CROSSED_OUT);

/// Columns that a character takes, as far as terminals agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub columns: u16,
    /// The most that some terminal takes.
    pub reach: u16,
    /// True where all terminals agree.
    pub is_certain: bool,
}

impl Extent {
    pub fn certain(columns: u16) -> Self {
        Self {
            columns,
            reach: columns,
            is_certain: true,
        }
    }

    /// Extent of a character that takes this number of columns on our screen. Terminals disagree
    /// about sequences (joiners, variants, flags, marks) and about wide symbols, never about
    /// letters of one code point.
    pub fn of(symbol: &str, columns: u16) -> Self {
        if symbol.len() == 1 {
            return Self::certain(columns);
        }
        let mut chars = symbol.chars();
        let is_single = chars.next().is_some_and(|c| columns == 1 || !is_symbol(c));
        if is_single && chars.next().is_none() {
            return Self::certain(columns);
        }
        let alone = |c: char| {
            if c >= '\u{1f000}' {
                2
            } else {
                columns_of_char(c)
            }
        };
        let reach: u16 = symbol.chars().map(alone).sum();
        Self {
            columns,
            reach: reach.max(columns),
            is_certain: false,
        }
    }
}

/// Says whether this cell is covered by the character before it.
pub(super) fn is_second_half(cell: &Cell) -> bool {
    cell.symbol().is_empty()
}

/// Brings every cell into the normal form.
pub(super) fn clean(screen: &mut Buffer, depth: Depth) {
    let width = usize::from(screen.area.width).max(1);
    for row in screen.content.chunks_mut(width) {
        clean_row(row, depth);
    }
}

fn clean_row(row: &mut [Cell], depth: Depth) {
    let mut rest = row;
    while let Some((cell, after)) = rest.split_first_mut() {
        let columns = clean_cell(cell, depth);
        let covered = columns.saturating_sub(1);
        // Its second half is covered, or it would exceed the row.
        let is_whole = after
            .get(..covered)
            .is_some_and(|cells| cells.iter().all(|cell| cell.symbol() == " "));
        if !is_whole {
            cell.set_symbol(" ");
            rest = after;
            continue;
        }
        let (halves, beyond) = after.split_at_mut(covered);
        for half in halves {
            *half = cell.clone();
            half.set_symbol("");
        }
        rest = beyond;
    }
}

/// Cleans a cell and returns how many columns its character takes.
fn clean_cell(cell: &mut Cell, depth: Depth) -> usize {
    cell.set_diff_option(CellDiffOption::None);
    if depth == Depth::None {
        cell.fg = Color::Reset;
        cell.bg = Color::Reset;
    }
    let columns = clean_symbol(cell);
    if cell.symbol() == " " {
        cell.modifier &= VISIBLE_ON_BLANK;
        if cell.modifier.is_empty() {
            cell.fg = Color::Reset;
        }
    }
    columns
}

fn clean_symbol(cell: &mut Cell) -> usize {
    let symbol = cell.symbol();
    if let [byte] = symbol.as_bytes()
        && (0x20..0x7f).contains(byte)
    {
        return 1;
    }
    if characters(symbol).any(is_refused) {
        cell.set_symbol(REFUSED);
        return 1;
    }
    if symbol.chars().nth(CHARACTER_LIMIT).is_some() {
        let kept: String = symbol.chars().take(CHARACTER_LIMIT).collect();
        cell.set_symbol(&kept);
    }
    // As ratatui lays text out, which is not quite what Unicode says of a few marks.
    let columns = usize::from(cell.symbol().cell_width());
    if columns == 0 {
        cell.set_symbol(" ");
        return 1;
    }
    columns
}

/// Control characters, and those that are hidden. Joiners stay: here it is not known what they join.
fn is_refused(character: TextCharacter) -> bool {
    match character {
        TextCharacter::Plain(c) => c.is_control(),
        TextCharacter::Hidden(c) => !matches!(c, '\u{200b}'..='\u{200d}'),
    }
}

/// Arrows, signs and pictures that terminals know as wide since some version of Unicode.
fn is_symbol(c: char) -> bool {
    matches!(c, '\u{2300}'..='\u{2bff}' | '\u{1f000}'..='\u{1ffff}')
}

fn columns_of_char(c: char) -> u16 {
    c.width().unwrap_or_default() as u16
}
