//! Paragraph: text before it is wrapped, in runs of roles, with indents. Pure.

use super::Role;

/// One paragraph: its runs are wrapped together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paragraph {
    /// Cells before the first line.
    pub indent: usize,
    /// Cells before the lines that follow where it is wrapped.
    pub hang: usize,
    pub runs: Vec<(Role, String)>,
    /// Others than the program wrote it: where colours do not say so, a bar stands before its lines.
    pub is_by_others: bool,
}

impl Paragraph {
    /// A paragraph of one role.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self {
            indent: 0,
            hang: 0,
            runs: vec![(role, text.into())],
            is_by_others: false,
        }
    }

    /// Marks it as written by others.
    #[must_use]
    pub fn mark_as_others(mut self) -> Self {
        self.is_by_others = true;
        self
    }

    /// An empty line.
    pub fn gap() -> Self {
        Self::default()
    }

    /// Moves it to the right.
    #[must_use]
    pub fn with_indent(mut self, indent: usize, hang: usize) -> Self {
        self.indent = indent;
        self.hang = hang;
        self
    }

    /// Adds a run.
    #[must_use]
    pub fn with_run(mut self, role: Role, text: impl Into<String>) -> Self {
        self.runs.push((role, text.into()));
        self
    }
}

/// Returns a text as paragraphs of one role, one for each of its lines.
pub fn prose_paragraphs(role: Role, indent: usize, text: &str) -> Vec<Paragraph> {
    text.lines()
        .map(|line| Paragraph::new(role, line).with_indent(indent, indent))
        .collect()
}

/// Returns a text of others as [`prose_paragraphs`] does.
pub fn others_prose(role: Role, indent: usize, text: &str) -> Vec<Paragraph> {
    let lines = prose_paragraphs(role, indent, text).into_iter();
    lines.map(Paragraph::mark_as_others).collect()
}

/// Returns a page of a text by others set off from the program's words, which begin at the left; notices
/// within it are the program's.
pub fn set_off(page: Vec<Paragraph>) -> Vec<Paragraph> {
    const INDENT: usize = 2;
    let is_notice = |paragraph: &Paragraph| {
        let first = paragraph.runs.first();
        first.is_some_and(|(role, _)| *role == Role::Notice)
    };
    let set_off = page
        .into_iter()
        .map(|paragraph| match is_notice(&paragraph) {
            true => paragraph,
            false => paragraph.with_indent(INDENT, INDENT).mark_as_others(),
        });
    set_off.collect()
}

/// Returns paragraphs as they are copied: a line each, with its indent.
pub fn plain_text(paragraphs: &[Paragraph]) -> String {
    let line = |paragraph: &Paragraph| {
        let runs = paragraph.runs.iter().map(|(_, text)| text.as_str());
        " ".repeat(paragraph.indent) + &runs.collect::<String>()
    };
    paragraphs.iter().map(line).collect::<Vec<_>>().join("\n")
}
