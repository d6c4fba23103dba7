//! Scrolling list of items with a cursor: only visible items are laid out. Pure.

use super::draw_context::{DrawContext, LayoutStyle};
use super::frame::Focus;
use super::line_position::LinePosition;
use super::list::Moved;
use super::wrapped_lines::StyledLine;
use crate::tui::keys::Action;
use crate::tui::theme::Role;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::HashMap;

/// Cells before each line: the cursor's mark and a space.
const MARGIN: u16 = 2;
/// Lines that are kept, together; beyond this only those of items near the one asked for. Lines of one
/// reply can be a hundred thousand.
const MAX_KEPT_LINES: usize = 20_000;
/// Items before and after that count as near: a screen shows few at once that are long.
const NEAR: usize = 2;

/// Lays an item out for a width: its number, and the width in cells.
pub type LayOut<'a> = &'a dyn Fn(usize, usize) -> Vec<StyledLine>;

/// Scroll position of the page, and the item under the cursor.
#[derive(Debug, Clone, Default)]
pub struct ScrollList {
    count: usize,
    cursor: usize,
    top: LinePosition,
    width: usize,
    height: usize,
    line_cache: KeptLines,
    /// What they were laid out for.
    style: Option<LayoutStyle>,
}

/// Lines of items that were laid out for the present width.
#[derive(Debug, Clone, Default)]
struct KeptLines {
    items: HashMap<usize, Vec<StyledLine>>,
    lines: usize,
}

impl KeptLines {
    fn clear(&mut self) {
        *self = Self::default();
    }

    fn get(&self, item: usize) -> Option<&Vec<StyledLine>> {
        self.items.get(&item)
    }

    fn keep_lines(&mut self, item: usize, lines: Vec<StyledLine>) {
        if self.lines + lines.len() > MAX_KEPT_LINES {
            self.items.retain(|at, _| at.abs_diff(item) <= NEAR);
            self.lines = self.items.values().map(Vec::len).sum();
        }
        self.lines += lines.len();
        self.items.insert(item, lines);
    }
}

impl ScrollList {
    /// Takes how many items there are, and forgets how they were laid out; the cursor stays where it
    /// can.
    pub fn set_count(&mut self, count: usize) {
        self.count = count;
        self.line_cache.clear();
        let last = count.saturating_sub(1);
        self.cursor = self.cursor.min(last);
        if self.top.item > last {
            self.top = LinePosition::start_of_item(last);
        }
    }

    /// Forgets how items were laid out.
    pub fn forget_lines(&mut self) {
        self.line_cache.clear();
    }

    /// Returns the item under the cursor; 0 where there is none.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Puts the cursor on an item and brings it into sight: the whole of it where it fits, else its
    /// beginning.
    pub fn go_to_item(&mut self, item: usize, lay_out: LayOut<'_>) {
        self.cursor = item.min(self.count.saturating_sub(1));
        let here = LinePosition::start_of_item(self.cursor);
        if self.height == 0 {
            // Nothing was drawn yet: the first drawing brings it into sight.
            return;
        }
        let lines = self.count_lines(self.cursor, lay_out);
        let spare = self.height.saturating_sub(lines);
        let lowest = self.position_before(here, spare, lay_out);
        if self.top < lowest {
            self.top = lowest;
        }
        if self.top > here {
            self.top = here;
        }
    }

    /// Goes to the next item; scrolls by one line where the item under the cursor goes on below.
    fn go_to_next(&mut self, lay_out: LayOut<'_>) {
        if self.has_more_below(lay_out) {
            self.scroll_lines(1, lay_out);
        } else if self.cursor + 1 < self.count {
            self.go_to_item(self.cursor + 1, lay_out);
        }
    }

    /// Goes to the item before; scrolls by one line where the item under the cursor begins above.
    fn go_to_previous(&mut self, lay_out: LayOut<'_>) {
        let begins_above = self.top.item == self.cursor && self.top.line > 0;
        if begins_above {
            self.scroll_lines(-1, lay_out);
        } else if self.cursor > 0 {
            let item = self.cursor - 1;
            let lines = self.count_lines(item, lay_out);
            self.go_to_item(item, lay_out);
            // A long item is entered from its end, so that nothing is passed by unseen.
            if lines > self.height {
                self.top = LinePosition {
                    item,
                    line: lines - self.height,
                };
            }
        }
    }

    /// Scrolls by half a page, down or up where negative; the cursor goes with what is in sight.
    fn scroll_half_page(&mut self, pages: isize, lay_out: LayOut<'_>) {
        let half = isize::try_from((self.height / 2).max(1)).unwrap_or(1);
        let before = self.top;
        self.scroll_lines(half * pages, lay_out);
        if before == self.top {
            let end = if pages < 0 { 0 } else { self.count };
            self.cursor = end.min(self.count.saturating_sub(1));
            return;
        }
        let (first, last) = (self.top.item, self.last_visible_item(lay_out));
        self.cursor = self.cursor.clamp(first, last.max(first));
    }

    /// Goes to the first item.
    pub fn go_to_top(&mut self) {
        self.cursor = 0;
        self.top = LinePosition::default();
    }

