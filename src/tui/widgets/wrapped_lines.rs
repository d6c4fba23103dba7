//! Wrapped lines of styled text, and their drawing. Pure.

use super::cells::{cells, grapheme_cells, graphemes};
use super::fast_cells::put_text;
use super::paragraph::Paragraph;
use crate::exchange::{Keep, visible};
use crate::tui::theme::{Look, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Tabs end at multiples of this.
const TAB: &str = "    ";

/// One line of the screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StyledLine {
    /// Cells before the text.
    pub indent: usize,
    pub runs: Vec<(Role, String)>,
}

impl StyledLine {
    /// A line of one role.
    pub fn of(role: Role, text: impl Into<String>) -> Self {
        Self {
            indent: 0,
            runs: vec![(role, text.into())],
        }
    }

    /// Returns the text without roles.
    pub fn text(&self) -> String {
        self.runs.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Puts the line on the screen, cut at the right edge.
    pub fn put(&self, buffer: &mut Buffer, area: Rect, look: &Look) {
        let mut x = area
            .x
            .saturating_add(u16::try_from(self.indent).unwrap_or(u16::MAX));
        for (role, text) in &self.runs {
            let room = area.right().saturating_sub(x);
            if room == 0 {
                return;
            }
            x = put_text(buffer, x, area.y, text, room, look.style(*role));
        }
    }
}

/// Draws lines from the top of an area on, as many as fit.
pub(crate) fn draw_lines<'a>(
    buffer: &mut Buffer,
    area: Rect,
    look: &Look,
    lines: impl IntoIterator<Item = &'a StyledLine>,
) {
    for (row, line) in area.rows().zip(lines) {
        line.put(buffer, row, look);
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
    let mut lines = Vec::new();
    for paragraph in paragraphs {
        wrap(paragraph, width.max(1), &mut lines);
    }
    lines
}

/// A piece that is not broken: a word with the blanks before it.
struct Word {
    role: Role,
    blanks: usize,
    text: String,
    width: usize,
}

fn wrap(paragraph: &Paragraph, width: usize, lines: &mut Vec<StyledLine>) {
    // A pane may be narrower than an indent: text is worth more than its place.
    let most = width.saturating_sub(width / 2);
    let (indent, hang) = (paragraph.indent.min(most), paragraph.hang.min(most));
    let mut line = StyledLine {
        indent,
        runs: Vec::new(),
    };
    let mut used = indent;
    for word in words(paragraph) {
        let begins = line.runs.is_empty();
        let blanks = word.blanks;
        if used + blanks + word.width <= width {
            push(&mut line, word.role, &" ".repeat(blanks));
            push(&mut line, word.role, &word.text);
            used += blanks + word.width;
            continue;
        }
        if !begins && word.width <= width.saturating_sub(hang) && blanks > 0 {
            lines.push(std::mem::replace(&mut line, fresh(hang)));
            push(&mut line, word.role, &word.text);
            used = hang + word.width;
            continue;
        }
        // It is longer than a line, or follows directly: it is broken.
        if blanks > 0 && used + blanks < width {
            push(&mut line, word.role, &" ".repeat(blanks));
            used += blanks;
        }
        for grapheme in graphemes(&word.text) {
            let wide = grapheme_cells(grapheme);
            if used + wide > width && used > hang {
                lines.push(std::mem::replace(&mut line, fresh(hang)));
                used = hang;
            }
            push(&mut line, word.role, grapheme);
            used += wide;
        }
    }
    lines.push(line);
}

fn fresh(indent: usize) -> StyledLine {
    StyledLine {
        indent,
        runs: Vec::new(),
    }
}

fn push(line: &mut StyledLine, role: Role, text: &str) {
    if text.is_empty() {
        return;
    }
    match line.runs.last_mut() {
        Some((last, run)) if *last == role => run.push_str(text),
        _ => line.runs.push((role, text.to_owned())),
    }
}

fn words(paragraph: &Paragraph) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut blanks = 0;
    for (role, text) in &paragraph.runs {
        let clean = visible(text, Keep::NewlinesAndTabs)
            .replace(['\n', '\r'], " ")
            .replace('\t', TAB);
        let mut word = String::new();
        for c in clean.chars() {
            if c == ' ' {
                finish(&mut words, *role, &mut blanks, &mut word);
                blanks += 1;
            } else {
                word.push(c);
            }
        }
        finish(&mut words, *role, &mut blanks, &mut word);
    }
    words
}

fn finish(words: &mut Vec<Word>, role: Role, blanks: &mut usize, word: &mut String) {
    if word.is_empty() {
        return;
    }
    let text = std::mem::take(word);
    words.push(Word {
        role,
        blanks: std::mem::take(blanks),
        width: cells(&text),
        text,
    });
}
