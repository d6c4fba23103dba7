//! Differences between two screens, as few bytes. Writes nothing and knows no terminal.
//!
//! ratatui's own diff is not used: it moves the cursor after every wide character, names the
//! sixteen colours in a way that terminals with sixteen colours do not read, loses the content over
//! the second half of a wide character, and trusts terminals to find emoji as wide as we do.

mod clean;
mod pen;

use crate::tui::theme::Depth;
use clean::{Extent, is_second_half};
use pen::{CellStyle, Pen};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};

/// xterm, kitty and others: shows everything between the two at once.
const BEGIN_UPDATE: &[u8] = b"\x1b[?2026h";
const END_UPDATE: &[u8] = b"\x1b[?2026l";
/// Blanks in a row from which erasing them takes fewer bytes than writing them.
const ERASE_FROM: u16 = 9;
/// Unchanged cells that are rather written again than jumped over.
const BRIDGED: u16 = 3;

/// Painter that keeps the screen that is shown and computes the bytes to the next one.
#[derive(Debug)]
pub struct Painter {
    depth: Depth,
    shown: Buffer,
    next: Buffer,
    cursor: Option<Position>,
    /// True if the terminal shows `shown`.
    is_known: bool,
}

impl Painter {
    /// A painter whose terminal shows something unknown. Under [`Depth::None`] colours are left out.
    pub fn new(depth: Depth) -> Self {
        Self {
            depth,
            shown: Buffer::empty(Rect::ZERO),
            next: Buffer::empty(Rect::ZERO),
            cursor: None,
            is_known: false,
        }
    }

    /// Takes it that the terminal shows something unknown.
    pub fn forget(&mut self) {
        self.is_known = false;
    }

    /// Has a screen drawn and returns the bytes that show it; none where it is shown already.
    pub fn paint(
        &mut self,
        area: Rect,
        draw: impl FnOnce(&mut Buffer) -> Option<Position>,
    ) -> Vec<u8> {
        self.next.resize(area);
        self.next.reset();
        let cursor = draw(&mut self.next).filter(|at| area.contains(*at));
        clean::clean(&mut self.next, self.depth);
        if self.shown.area != area || !self.is_known {
            self.is_known = false;
            self.cursor = None;
            self.shown.resize(area);
            self.shown.reset();
        }
        let mut pen = Pen::at(self.cursor);
        if !self.is_known {
            pen.erase_everything();
        }
        self.draw_rows(&mut pen);
        let cells = pen.finish();
        let cursor_bytes = self.cursor_bytes(cursor, cells.position);
        std::mem::swap(&mut self.shown, &mut self.next);
        self.cursor = cursor;
        self.is_known = true;
        if cells.bytes.is_empty() {
            return cursor_bytes;
        }
        [BEGIN_UPDATE, &cells.bytes, &cursor_bytes, END_UPDATE].concat()
    }

    /// A cursor is hidden and shown as seldom as it can be, and moved only if it is not there already.
    fn cursor_bytes(&self, cursor: Option<Position>, now: Option<Position>) -> Vec<u8> {
        let mut bytes = Vec::new();
        match (self.cursor, cursor) {
            (Some(_), None) => bytes.extend_from_slice(b"\x1b[?25l"),
            (before, Some(at)) => {
                if now != cursor {
                    pen::go_to(&mut bytes, at.x, at.y);
                }
                if before.is_none() {
                    bytes.extend_from_slice(b"\x1b[?25h");
                }
            }
            (None, None) => {}
        }
        bytes
    }

    fn draw_rows(&self, pen: &mut Pen) {
        let width = usize::from(self.next.area.width).max(1);
        let rows = self.next.content.chunks(width);
        let shown = self.shown.content.chunks(width);
        for ((y, next), shown) in (0u16..).zip(rows).zip(shown) {
            if next != shown {
                draw_row(pen, y, next, shown);
            }
        }
    }
}

fn draw_row(pen: &mut Pen, y: u16, next: &[Cell], shown: &[Cell]) {
    let width = next.len() as u16;
    let mut x = 0;
    // Up to here cells are written whether they changed or not.
    let mut forced_to = 0;
    while x < width {
        let rest = next.get(usize::from(x)..).unwrap_or_default();
        let before = shown.get(usize::from(x)..).unwrap_or_default();
        let Some(cell) = rest.first() else { return };
        let columns = columns_of(rest);
        let taken = usize::from(columns);
        let is_same = rest.get(..taken) == before.get(..taken);
        if is_same && x >= forced_to {
            x += columns;
            continue;
        }
        if *cell == Cell::EMPTY {
            let run = Blank::of(rest, before, forced_to.saturating_sub(x));
            if run.reaches_end || run.columns >= ERASE_FROM {
                pen.erase(x, y, run);
                x += run.columns;
                continue;
            }
        }
        bridge(pen, x, y, next);
        let extent = Extent::of(cell.symbol(), columns);
        pen.write(x, y, cell, extent, x + columns >= width);
        if extent.reach > columns {
            forced_to = forced_to.max(x.saturating_add(extent.reach)).min(width);
        }
        x += columns;
    }
}

/// Writes the few unchanged cells between the cursor and the next change again, where that takes fewer
/// bytes than to jump.
fn bridge(pen: &mut Pen, x: u16, y: u16, next: &[Cell]) {
    let Some(from) = pen.column_in(y).filter(|from| *from < x) else {
        return;
    };
    let between = next.get(usize::from(from)..usize::from(x));
    let between = between.unwrap_or_default();
    let is_cheap = |cell: &Cell| cell.symbol().len() == 1 && CellStyle::of(cell) == pen.look();
    if x - from <= BRIDGED && between.iter().all(is_cheap) {
        for (column, cell) in (from..).zip(between) {
            pen.write(column, y, cell, Extent::certain(1), false);
        }
    }
}

/// Columns of the character at the beginning.
fn columns_of(cells: &[Cell]) -> u16 {
    let halves = cells.iter().skip(1).take_while(|cell| is_second_half(cell));
    1 + halves.count() as u16
}

/// Blank cells in a row.
#[derive(Clone, Copy)]
pub(super) struct Blank {
    /// Up to the last one that changes.
    pub columns: u16,
    pub reaches_end: bool,
}

impl Blank {
    fn of(next: &[Cell], shown: &[Cell], forced: u16) -> Self {
        let blank = next.iter().take_while(|cell| **cell == Cell::EMPTY).count();
        let changes = |at: &usize| {
            *at < usize::from(forced) || shown.get(*at).is_some_and(|cell| *cell != Cell::EMPTY)
        };
        let last = (0..blank).rev().find(changes).unwrap_or_default();
        Self {
            columns: last as u16 + 1,
            reaches_end: blank == next.len(),
        }
    }
}
