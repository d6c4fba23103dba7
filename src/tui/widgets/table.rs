//! Table: columns with headings, and rows that can be chosen, marked and grouped under headings of their own.

use super::draw_context::DrawContext;
use super::frame::draw_line;
use super::list::{ListCursor, mark_row};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::collections::{BTreeMap, BTreeSet};
use unicode_width::UnicodeWidthStr;

/// Cells before a row: the cursor, and the mark.
pub(crate) const TABLE_MARGIN: u16 = 2;

/// Side of its column that a text is at: figures are at the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// A column.
#[derive(Debug, Clone)]
pub struct TableColumn {
    pub heading: &'static str,
    pub width: u16,
    pub align: Align,
    /// Sign of the order, where the rows are in the order of this column.
    pub order: Option<&'static str>,
}

/// A cell's text in runs.
pub type TableCell = Vec<(Role, String)>;

/// A row.
#[derive(Debug, Clone)]
pub enum TableRow {
    Cells {
        is_marked: bool,
        cells: Vec<TableCell>,
    },
    /// Heading of a group, and what stands after it.
    Heading {
        is_folded: bool,
        title: String,
        after: String,
    },
}

impl TableRow {
    /// A row without a text.
    pub(crate) fn new_blank() -> Self {
        let cells = Vec::new();
        TableRow::Cells {
            is_marked: false,
            cells,
        }
    }
}

/// Columns, with so many cells between two of them.
#[derive(Debug, Clone)]
pub struct Table {
    pub columns: Vec<TableColumn>,
    pub gutter: u16,
    /// Columns that were asked for and have no room.
    pub hidden: usize,
}

impl Table {
    /// Draws the headings of the columns in a row.
    pub fn draw_headings(&self, buffer: &mut Buffer, row: Rect, look: &Look) {
        let cells = self.columns.iter().map(|column| {
            let (mut role, mut text) = (Role::Muted, column.heading.to_owned());
            if let Some(order) = column.order {
                role = Role::Strong;
                if text.len() + 2 <= usize::from(column.width) {
                    text = format!("{text} {order}");
                }
            }
            vec![(role, text)]
        });
        self.draw_cells(buffer, row, look, cells.collect());
        if self.hidden > 0 {
            let text = mark_hidden_after(look, self.hidden);
            let width = u16::try_from(text.width()).unwrap_or(u16::MAX);
            let at = Position::new(row.right().saturating_sub(width), row.y);
            draw_line(buffer, at, width, &text, look.style(Role::Accent), look);
        }
    }

    /// Draws the rows in sight; the chosen one is marked by a glyph and its style.
    pub fn draw_rows(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        cursor: ListCursor,
        mut row: impl FnMut(usize) -> TableRow,
    ) {
        let look = context.look;
        context.rows.note_rows(cursor, area);
        for (place, at) in area
            .rows()
            .zip(cursor.top_row(area.height)..cursor.row_count())
        {
            match row(at) {
                TableRow::Cells { is_marked, cells } => {
                    if is_marked {
                        let style = look.style(Role::Accent);
                        buffer.set_string(place.x + 1, place.y, look.glyphs().focus, style);
                    }
                    self.draw_cells(buffer, place, look, cells);
                }
                TableRow::Heading {
                    is_folded,
                    title,
                    after,
                } => draw_heading(buffer, place, look, is_folded, (&title, &after)),
            }
            if cursor.selected_row() == Some(at) {
                mark_row(buffer, place, look);
            }
        }
    }

    fn draw_cells(&self, buffer: &mut Buffer, row: Rect, look: &Look, cells: Vec<TableCell>) {
        let mut x = row.x + TABLE_MARGIN;
        for (column, cell) in self.columns.iter().zip(cells) {
            let wide: usize = cell.iter().map(|(_, text)| text.width()).sum();
            let wide = u16::try_from(wide).unwrap_or(u16::MAX);
            let mut at = match column.align {
                Align::Left => x,
                Align::Right => x + column.width.saturating_sub(wide),
            };
            let end = x + column.width;
            for (role, text) in cell {
                let place = Position::new(at, row.y);
                let room = end.saturating_sub(at);
                at += draw_line(buffer, place, room, &text, look.style(role), look);
            }
            x = end + self.gutter;
        }
    }
}

