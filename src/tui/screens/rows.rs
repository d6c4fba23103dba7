//! Small geometry that screens share: one row of an area, texts cut to cells, two columns. Pure.

use crate::exchange::{Keep, visible};
use crate::tui::parts::lines::Line;
use crate::tui::theme::Role;
use ratatui::layout::Rect;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Between two columns.
const BETWEEN: usize = 3;

/// Returns one row of an area.
pub(super) fn row(area: Rect, y: u16) -> Rect {
    Rect {
        y,
        height: 1.min(area.height),
        ..area
    }
}

/// Returns a text on one line, cut to a number of cells with a mark at its end.
pub(super) fn cut(text: &str, cells: usize) -> String {
    let text = visible(text, Keep::Nothing);
    if text.width() <= cells {
        return text.into_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide + 1 > cells {
            break;
        }
        used += wide;
        out.push(c);
    }
    if cells > 0 {
        out.push('~');
    }
    out
}

/// Returns the widths of two columns that share a width.
pub(super) fn halves(width: usize) -> (usize, usize) {
    let room = width.saturating_sub(BETWEEN);
    (room / 2, room - room / 2)
}

/// Puts lines beside each other; `left` is the width of the first column.
pub(super) fn beside(one: Vec<Line>, other: Vec<Line>, left: usize, line: &str) -> Vec<Line> {
    let count = one.len().max(other.len());
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    (0..count)
        .map(|_| joined(one.next(), other.next(), left, line))
        .collect()
}

fn joined(one: Option<Line>, other: Option<Line>, left: usize, line: &str) -> Line {
    let one = one.unwrap_or_default();
    let used: usize = one.indent + one.runs.iter().map(|(_, run)| run.width()).sum::<usize>();
    let mut runs = vec![(Role::Text, " ".repeat(one.indent))];
    runs.extend(one.runs);
    runs.push((Role::Text, " ".repeat(left.saturating_sub(used))));
    runs.push((Role::Border, format!(" {line} ")));
    if let Some(other) = other {
        runs.push((Role::Text, " ".repeat(other.indent)));
        runs.extend(other.runs);
    }
    Line { indent: 0, runs }
}