    /// Goes to the last item and to its end.
    pub fn go_to_bottom(&mut self, lay_out: LayOut<'_>) {
        self.cursor = self.count.saturating_sub(1);
        self.top = self.end_position(lay_out);
    }

    /// Moves, if the action does.
    pub fn handle_action(&mut self, action: Action, lay_out: LayOut<'_>) -> Moved {
        match action {
            Action::Up => self.go_to_previous(lay_out),
            Action::Down => self.go_to_next(lay_out),
            Action::PageUp => self.scroll_half_page(-1, lay_out),
            Action::PageDown => self.scroll_half_page(1, lay_out),
            Action::Top => self.go_to_top(),
            Action::Bottom => self.go_to_bottom(lay_out),
            _ => return Moved::No,
        }
        Moved::Yes
    }

    /// Draws what is in sight; the item under the cursor has a mark before each of its lines. With the focus
    /// a click reaches its items.
    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        context: DrawContext<'_>,
        focus: Focus,
        lay_out: LayOut<'_>,
    ) {
        let look = context.look;
        if self.style.replace(context.layout_style()) != Some(context.layout_style()) {
            self.line_cache.clear();
        }
        self.resize(area, lay_out);
        let glyphs = look.glyphs();
        let mut place = self.top;
        let mut rows = area.rows();
        while place.item < self.count {
            let lines = self.count_lines(place.item, lay_out);
            let item_lines = self.line_cache.get(place.item);
            // A blank line before an item is no place for its mark.
            let blank = |line: &&StyledLine| line.text().trim().is_empty();
            let begins = item_lines.map_or(0, |lines| lines.iter().take_while(blank).count());
            for at in place.line..lines {
                let Some(row) = rows.next() else {
                    return;
                };
                if focus == Focus::Focused {
                    context.rows.note_item(row, place.item, self.cursor);
                }
                if place.item == self.cursor && (at >= begins || begins == lines) {
                    let first = at == begins || row.y == area.y;
                    let mark = if first {
                        glyphs.cursor
                    } else {
                        glyphs.separator
                    };
                    buffer.set_stringn(row.x, row.y, mark, 1, look.style(Role::Accent));
                }
                if let Some(line) = item_lines.and_then(|lines| lines.get(at)) {
                    let inner = Rect {
                        x: row.x + MARGIN.min(row.width),
                        width: row.width.saturating_sub(MARGIN),
                        ..row
                    };
                    line.draw(buffer, inner, look);
                }
            }
            place = LinePosition::start_of_item(place.item + 1);
        }
    }

    fn resize(&mut self, area: Rect, lay_out: LayOut<'_>) {
        let width = usize::from(area.width.saturating_sub(MARGIN));
        let height = usize::from(area.height);
        if (self.width, self.height) == (width, height) {
            return;
        }
        if self.width != width {
            self.line_cache.clear();
        }
        (self.width, self.height) = (width, height);
        self.top.line = 0;
        self.go_to_item(self.cursor, lay_out);
    }

    fn count_lines(&mut self, item: usize, lay_out: LayOut<'_>) -> usize {
        if item >= self.count {
            return 0;
        }
        if let Some(lines) = self.line_cache.get(item) {
            return lines.len();
        }
        let mut lines = lay_out(item, self.width.max(1));
        if lines.is_empty() {
            // Every item takes a line, so that the cursor is always seen.
            lines.push(StyledLine::default());
        }
        let count = lines.len();
        self.line_cache.keep_lines(item, lines);
        count
    }

    fn has_more_below(&mut self, lay_out: LayOut<'_>) -> bool {
        let lines = self.count_lines(self.cursor, lay_out);
        let mut above = 0;
        for item in self.top.item..self.cursor {
            above += self.count_lines(item, lay_out);
        }
        above + lines > self.top.line + self.height && self.top.item <= self.cursor
    }

    fn scroll_lines(&mut self, lines: isize, lay_out: LayOut<'_>) {
        if lines < 0 {
            self.top = self.position_before(self.top, lines.unsigned_abs(), lay_out);
            return;
        }
        let top = self.top;
        let below = top.step_forward(lines.unsigned_abs(), self.count, |item| {
            self.count_lines(item, lay_out)
        });
        let end = self.end_position(lay_out);
        self.top = below.min(end);
    }

    /// Returns the place a number of lines before another one.
    fn position_before(
        &mut self,
        place: LinePosition,
        lines: usize,
        lay_out: LayOut<'_>,
    ) -> LinePosition {
        place.step_back(lines, |item| self.count_lines(item, lay_out))
    }

    /// Returns the place at which the last line is at the bottom.
    fn end_position(&mut self, lay_out: LayOut<'_>) -> LinePosition {
        let past = LinePosition::start_of_item(self.count);
        self.position_before(past, self.height.max(1), lay_out)
    }

    fn last_visible_item(&mut self, lay_out: LayOut<'_>) -> usize {
        let (top, height, count) = (self.top, self.height, self.count);
        top.last_visible_item(height, count, |item| self.count_lines(item, lay_out))
    }
}
