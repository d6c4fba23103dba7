//! Texts cut to cells, and lines side by side in two columns. Pure.

use crate::tui::theme::Role;
use crate::tui::widgets::StyledLine;
pub(in crate::tui) use elenchus_text::cut_to_width;
use unicode_width::UnicodeWidthStr;

/// Between two columns.
const BETWEEN: usize = 3;

/// Returns the widths of two columns that share a width.
pub(in crate::tui) fn split_width(width: usize) -> (usize, usize) {
    let room = width.saturating_sub(BETWEEN);
    (room / 2, room - room / 2)
}

/// Puts lines side by side; `left` is the width of the first column.
pub(in crate::tui) fn join_columns(
    one: Vec<StyledLine>,
    other: Vec<StyledLine>,
    left: usize,
    line: &str,
) -> Vec<StyledLine> {
    let count = one.len().max(other.len());
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    (0..count)
        .map(|_| join_line(one.next(), other.next(), left, line))
        .collect()
}

fn join_line(
    one: Option<StyledLine>,
    other: Option<StyledLine>,
    left: usize,
    line: &str,
) -> StyledLine {
    let one = one.unwrap_or_default();
    let line_width: usize = one.indent + one.runs.iter().map(|(_, run)| run.width()).sum::<usize>();
    let mut runs = vec![(Role::Text, " ".repeat(one.indent))];
    runs.extend(one.runs);
    runs.push((Role::Text, " ".repeat(left.saturating_sub(line_width))));
    runs.push((Role::Border, format!(" {line} ")));
    if let Some(other) = other {
        runs.push((Role::Text, " ".repeat(other.indent)));
        runs.extend(other.runs);
    }
    StyledLine::from_runs(runs)
}
