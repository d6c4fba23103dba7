//! Text broken into lines of a width: laid out once, drawn by the line, grown at its end.
//!
//! Nothing here costs more than what is on the screen, except laying out a text for a new width.

use super::shown::Shown;
use crate::tui::theme::{Look, Role};
use ratatui::buffer::{Buffer, CellWidth};
use ratatui::layout::Rect;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// How many matches of a search are found in one text.
pub const MAX_MATCHES: usize = 10_000;
/// How many lines back a growing end can change: a character that changes its width with what
/// follows may have begun two of them.
const UNSETTLED_LINES: usize = 3;

/// A text and where its lines begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrapped {
    shown: Shown,
    width: u16,
    starts: Vec<usize>,
}

/// A stretch of the shown text that means something, in bytes of [`Wrapped::text`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paint {
    pub range: Range<usize>,
    pub role: Role,
}

impl Wrapped {
    /// Lays out a text; what would act on a terminal is made visible, a tab is four spaces.
    pub fn new(text: &str, width: u16) -> Self {
        let mut wrapped = Self {
            shown: Shown::default(),
            width: width.max(1),
            starts: Vec::new(),
        };
        wrapped.push(text);
        wrapped
    }

    /// Adds text at the end; only the last lines are laid out again.
    pub fn push(&mut self, delta: &str) {
        self.shown.push(delta);
        let settled = self.starts.len().saturating_sub(UNSETTLED_LINES);
        let from = self.starts.get(settled).copied().unwrap_or_default();
        self.starts.truncate(settled);
        lay_out(self.shown.text(), from, self.width.into(), &mut self.starts);
    }

    /// Lays the text out again if the width is another one.
    pub fn set_width(&mut self, width: u16) {
        let width = width.max(1);
        if width != self.width {
            self.width = width;
            self.starts.clear();
            lay_out(self.shown.text(), 0, width.into(), &mut self.starts);
        }
    }

    /// Returns the number of lines; an empty text has none.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Tells whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the width it is laid out for.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Returns the text as it is shown; all ranges here count its bytes.
    pub fn text(&self) -> &str {
        self.shown.text()
    }

    /// Returns where a place of the original text is shown.
    pub fn shown_at(&self, original: usize) -> usize {
        self.shown.at(original)
    }

    /// Returns the bytes of a line with the spaces or the line end it was broken at; lines follow
    /// one another without gaps.
    pub fn range(&self, line: usize) -> Range<usize> {
        let end = self.text().len();
        let start = self.starts.get(line).copied().unwrap_or(end);
        start..self.starts.get(line + 1).copied().unwrap_or(end)
    }

    /// Returns what is drawn of a line: no line end and no spaces that hang over the edge.
    pub fn line(&self, line: usize) -> &str {
        let text = self.text().get(self.range(line)).unwrap_or_default();
        let text = text.strip_suffix('\n').unwrap_or(text);
        let trimmed = text.trim_end_matches(' ');
        let room = usize::from(self.width).saturating_sub(cells(trimmed));
        let spaces = (text.len() - trimmed.len()).min(room);
        text.get(..trimmed.len() + spaces).unwrap_or(trimmed)
    }

    /// Returns the line on which a byte of the shown text stands.
    pub fn line_at(&self, byte: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= byte)
            .saturating_sub(1)
    }

    /// Returns where a text occurs, in any case of letters, without overlaps; at most
    /// [`MAX_MATCHES`].
    pub fn find(&self, needle: &str) -> Vec<Range<usize>> {
        find(self.text(), needle)
    }

    /// Draws lines from `top` on, as many as fit, and lays the layers over them in their order.
    ///
    /// The paints of a layer are sorted and do not overlap.
    pub fn draw(
        &self,
        area: Rect,
        buf: &mut Buffer,
        look: &Look,
        top: usize,
        role: Role,
        layers: &[&[Paint]],
    ) {
        let area = area.intersection(buf.area);
        for (row, y) in (area.top()..area.bottom()).enumerate() {
            let number = top + row;
            if number >= self.len() {
                break;
            }
            let line = self.line(number);
            buf.set_stringn(area.x, y, line, area.width.into(), look.style(role));
            let start = self.range(number).start;
            let drawn = start..start + line.len();
            for layer in layers {
                let first = layer.partition_point(|paint| paint.range.end <= drawn.start);
                let seen = layer
                    .iter()
                    .skip(first)
                    .take_while(|paint| paint.range.start < drawn.end);
                for paint in seen {
                    let cut = self.cut(&drawn, &paint.range);
                    let strip = strip(area, y, line, cut);
                    buf.set_style(strip, look.style(paint.role));
                }
            }
        }
    }

    /// Returns the part of a range on a line, in bytes from the line's start, between characters.
    fn cut(&self, line: &Range<usize>, range: &Range<usize>) -> Range<usize> {
        let text = self.text();
        let start = text.floor_char_boundary(range.start.max(line.start));
        let end = text.ceil_char_boundary(range.end.min(line.end));
        start - line.start..end.max(start) - line.start
    }
}