/// Says how many columns are out of sight at the left.
pub(crate) fn mark_hidden_before(look: &Look, columns: usize) -> String {
    format!("{columns} {}", look.glyphs().left)
}

/// Says how many columns are out of sight at the right.
pub(crate) fn mark_hidden_after(look: &Look, columns: usize) -> String {
    format!("{} {columns}", look.glyphs().right)
}

fn draw_heading(
    buffer: &mut Buffer,
    row: Rect,
    look: &Look,
    is_folded: bool,
    (title, after): (&str, &str),
) {
    let mark = match is_folded {
        true => look.glyphs().folded,
        false => look.glyphs().unfolded,
    };
    let after_width = u16::try_from(after.len()).unwrap_or(u16::MAX);
    let room = row
        .width
        .saturating_sub(TABLE_MARGIN + after_width.saturating_add(2));
    let title = format!("{mark} {title}");
    let mut x = row.x + TABLE_MARGIN;
    for (role, text, room) in [
        (Role::Strong, title.as_str(), room),
        (Role::Muted, after, row.width.saturating_sub(room)),
    ] {
        let at = Position::new(x, row.y);
        x += draw_line(buffer, at, room, text, look.style(role), look) + 1;
    }
}

/// Returns the titles as they are told apart in so many cells: those that begin alike as far as they go are
/// cut in the middle, so that their ends are in sight, or where they part if their ends are alike too.
pub fn tell_apart<'a>(titles: &[&'a str], room: usize, look: &Look) -> BTreeMap<&'a str, String> {
    let long = titles.iter().filter(|title| title.width() > room);
    let long: BTreeSet<&'a str> = long.copied().collect();
    let mut alike: BTreeMap<String, Vec<&'a str>> = BTreeMap::new();
    for title in long {
        let beginning = title.chars().take(room / 2).collect();
        alike.entry(beginning).or_default().push(title);
    }
    let mut apart = BTreeMap::new();
    for (beginning, titles) in alike.into_iter().filter(|(_, titles)| titles.len() > 1) {
        let rest = (room / 2).saturating_sub(1);
        let ends = titles.iter().map(|title| take_end(title, rest));
        let distinct: BTreeSet<String> = ends.clone().collect();
        let parting_index = find_parting(&titles);
        for (title, end) in titles.iter().zip(ends) {
            let ellipsis = look.glyphs().ellipsis;
            let text = match distinct.len() == titles.len() {
                true => format!("{beginning}{ellipsis}{end}"),
                false => {
                    let beginning: String = title.chars().take(room / 3).collect();
                    let rest: String = title.chars().skip(parting_index).collect();
                    format!("{beginning}{ellipsis}{rest}")
                }
            };
            apart.insert(*title, text);
        }
    }
    apart
}

fn take_end(title: &str, chars: usize) -> String {
    let line = title.lines().next().unwrap_or_default();
    let skip_count = line.chars().count().saturating_sub(chars);
    line.chars().skip(skip_count).collect()
}

/// Returns the character from which on the titles are not all the same: the beginning of its word.
fn find_parting(titles: &[&str]) -> usize {
    let [first, others @ ..] = titles else {
        return 0;
    };
    let first: Vec<char> = first.chars().collect();
    let same = |other: &&str| {
        let same = first.iter().zip(other.chars());
        same.take_while(|(one, other)| *one == other).count()
    };
    let same = others.iter().map(same).min().unwrap_or(0);
    let before = first.get(..same).unwrap_or_default();
    let word = before.iter().rposition(|c| c.is_whitespace());
    word.map_or(same, |blank| blank + 1)
}
