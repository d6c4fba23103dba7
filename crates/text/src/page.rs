//! Page of text for a terminal or a pipe: lines that are made harmless, wrapped and coloured only where that
//! is wanted.

use super::safe_text::{Keep, make_visible};
use super::{Paragraph, Role};
use std::fmt::Write as _;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Narrower text is not wrapped any further.
pub const MIN_WIDTH: usize = 20;
/// Wider text is hard to read, however wide the terminal is.
const MAX_PROSE_WIDTH: usize = 100;
/// Mark before every line of a text that the program did not write.
pub const BAR: &str = "│ ";
/// What a tab is shown as.
const TAB: &str = "    ";

/// Whether a page may be coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Ansi,
}

/// How a line is emphasised; what it says never depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    Plain,
    Bold,
    Dim,
    Good,
    Middle,
    Bad,
}

impl Ink {
    /// Returns the ink that says what a role says, on lines.
    fn from_role(role: Role) -> Self {
        match role {
            Role::Strong => Ink::Bold,
            Role::Muted => Ink::Dim,
            Role::Safe => Ink::Good,
            Role::Warning | Role::Notice | Role::Simulated | Role::Unparsed => Ink::Middle,
            Role::Error | Role::Unsafe | Role::Removed => Ink::Bad,
            _ => Ink::Plain,
        }
    }

    fn ansi_codes(self) -> &'static str {
        match self {
            Ink::Plain => "",
            Ink::Bold => "\x1b[1m",
            Ink::Dim => "\x1b[2m",
            Ink::Good => "\x1b[32m",
            Ink::Middle => "\x1b[33m",
            Ink::Bad => "\x1b[31m",
        }
    }
}

/// Lines that are being written.
#[derive(Debug)]
pub struct Page {
    text: String,
    width: usize,
    colour: Colour,
    /// Column of the bar behind which lines are written.
    bar: Option<usize>,
}

impl Page {
    /// Begins a page of `width` columns.
    pub fn new(width: usize, colour: Colour) -> Self {
        Self {
            text: String::new(),
            width: width.clamp(MIN_WIDTH, MAX_PROSE_WIDTH),
            colour,
            bar: None,
        }
    }

    /// Writes what others wrote, so that it never looks like a line of the program: each of its
    /// lines stands behind a bar at that column, from which its own columns count.
    pub fn write_behind_bar(&mut self, column: usize, write: impl FnOnce(&mut Self)) {
        let outer = self.bar.replace(column);
        write(self);
        self.bar = outer;
    }

    /// Leaves a line empty; two in a row become one.
    pub fn add_gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Adds a bold line after an empty one.
    pub fn add_title(&mut self, text: &str) {
        self.add_gap();
        self.add_bold_line(text);
    }

    /// Adds a line.
    pub fn add_line(&mut self, text: &str) {
        self.line_at(0).write_plain(text);
    }

    /// Adds a bold line.
    pub fn add_bold_line(&mut self, text: &str) {
        self.line_at(0).write_bold(text);
    }

    /// Begins a line that stands `indent` columns in, as do the lines that it is wrapped to.
    pub fn line_at(&mut self, indent: usize) -> PageLine<'_> {
        PageLine { page: self, indent }
    }

    /// Writes `name` and what others wrote about it, behind a bar in a column of its own.
    pub fn add_others_field(&mut self, name: &str, column: usize, text: &str) {
        let start = self.text.len();
        self.write_behind_bar(column, |page| page.line_at(0).write_plain(text));
        let first = format!("{:column$}", "");
        if self
            .text
            .get(start..)
            .is_some_and(|line| line.starts_with(&first))
        {
            self.text
                .replace_range(start..start + column, &format!("{name:<column$}"));
        }
    }

    /// Writes `name` and what belongs to it, wrapped in a column of its own.
    pub fn add_field(&mut self, indent: usize, name: &str, column: usize, text: &str) {
        let head = format!("{name:<column$}");
        let text = format!("{head}{}", make_visible(text, Keep::Nothing));
        self.write_lines(Ink::Plain, indent, indent + column, &text);
    }

    /// Writes a text of several lines, each wrapped behind the indentation.
    pub fn add_prose(&mut self, ink: Ink, indent: usize, text: &str) {
        for line in make_visible(text, Keep::NewlinesAndTabs).lines() {
            self.write_lines(ink, indent, indent, &line.replace('\t', TAB));
        }
    }

    /// Writes a text whose first line begins at `indent` and all others at `hanging`.
    pub fn add_hanging_text(&mut self, ink: Ink, indent: usize, hanging: usize, text: &str) {
        for (at, line) in make_visible(text, Keep::NewlinesAndTabs)
            .lines()
            .enumerate()
        {
            let begin = if at == 0 { indent } else { hanging };
            self.write_lines(ink, begin, hanging, &line.replace('\t', TAB));
        }
    }

    /// Writes paragraphs, each in the ink of its first run; what it is wrapped to hangs as it says.
    pub fn add_paragraphs(&mut self, paragraphs: &[Paragraph]) {
        for paragraph in paragraphs {
            let Some((role, _)) = paragraph.runs.first() else {
                self.add_gap();
                continue;
            };
            let runs = paragraph.runs.iter().map(|(_, text)| text.as_str());
            let text =
                make_visible(&runs.collect::<String>(), Keep::NewlinesAndTabs).replace('\t', TAB);
            for (at, line) in text.split('\n').enumerate() {
                let begin = if at == 0 {
                    paragraph.indent
                } else {
                    paragraph.hang
                };
                self.write_lines(Ink::from_role(*role), begin, paragraph.hang, line);
            }
        }
    }

    /// Writes lines that are laid out and harmless already.
    pub fn add_formatted_lines(&mut self, lines: &str) {
        self.text.push_str(lines);
    }

    /// Returns what was written.
    pub fn into_text(self) -> String {
        self.text
    }

    fn write_lines(&mut self, ink: Ink, indent: usize, hanging: usize, clean: &str) {
        let margin = match self.bar {
            Some(column) => format!("{:column$}{BAR}", ""),
            None => String::new(),
        };
        let width = self.width.saturating_sub(margin.width());
        let lines = wrap_line(
            clean,
            width.saturating_sub(indent),
            width.saturating_sub(hanging),
        );
        for (at, line) in lines.iter().enumerate() {
            let indent = if at == 0 { indent } else { hanging };
            let (begin, end) = match (self.colour, ink) {
                (Colour::Ansi, Ink::Plain) | (Colour::Plain, _) => ("", ""),
                (Colour::Ansi, _) => (ink.ansi_codes(), "\x1b[0m"),
            };
            // Writing to a string cannot fail.
            let _ = match line.is_empty() {
                true => writeln!(self.text, "{}", margin.trim_end()),
                false => writeln!(self.text, "{margin}{:indent$}{begin}{line}{end}", ""),
            };
        }
    }
}

