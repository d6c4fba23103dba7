//! Grid of verdicts: lines with a title, columns in groups, and a cursor on a cell. Columns that do not fit are scrolled
//! sideways, with a mark that says how many there are.

use super::draw_context::DrawContext;
use super::frame::draw_line;
use super::layout::head_and_body;
use super::list::{ListCursor, mark_row};
use super::table::{TABLE_MARGIN, TableCell, mark_hidden_after, mark_hidden_before};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::ops::Range;

/// Cells of a title at least.
const MIN_TITLE: u16 = 22;
/// Cells between two facts, and before a group of columns.
const GUTTER: u16 = 2;
/// Rows of the headings.
const HEADINGS: u16 = 2;

/// A column of verdicts.
#[derive(Debug, Clone)]
pub(crate) struct GridColumn {
    pub heading: String,
    pub width: u16,
    /// Heading of the group that begins with it.
    pub group: Option<String>,
}

/// A column of something else than verdicts; left out where there is no room, or where its width is 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GridFact {
    pub heading: &'static str,
    pub width: u16,
}

/// A line: its title, the facts before and after the verdicts, and the verdicts.
#[derive(Debug, Clone, Default)]
pub(crate) struct GridLine {
    pub title: TableCell,
    pub before: Vec<(Role, String)>,
    pub cells: Vec<(Role, String)>,
    pub after: Vec<(Role, String)>,
}

/// The columns of a grid.
#[derive(Debug, Clone, Default)]
pub(crate) struct VerdictGrid {
    /// Heading of the titles.
    pub title: &'static str,
    pub before: Vec<GridFact>,
    pub columns: Vec<GridColumn>,
    pub after: Vec<GridFact>,
}

impl GridFact {
    /// Returns the cells that it takes with the blanks before it.
    fn span(&self) -> u16 {
        match self.width {
            0 => 0,
            width => width + GUTTER,
        }
    }
}

/// What of a grid is drawn in a width.
#[derive(Debug)]
struct Fitted {
    title: u16,
    before: usize,
    columns: Range<usize>,
    after: usize,
}

impl VerdictGrid {
    /// Returns the cells that titles have in a width.
    pub(crate) fn title_width(&self, width: u16, column: usize) -> u16 {
        self.fit_columns(width, column).title
    }

    /// Returns how many lines there is room for.
    pub(crate) fn line_room(area: Rect) -> u16 {
        area.height.saturating_sub(HEADINGS)
    }

