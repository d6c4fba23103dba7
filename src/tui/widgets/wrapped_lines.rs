//! Wrapped lines of styled text, and their drawing. Pure.
//!
//! [`WrappedText`] keeps one copy of a text and a span for each line: a reply of many megabytes costs
//! little more than itself. Its lines are made where they are drawn. It wraps by itself what `elenchus_text` wraps for
//! pages: its lines are spans of runs in their roles, counted in the cells of what people see as characters.

use super::cells::{count_cells, grapheme_cells, graphemes};
use super::fast_cells::put_text;
use crate::tui::theme::{Look, Role};
use elenchus_text::word_diff::Marking;
use elenchus_text::{Keep, Paragraph, make_visible};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Cells of a bar and the blank behind it.
const BAR_CELLS: u16 = 2;
/// Tabs end at multiples of this.
const TAB: &str = "    ";

/// One line of the screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StyledLine {
    /// Cells before the text.
    pub indent: usize,
    pub runs: Vec<(Role, String)>,
    /// It is of a text that others wrote, and has a bar before it where there are no colours.
    pub others: bool,
}

impl StyledLine {
    /// A line of one role.
    pub fn from_text(role: Role, text: impl Into<String>) -> Self {
        Self {
            indent: 0,
            runs: vec![(role, text.into())],
            others: false,
        }
    }

    /// A line of several roles.
    pub fn from_runs(runs: Vec<(Role, String)>) -> Self {
        Self {
            runs,
            ..Self::default()
        }
    }

    /// Returns the text without roles.
    pub fn text(&self) -> String {
        self.runs.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Returns how many cells it takes.
    pub(crate) fn count_cells(&self) -> usize {
        let runs = self.runs.iter();
        self.indent + runs.map(|(_, text)| count_cells(text)).sum::<usize>()
    }

    /// Puts the line on the screen, cut at the right edge.
    pub fn draw(&self, buffer: &mut Buffer, area: Rect, look: &Look) {
        let indent = u16::try_from(self.indent).unwrap_or(u16::MAX);
        self.draw_bar(buffer, area, indent, look);
        let mut x = area.x.saturating_add(indent);
        for (role, text) in &self.runs {
            let room = area.right().saturating_sub(x);
            if room == 0 {
                return;
            }
            x = put_text(buffer, x, area.y, text, room, look.style(*role));
        }
    }

    /// Puts a bar into the indent of a text that others wrote, which looks like the program's own
    /// without colours.
    fn draw_bar(&self, buffer: &mut Buffer, area: Rect, indent: u16, look: &Look) {
        if let (true, Marking::Signs, Some(column)) =
            (self.others, look.marking(), indent.checked_sub(BAR_CELLS))
        {
            let x = area.x.saturating_add(column);
            let room = area.right().saturating_sub(x);
            let bar = look.glyphs().separator;
            put_text(buffer, x, area.y, bar, room, look.style(Role::Muted));
        }
    }
}

/// Returns the number of lines of the longest text.
pub(crate) fn max_line_count<'a>(texts: impl IntoIterator<Item = &'a WrappedText>) -> usize {
    texts
        .into_iter()
        .map(WrappedText::len)
        .max()
        .unwrap_or_default()
}

/// Draws lines from the top of an area on, as many as fit.
pub(crate) fn draw_lines<'a>(
    buffer: &mut Buffer,
    area: Rect,
    look: &Look,
    lines: impl IntoIterator<Item = &'a StyledLine>,
) {
    for (row, line) in area.rows().zip(lines) {
        line.draw(buffer, row, look);
    }
}

/// Wraps paragraphs to an area and draws as many lines as fit; returns how many were drawn.
pub(crate) fn draw_text(
    buffer: &mut Buffer,
    area: Rect,
    look: &Look,
    paragraphs: &[Paragraph],
) -> u16 {
    let lines = lay_out(paragraphs, area.width.into());
    draw_lines(buffer, area, look, &lines);
    u16::try_from(lines.len()).map_or(area.height, |lines| lines.min(area.height))
}

