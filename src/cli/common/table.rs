//! Plain tables for the terminal: columns under their heads.

use super::output::{columns, fit, out, width};

/// Between two columns.
const GUTTER: &str = "  ";
/// The narrowest last column.
const MIN_LAST: usize = 12;
/// The widest cells of the columns before the last.
const MAX_CELL: usize = 14;

/// Prints rows under their heads, as wide as the terminal.
pub fn print_table<const N: usize>(heads: &[&str; N], rows: &[[String; N]]) -> anyhow::Result<()> {
    out(&table(heads, rows, width()))
}

/// Draws rows under their heads; the last column takes what is left of the width.
pub fn table<const N: usize>(heads: &[&str; N], rows: &[[String; N]], width: usize) -> String {
    let mut widths: Vec<usize> = heads.iter().map(|head| columns(head)).collect();
    for row in rows {
        for (at, cell) in row.iter().enumerate() {
            widths[at] = widths[at].max(columns(cell).min(MAX_CELL));
        }
    }
    if let Some((last, before)) = widths.split_last_mut() {
        let taken: usize = before.iter().map(|width| width + GUTTER.len()).sum();
        *last = width.saturating_sub(taken).max(MIN_LAST);
    }
    let mut text = String::new();
    let mut line = |cells: Vec<&str>| {
        let cells: Vec<String> = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| fit(cell, *width))
            .collect();
        text.push_str(cells.join(GUTTER).trim_end());
        text.push('\n');
    };
    line(heads.to_vec());
    for row in rows {
        line(row.iter().map(String::as_str).collect());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_its_width_and_shows_hostile_text() {
        let rows = [["a".to_owned(), "\x1b[31mred topic that goes on".to_owned()]];
        let text = table(&["ID", "TOPIC"], &rows, 20);
        assert_eq!(text, "ID  TOPIC\na   ␛[31mred topic …\n");
    }
}