    /// Draws the headings and the lines in sight.
    pub(crate) fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        (lines, column): (ListCursor, usize),
        mut line: impl FnMut(usize) -> GridLine,
    ) {
        let fitted = self.fit_columns(area.width, column);
        let [headings, body] = head_and_body(area, HEADINGS);
        self.draw_headings(buffer, headings, context.look, &fitted);
        context.rows.note_rows(lines, body);
        self.note_columns(body, context, &fitted, column);
        let in_sight = lines.top_row(body.height)..lines.row_count();
        for (row, at) in body.rows().zip(in_sight) {
            let is_chosen = lines.selected_row() == Some(at);
            if is_chosen {
                mark_row(buffer, row, context.look);
            }
            let chosen_column = Some(column).filter(|_| is_chosen);
            self.draw_one(buffer, row, context.look, &fitted, &line(at), chosen_column);
            if is_chosen {
                let style = context.look.style(Role::Selection);
                buffer.set_style(row, style);
            }
        }
    }

    /// Notes where a click reaches the columns in sight.
    fn note_columns(&self, body: Rect, context: DrawContext<'_>, fitted: &Fitted, chosen: usize) {
        let mut x = self.first_column(body, fitted);
        for at in fitted.columns.clone() {
            let Some(column) = self.columns.get(at) else {
                continue;
            };
            x += self.gap_before(at, fitted);
            // The marks of the cursor stand beside it.
            let cells = Rect {
                x: x.saturating_sub(1),
                width: column.width + 2,
                ..body
            };
            context.rows.note_column(cells, at, chosen);
            x += column.width;
        }
    }

    fn fit_columns(&self, width: u16, column: usize) -> Fitted {
        // One more is for the mark of the cursor behind the last column.
        let room = width.saturating_sub(TABLE_MARGIN + 1);
        let wide = |facts: &[GridFact]| -> u16 {
            facts
                .iter()
                .map(GridFact::span)
                .fold(0, u16::saturating_add)
        };
        let all = self.span(0..self.columns.len());
        let (mut before, mut after) = (self.before.len(), self.after.len());
        let taken = |before: usize, after: usize| {
            let facts = [self.before.get(..before), self.after.get(..after)];
            let facts = facts.into_iter().flatten();
            facts.map(wide).fold(0, u16::saturating_add)
        };
        // What is no verdict gives way, the last of it first.
        while before + after > 0 && MIN_TITLE + taken(before, after) + all > room {
            match after.checked_sub(1) {
                Some(fewer) => after = fewer,
                None => before -= 1,
            }
        }
        let rest = room.saturating_sub(taken(before, after));
        let columns = self.find_page_with(rest.saturating_sub(MIN_TITLE), column);
        let title = rest.saturating_sub(self.span(columns.clone()));
        Fitted {
            title,
            before,
            columns,
            after,
        }
    }

    /// Returns the columns in sight, a page of them at a time: the one with the cursor is among them.
    fn find_page_with(&self, room: u16, column: usize) -> Range<usize> {
        let mut start = 0;
        loop {
            let ends = start + 1..=self.columns.len();
            let fits = |end: &usize| self.span(start..*end) <= room;
            let end = ends.take_while(fits).last().unwrap_or(start + 1);
            if column < end || end >= self.columns.len() {
                return start..end.min(self.columns.len());
            }
            start = end;
        }
    }

    /// Returns the cells that some columns take, with the blanks around them.
    fn span(&self, columns: Range<usize>) -> u16 {
        let first = columns.start;
        let columns = self.columns.get(columns).unwrap_or_default();
        let widths = (first..).zip(columns).map(|(at, column)| {
            let group = column.group.is_some() || at == first;
            column.width + 1 + if group { GUTTER } else { 0 }
        });
        widths.fold(0, u16::saturating_add)
    }

    /// Returns the cells before the text of a column.
    fn gap_before(&self, at: usize, fitted: &Fitted) -> u16 {
        let begins = self.columns.get(at).is_some_and(|one| one.group.is_some());
        match begins || at == fitted.columns.start {
            true => GUTTER + 1,
            false => 1,
        }
    }

    fn draw_headings(&self, buffer: &mut Buffer, area: Rect, look: &Look, fitted: &Fitted) {
        let [groups, names] = head_and_body(area, 1);
        let muted = |text: &str| (Role::Muted, text.to_owned());
        let facts = |facts: &[GridFact]| -> Vec<(Role, String)> {
            facts.iter().map(|fact| muted(fact.heading)).collect()
        };
        let headings = GridLine {
            title: vec![muted(self.title)],
            before: facts(&self.before),
            cells: (self.columns.iter())
                .map(|column| muted(&column.heading))
                .collect(),
            after: facts(&self.after),
        };
        self.draw_one(buffer, names, look, fitted, &headings, None);
        let shown = fitted.columns.clone();
        let mut x = self.first_column(groups, fitted);
        let (hidden_before, hidden_after) = (shown.start, self.columns.len() - shown.end);
        if hidden_before > 0 {
            let text = mark_hidden_before(look, hidden_before);
            let wide = u16::try_from(text.chars().count()).unwrap_or(u16::MAX);
            let at = Position::new(x.saturating_sub(wide), groups.y);
            draw_line(buffer, at, wide, &text, look.style(Role::Accent), look);
        }
        let more = mark_hidden_after(look, hidden_after);
        let more_width = match hidden_after {
            0 => 0,
            _ => u16::try_from(more.chars().count()).unwrap_or(u16::MAX) + 1,
        };
        let end = groups.right().saturating_sub(more_width);
        for at in shown.clone() {
            let Some(column) = self.columns.get(at) else {
                continue;
            };
            x += self.gap_before(at, fitted);
            // A group that began out of sight is named again.
            let mut begun = self.columns.iter().take(at + 1).rev();
            let group = match at == shown.start {
                true => begun.find_map(|one| one.group.as_ref()),
                false => column.group.as_ref(),
            };
            if let Some(group) = group {
                let at = Position::new(x, groups.y);
                let room = end.saturating_sub(x);
                draw_line(buffer, at, room, group, look.style(Role::Strong), look);
            }
            x += column.width;
        }
        if hidden_after > 0 {
            let at = Position::new(groups.right().saturating_sub(more_width - 1), groups.y);
            let style = look.style(Role::Accent);
            draw_line(buffer, at, more_width - 1, &more, style, look);
        }
    }

    /// Returns where the columns of verdicts begin.
    fn first_column(&self, row: Rect, fitted: &Fitted) -> u16 {
        let before = self.before.iter().take(fitted.before);
        let before = before.map(GridFact::span);
        row.x + TABLE_MARGIN + fitted.title + before.fold(0, u16::saturating_add)
    }

    fn draw_one(
        &self,
        buffer: &mut Buffer,
        row: Rect,
        look: &Look,
        fitted: &Fitted,
        line: &GridLine,
        chosen: Option<usize>,
    ) {
        let mut put = |x: u16, room: u16, (role, text): &(Role, String)| {
            let room = room.min(row.right().saturating_sub(x));
            let at = Position::new(x, row.y);
            draw_line(buffer, at, room, text, look.style(*role), look)
        };
        let mut x = row.x + TABLE_MARGIN;
        let end = x + fitted.title;
        for run in &line.title {
            x += put(x, end.saturating_sub(x), run);
        }
        x = end;
        for (fact, text) in self.before.iter().zip(&line.before).take(fitted.before) {
            put(x + GUTTER, fact.width, text);
            x += fact.span();
        }
        for at in fitted.columns.clone() {
            let (Some(column), Some(cell)) = (self.columns.get(at), line.cells.get(at)) else {
                continue;
            };
            x += self.gap_before(at, fitted);
            put(x, column.width, cell);
            if chosen == Some(at) {
                let bracket = |text: &str| (Role::Accent, text.to_owned());
                put(x - 1, 1, &bracket("["));
                put(x + column.width, 1, &bracket("]"));
            }
            x += column.width;
        }
        x += 1;
        for (fact, text) in self.after.iter().zip(&line.after).take(fitted.after) {
            put(x + GUTTER - 1, fact.width, text);
            x += fact.span();
        }
    }
}