/// The cells of a line that bytes of it take.
fn strip(area: Rect, y: u16, line: &str, bytes: Range<usize>) -> Rect {
    let before = line.get(..bytes.start).map_or(0, cells);
    let within = line.get(bytes).map_or(0, cells);
    let room = usize::from(area.width);
    let left = before.min(room);
    let width = within.min(room - left);
    // Both are at most the width of the area.
    Rect::new(area.x + left as u16, y, width as u16, 1)
}

/// Returns what people see as characters.
pub fn graphemes(text: &str) -> impl Iterator<Item = &str> {
    text.graphemes(true)
}

/// Returns how many cells ratatui gives a text; none to controls.
pub fn cells(text: &str) -> usize {
    if text.is_ascii() {
        return text.bytes().filter(|byte| !byte.is_ascii_control()).count();
    }
    text.graphemes(true).map(grapheme_cells).sum()
}

/// How many cells ratatui gives what people see as one character; none to controls.
pub(super) fn grapheme_cells(grapheme: &str) -> usize {
    if grapheme.contains(char::is_control) {
        0
    } else {
        grapheme.cell_width().into()
    }
}

fn lay_out(text: &str, from: usize, width: usize, starts: &mut Vec<usize>) {
    let mut at = from;
    for logical in text.get(from..).unwrap_or_default().split_inclusive('\n') {
        let content = logical.strip_suffix('\n').unwrap_or(logical);
        let mut breaker = Breaker::new(at, width, starts);
        if content.is_ascii() {
            for (offset, byte) in content.bytes().enumerate() {
                let space = byte == b' ';
                breaker.feed(at + offset, 1, 1, space);
            }
        } else {
            for (offset, grapheme) in content.grapheme_indices(true) {
                let (len, cells) = (grapheme.len(), grapheme_cells(grapheme));
                breaker.feed(at + offset, len, cells, grapheme == " ");
            }
        }
        at += logical.len();
    }
}

/// Breaks one logical line greedily: after spaces, beside wide characters, and inside a word only
/// where it is longer than a line.
struct Breaker<'a> {
    starts: &'a mut Vec<usize>,
    width: usize,
    start: usize,
    /// Cells since the start.
    cells: usize,
    /// Where the line may be broken, with the cells up to there.
    chance: Option<(usize, usize)>,
}

impl<'a> Breaker<'a> {
    fn new(start: usize, width: usize, starts: &'a mut Vec<usize>) -> Self {
        starts.push(start);
        Self {
            starts,
            width,
            start,
            cells: 0,
            chance: None,
        }
    }

    fn feed(&mut self, at: usize, len: usize, cells: usize, space: bool) {
        if space {
            // Spaces hang over the edge: they never begin a line that a break made.
            self.cells += cells;
            self.chance = Some((at + len, self.cells));
            return;
        }
        let wide = cells > 1;
        if wide && at > self.start {
            self.chance = Some((at, self.cells));
        }
        while self.cells + cells > self.width && at > self.start {
            match self.chance.take() {
                Some((place, before)) => self.begin(place, self.cells - before),
                None => self.begin(at, 0),
            }
        }
        self.cells += cells;
        if wide {
            self.chance = Some((at + len, self.cells));
        }
    }

    fn begin(&mut self, start: usize, cells: usize) {
        self.starts.push(start);
        self.start = start;
        self.cells = cells;
    }
}

fn find(text: &str, needle: &str) -> Vec<Range<usize>> {
    let wanted: Vec<char> = needle.chars().flat_map(char::to_lowercase).collect();
    let Some(first) = wanted.first().copied() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut next = 0;
    for (at, c) in text.char_indices() {
        if at < next || c.to_lowercase().next() != Some(first) {
            continue;
        }
        if let Some(len) = text.get(at..).and_then(|rest| matched(rest, &wanted)) {
            next = at + len;
            found.push(at..next);
            if found.len() == MAX_MATCHES {
                break;
            }
        }
    }
    found
}

/// Returns how many bytes at the beginning of `text` are `wanted`, in any case.
fn matched(text: &str, wanted: &[char]) -> Option<usize> {
    let mut left = wanted;
    for (at, c) in text.char_indices() {
        if left.is_empty() {
            return Some(at);
        }
        for lower in c.to_lowercase() {
            left = left.strip_prefix(&[lower])?;
        }
    }
    left.is_empty().then_some(text.len())
}