/// Wraps paragraphs to a width.
pub fn lay_out(paragraphs: &[Paragraph], width: usize) -> Vec<StyledLine> {
    WrappedText::from_paragraphs(paragraphs, width)
        .lines_from(0)
        .collect()
}

/// Paragraphs wrapped to a width.
#[derive(Debug, Clone, Default)]
pub struct WrappedText {
    width: usize,
    /// What is shown of all paragraphs.
    text: String,
    /// Where runs end in the text, and their roles. Blanks before a word are part of its run.
    runs: Vec<(usize, Role)>,
    lines: Vec<LineSpan>,
    /// Where the last paragraph's runs begin.
    last_runs: usize,
    /// Cells before the lines that follow in the last paragraph.
    hang: usize,
    /// Others wrote the last paragraph.
    others: bool,
}

/// A line as a piece of the text.
#[derive(Debug, Clone, Copy)]
struct LineSpan {
    indent: u32,
    start: usize,
    end: usize,
    others: bool,
}

impl WrappedText {
    /// An empty text for a width.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            width: width.max(1),
            ..Self::default()
        }
    }

    /// Wraps paragraphs.
    pub fn from_paragraphs(paragraphs: &[Paragraph], width: usize) -> Self {
        let mut text = Self::new(width);
        for paragraph in paragraphs {
            text.push_paragraph(paragraph);
        }
        text
    }

    /// Returns the width that it is wrapped to.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns how many bytes of memory its text, runs and lines take.
    pub fn bytes(&self) -> usize {
        self.text.capacity() + size_of_val(&*self.runs) + size_of_val(&*self.lines)
    }

    /// Returns how many lines there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Says whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns one line.
    pub fn line_at(&self, at: usize) -> Option<StyledLine> {
        Some(self.style_span(*self.lines.get(at)?))
    }

    /// Returns the lines from one on.
    pub fn lines_from(&self, first: usize) -> impl Iterator<Item = StyledLine> {
        let spans = self.lines.iter().skip(first);
        spans.map(|span| self.style_span(*span))
    }

    /// Adds a paragraph.
    pub fn push_paragraph(&mut self, paragraph: &Paragraph) {
        // A pane may be narrower than an indent: text is worth more than its place.
        let most = self.width.saturating_sub(self.width / 2);
        self.hang = paragraph.hang.min(most);
        self.others = paragraph.is_by_others;
        self.last_runs = self.runs.len();
        let start = self.text.len();
        for (role, text) in &paragraph.runs {
            self.push_run_text(text);
            self.end_run(*role, start);
        }
        self.wrap_from(LineSpan {
            indent: cells_to_u32(paragraph.indent.min(most)),
            start,
            end: start,
            others: paragraph.is_by_others,
        });
    }

    /// Goes on with the last paragraph. What came before its last line stays as it was wrapped, so that a
    /// paragraph that grows costs what is new.
    pub fn extend_last(&mut self, role: Role, text: &str) {
        let Some(last) = self.lines.pop() else {
            return self.push_paragraph(&Paragraph::new(role, text));
        };
        self.push_run_text(text);
        if self.runs.len() > self.last_runs && self.runs.last().is_some_and(|run| run.1 == role) {
            self.runs.pop();
        }
        self.end_run(role, last.start);
        self.wrap_from(LineSpan {
            end: last.start,
            ..last
        });
    }

    /// Adds the text of a run as it is shown on one line.
    fn push_run_text(&mut self, text: &str) {
        let clean = make_visible(text, Keep::NewlinesAndTabs);
        self.text.reserve(clean.len());
        for piece in clean.split_inclusive(['\n', '\r', '\t']) {
            let plain = piece.trim_end_matches(['\n', '\r', '\t']);
            self.text.push_str(plain);
            match piece.get(plain.len()..) {
                Some("\t") => self.text.push_str(TAB),
                Some("\n" | "\r") => self.text.push(' '),
                _ => {}
            }
        }
    }

    /// Ends a run with its last word; blanks after it belong to what follows.
    fn end_run(&mut self, role: Role, start: usize) {
        let end = self.text.trim_end_matches(' ').len();
        let before = self.runs.last().map_or(0, |(end, _)| *end);
        if end > before.max(start) {
            self.runs.push((end, role));
        }
    }

    /// Wraps the text from the beginning of a line on.
    fn wrap_from(&mut self, mut line: LineSpan) {
        let (width, hang, others) = (self.width, self.hang, self.others);
        let fresh = |start: usize| LineSpan {
            indent: cells_to_u32(hang),
            start,
            end: start,
            others,
        };
        let mut column = line.indent as usize;
        let first = self.runs.partition_point(|(end, _)| *end <= line.start);
        let mut from = line.start;
        for (end, _) in self.runs.iter().skip(first) {
            let run = self.text.get(from..*end).unwrap_or_default();
            for word in split_words(run) {
                let (start, end) = (from + word.start, from + word.end);
                let text = self.text.get(start..end).unwrap_or_default();
                let (blanks, wide) = (word.blanks, count_cells(text));
                let begins = line.start == line.end;
                if column + blanks + wide <= width {
                    if begins {
                        line.start = start - blanks;
                    }
                    line.end = end;
                    column += blanks + wide;
                    continue;
                }
                if !begins && wide <= width.saturating_sub(hang) && blanks > 0 {
                    self.lines.push(std::mem::replace(&mut line, fresh(start)));
                    line.end = end;
                    column = hang + wide;
                    continue;
                }
                // It is longer than a line, or follows directly: it is broken.
                if blanks > 0 && column + blanks < width {
                    if begins {
                        line.start = start - blanks;
                    }
                    line.end = start;
                    column += blanks;
                } else if blanks > 0 && !begins {
                    self.lines.push(std::mem::replace(&mut line, fresh(start)));
                    column = hang;
                }
                let mut at = start;
                for grapheme in graphemes(text) {
                    let wide = grapheme_cells(grapheme);
                    if column + wide > width && column > hang {
                        self.lines.push(std::mem::replace(&mut line, fresh(at)));
                        column = hang;
                    }
                    if line.start == line.end {
                        line.start = at;
                    }
                    at += grapheme.len();
                    line.end = at;
                    column += wide;
                }
            }
            from = *end;
        }
        self.lines.push(line);
    }

    fn style_span(&self, span: LineSpan) -> StyledLine {
        let mut line = StyledLine {
            indent: span.indent as usize,
            runs: Vec::new(),
            others: span.others,
        };
        let mut from = span.start;
        let first = self.runs.partition_point(|(end, _)| *end <= from);
        for (end, role) in self.runs.iter().skip(first) {
            if from >= span.end {
                break;
            }
            let to = (*end).min(span.end);
            let text = self.text.get(from..to).unwrap_or_default();
            match line.runs.last_mut() {
                Some((last, run)) if last == role => run.push_str(text),
                _ => line.runs.push((*role, text.to_owned())),
            }
            from = to;
        }
        line
    }
}

/// Returns cells as a line's span keeps them: a long text has many lines.
fn cells_to_u32(cells: usize) -> u32 {
    u32::try_from(cells).unwrap_or(u32::MAX)
}

/// A piece that is not broken: where it is in its run, and how many blanks stand before it.
struct Word {
    blanks: usize,
    start: usize,
    end: usize,
}

fn split_words(run: &str) -> impl Iterator<Item = Word> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = run.get(at..)?;
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        let start = at + blanks;
        let word = run.get(start..)?.split(' ').next()?;
        at = start + word.len();
        (!word.is_empty()).then_some(Word {
            blanks,
            start,
            end: at,
        })
    })
}
