//! Plain tables for the terminal: columns under their heads.

use super::output::{display_width, fit_to_width, print_text, width};
use anyhow::Result;

/// Between two columns.
const GUTTER: &str = "  ";
/// The narrowest last column.
const MIN_LAST: usize = 12;
/// The widest cells of the columns before the last.
const MAX_CELL: usize = 14;
/// The narrowest that cells are cut to where a table has too little room.
const MIN_CELL: usize = 8;

/// Column of a table: its head, and its cell in a row.
pub type Column<'a, T> = (&'a str, &'a dyn Fn(&T) -> String);

/// Prints rows under their heads, as wide as the terminal.
pub fn print_table<T>(rows: impl IntoIterator<Item = T>, columns: &[Column<'_, T>]) -> Result<()> {
    print_text(&format_table(rows, columns, width()))
}

/// Takes from the widest columns what a table is too wide, and from none more than its head needs.
fn narrow_cells<T>(widths: &mut [usize], table: &[Column<'_, T>], room: usize) {
    loop {
        let used_width: usize = widths.iter().map(|width| width + GUTTER.len()).sum();
        let columns = widths.iter_mut().zip(table);
        let can_give_way = columns
            .map(|(width, (head, _))| (width, display_width(head).max(MIN_CELL)))
            .filter(|(width, least)| **width > *least);
        match can_give_way.max_by_key(|(width, _)| **width) {
            Some((widest, _)) if used_width > room => *widest -= 1,
            Some(_) | None => return,
        }
    }
}

/// Draws rows under their heads; the last column takes what is left of the width.
pub fn format_table<T>(
    rows: impl IntoIterator<Item = T>,
    table: &[Column<'_, T>],
    width: usize,
) -> String {
    let mut widths: Vec<usize> = table.iter().map(|(head, _)| display_width(head)).collect();
    let cells = |row: T| table.iter().map(|(_, cell)| cell(&row)).collect();
    let rows: Vec<Vec<String>> = rows.into_iter().map(cells).collect();
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(display_width(cell).min(MAX_CELL));
        }
    }
    if let Some((last, before)) = widths.split_last_mut() {
        let room = width.saturating_sub(MIN_LAST.min(*last));
        narrow_cells(before, table, room);
        let used_width: usize = before.iter().map(|width| width + GUTTER.len()).sum();
        *last = width.saturating_sub(used_width).max(MIN_LAST);
    }
    let mut text = String::new();
    let mut line = |cells: Vec<&str>| {
        let cells: Vec<String> = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| fit_to_width(cell, *width))
            .collect();
        text.push_str(cells.join(GUTTER).trim_end());
        text.push('\n');
    };
    line(table.iter().map(|(head, _)| *head).collect());
    for row in &rows {
        line(row.iter().map(String::as_str).collect());
    }
    text
}