/// Line of a page that is written next.
pub struct PageLine<'p> {
    page: &'p mut Page,
    indent: usize,
}

impl PageLine<'_> {
    pub fn write_plain(self, text: &str) {
        self.write_in_ink(Ink::Plain, text);
    }

    pub fn write_bold(self, text: &str) {
        self.write_in_ink(Ink::Bold, text);
    }

    pub fn write_dim(self, text: &str) {
        self.write_in_ink(Ink::Dim, text);
    }

    pub fn write_good(self, text: &str) {
        self.write_in_ink(Ink::Good, text);
    }

    pub fn write_middle(self, text: &str) {
        self.write_in_ink(Ink::Middle, text);
    }

    pub fn write_bad(self, text: &str) {
        self.write_in_ink(Ink::Bad, text);
    }

    /// Writes it in that ink; line breaks in it are made visible, and what it is wrapped to hangs two columns in.
    pub fn write_in_ink(self, ink: Ink, text: &str) {
        let (indent, text) = (self.indent, make_visible(text, Keep::Nothing));
        self.page.write_lines(ink, indent, indent + 2, &text);
    }
}

/// Wraps a line as [`elenchus_metrics::wrap_line`] does, in columns that are never so few that it cannot be read.
pub fn wrap_line(line: &str, first: usize, rest: usize) -> Vec<String> {
    elenchus_metrics::wrap_line(line, first.max(MIN_WIDTH / 2), rest.max(MIN_WIDTH / 2))
}

/// Cuts a text to `width` columns, with `…` where something is missing, and fills it up with spaces.
pub fn fit_to_width(text: &str, width: usize) -> String {
    let cell = cut_to_width(text, width);
    let blanks = width.saturating_sub(cell.width());
    cell + &" ".repeat(blanks)
}

/// Returns a text on one line, cut to a number of columns with a mark at its end.
pub fn cut_to_width(text: &str, columns: usize) -> String {
    let clean = make_visible(text, Keep::Nothing);
    if clean.width() <= columns {
        return clean.into_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in clean.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide + 1 > columns {
            break;
        }
        used += wide;
        out.push(c);
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

/// Returns how many columns a text takes once it is made visible.
pub fn display_width(text: &str) -> usize {
    make_visible(text, Keep::Nothing).width()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_counts_wide_characters_as_two_columns() {
        assert_eq!(fit_to_width("漢字漢字", 5), "漢字…");
        assert_eq!(fit_to_width("漢字", 5), "漢字 ");
        assert_eq!(fit_to_width("a\x1bb", 5), "a␛b  ");
    }

    #[test]
    fn colour_is_written_only_where_it_is_wanted() {
        let written = |colour| {
            let mut page = Page::new(40, colour);
            page.line_at(2).write_bad("unsafe");
            page.into_text()
        };
        assert_eq!(written(Colour::Plain), "  unsafe\n");
        assert_eq!(written(Colour::Ansi), "  \x1b[31munsafe\x1b[0m\n");
    }

    #[test]
    fn what_others_wrote_stands_behind_a_bar_on_every_line() {
        let mut page = Page::new(30, Colour::Plain);
        page.add_line("the program");
        page.write_behind_bar(2, |page| {
            page.add_prose(Ink::Plain, 0, "one\n\n=> safe: a long line that wraps")
        });
        page.add_others_field("topic", 8, "a question that is long");
        page.add_line("the program");
        let written = "the program\n  │ one\n  │\n  │ => safe: a long line that\n  │ wraps\n\
                       topic   │ a question that is\n        │   long\nthe program\n";
        assert_eq!(page.into_text(), written);
    }
}
