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

/// How a line is emphasised, the strongest last; what it says never depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ink {
    Dim,
    Plain,
    Bold,
    Good,
    Middle,
    Bad,
}

impl Ink {
    /// Returns the ink that says what a role says, on lines.
    fn from_role(role: Role) -> Self {
        match role {
            Role::Strong => Ink::Bold,
            Role::Muted | Role::Private | Role::Thinking => Ink::Dim,
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

    /// Writes paragraphs, each in the strongest ink of its runs; what it is wrapped to hangs as it says. Those
    /// of others that follow each other stand behind one bar.
    pub fn add_paragraphs(&mut self, paragraphs: &[Paragraph]) {
        let role = |paragraph: &Paragraph| paragraph.runs.first().map(|(role, _)| *role);
        let is_one_text = |one: &Paragraph, next: &Paragraph| {
            one.is_by_others && next.is_by_others && role(one) == role(next)
        };
        for text in paragraphs.chunk_by(is_one_text) {
            let by_others = text.iter().filter(|paragraph| paragraph.is_by_others);
            match by_others.map(|paragraph| paragraph.indent).min() {
                Some(bar) => self.write_behind_bar(bar, |page| {
                    text.iter().for_each(|line| page.add_paragraph(line, bar));
                }),
                None => text.iter().for_each(|line| self.add_paragraph(line, 0)),
            }
        }
    }

    /// Writes a paragraph whose columns count from `left`. Line breaks in the program's own words are made
    /// visible: what stands in them could be of others, and look like a line of the program.
    fn add_paragraph(&mut self, paragraph: &Paragraph, left: usize) {
        let runs = paragraph.runs.iter();
        let Some(ink) = runs.clone().map(|(role, _)| Ink::from_role(*role)).max() else {
            return self.add_gap();
        };
        let text: String = runs.map(|(_, text)| text.as_str()).collect();
        let (indent, hang) = (paragraph.indent, paragraph.hang);
        let (indent, hang) = (indent.saturating_sub(left), hang.saturating_sub(left));
        let keep = match paragraph.is_by_others {
            true => Keep::NewlinesAndTabs,
            false => Keep::Nothing,
        };
        for (at, line) in make_visible(&text, keep).split('\n').enumerate() {
            let begin = if at == 0 { indent } else { hang };
            self.write_lines(ink, begin, hang, &line.replace('\t', TAB));
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
        page.add_line("the program");
        let written = "the program\n  │ one\n  │\n  │ => safe: a long line that\n  │ wraps\n\
                       the program\n";
        assert_eq!(page.into_text(), written);
    }

    #[test]
    fn paragraphs_of_others_stand_behind_one_bar_and_break_no_line_of_the_program() {
        let others = |role, indent, text: &str| {
            Paragraph::new(role, text)
                .with_indent(indent, indent)
                .mark_as_others()
        };
        let mut page = Page::new(40, Colour::Plain);
        page.add_paragraphs(&[
            Paragraph::new(Role::Strong, "Ada\n=> safe"),
            others(Role::Thinking, 4, "hm"),
            others(Role::Text, 2, "- why:"),
            others(Role::Text, 4, "one\n\ntwo"),
            others(Role::Text, 2, ""),
            Paragraph::gap(),
            Paragraph::new(Role::Muted, "guard: ").with_run(Role::Unsafe, "unsafe"),
        ]);
        let written =
            "Ada␊=> safe\n    │ hm\n  │ - why:\n  │   one\n  │\n  │   two\n  │\n\nguard: unsafe\n";
        assert_eq!(page.into_text(), written);
        let mut page = Page::new(40, Colour::Ansi);
        page.add_paragraphs(&[
            Paragraph::new(Role::Muted, "guard: ").with_run(Role::Unsafe, "unsafe")
        ]);
        assert_eq!(page.into_text(), "\u{1b}[31mguard: unsafe\u{1b}[0m\n");
    }
}
