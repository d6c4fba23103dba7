//! The one writer of tables: a name and columns of cells, as text within a width, Markdown, LaTeX or CSV. Pure.
//!
//! As text, columns that do not fit the width follow below, with the same names.

use super::csv_cells::defuse_cell;
use unicode_width::UnicodeWidthStr;

use super::text_layout::{push_line, push_name_and_text, wrap_text, wrap_with_indent};

/// Columns between two columns of text.
const GUTTER: usize = 2;
/// Widest line of a column's head.
pub(crate) const MAX_HEAD: usize = 16;
/// Least width of names that take what is left, where they are as long.
const LEAST_NAME: usize = 16;
/// Indentation of a note below its row.
const INDENT: usize = 4;

/// Width of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameWidth {
    /// What the other columns leave.
    Rest,
    /// The widest name, at most this.
    AtMost(usize),
}

/// A column of cells, aligned to the right.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GridColumn {
    pub head: String,
    /// Least width as text, the gutter included.
    pub least: usize,
    /// Widest line of the head.
    pub widest_head: usize,
}

/// A row, or what stands between rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum GridRow {
    /// A name, and a cell for each column.
    Cells(String, Vec<String>),
    /// A name, and one text in place of the cells.
    Reason(String, String),
    /// A remark on the row above.
    Note(String),
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grid {
    /// Head of the names.
    pub corner: String,
    pub names: NameWidth,
    pub columns: Vec<GridColumn>,
    pub rows: Vec<GridRow>,
}

impl Grid {
    /// Creates a table without rows.
    pub(crate) fn new(corner: &str, names: NameWidth) -> Self {
        Self {
            corner: corner.to_owned(),
            names,
            columns: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Adds a column of at least this width.
    pub(crate) fn with_column(self, head: impl Into<String>, least: usize) -> Self {
        self.with_headed_column(head, least, MAX_HEAD)
    }

    /// Adds a column of at least this width, whose head has lines of at most another.
    pub(crate) fn with_headed_column(
        mut self,
        head: impl Into<String>,
        least: usize,
        widest_head: usize,
    ) -> Self {
        self.columns.push(GridColumn {
            head: head.into(),
            least,
            widest_head,
        });
        self
    }

    /// Adds a row.
    pub(crate) fn add_row(&mut self, name: impl Into<String>, cells: Vec<String>) {
        self.rows.push(GridRow::Cells(name.into(), cells));
    }

    /// Renders it as text of at most `width` columns, as far as one column and a name fit.
    pub(crate) fn to_text(&self, width: usize) -> String {
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|at| self.width_of(at))
            .collect();
        let mut out = String::new();
        let mut from = 0;
        loop {
            let name = self.name_width(width, &widths[from..]);
            let mut used = name;
            let fitting = widths[from..].iter().take_while(|column| {
                used += **column;
                used <= width
            });
            let here = fitting.count().max(1).min(widths.len() - from);
            if from > 0 {
                out.push('\n');
            }
            let name = match self.names {
                NameWidth::Rest => width.saturating_sub(widths[from..from + here].iter().sum()),
                NameWidth::AtMost(_) => name,
            };
            self.write_block(&mut out, from..from + here, &widths, (name, width));
            from += here;
            if from >= widths.len() {
                return out;
            }
        }
    }

    /// Renders it as a table of GitHub's Markdown, with remarks and reasons as a list below.
    pub(crate) fn to_markdown(&self) -> String {
        let cell = |text: &str| text.replace('|', "\\|");
        let line = |name: &str, cells: &mut dyn Iterator<Item = &str>| {
            let cells: Vec<String> = cells.map(cell).collect();
            format!("| {} | {} |\n", cell(name), cells.join(" | "))
        };
        let mut heads = self.columns.iter().map(|column| column.head.as_str());
        let mut out = line(&self.corner, &mut heads);
        out.push_str("| --- |");
        out.push_str(&" ---: |".repeat(self.columns.len()));
        out.push('\n');
        for (name, cells) in self.cell_rows() {
            out.push_str(&line(name, &mut cells.iter().map(String::as_str)));
        }
        let remarks = self.remarks();
        if !remarks.is_empty() {
            out.push('\n');
        }
        for remark in remarks {
            out.push_str(&format!("- {}\n", cell(&remark)));
        }
        out
    }

    /// Renders it as a `tabular` of LaTeX with the rules of the package `booktabs`; remarks and reasons are
    /// comments below.
    pub(crate) fn to_latex(&self) -> String {
        let line = |name: &str, cells: &mut dyn Iterator<Item = &str>| {
            let cells: Vec<String> = cells.map(escape_latex).collect();
            format!("{} & {} \\\\\n", escape_latex(name), cells.join(" & "))
        };
        let mut heads = self.columns.iter().map(|column| column.head.as_str());
        let mut out = format!(
            "\\begin{{tabular}}{{l{}}}\n\\toprule\n{}\\midrule\n",
            "r".repeat(self.columns.len()),
            line(&self.corner, &mut heads)
        );
        for (name, cells) in self.cell_rows() {
            out.push_str(&line(name, &mut cells.iter().map(String::as_str)));
        }
        out.push_str("\\bottomrule\n\\end{tabular}\n");
        for remark in self.remarks() {
            out.push_str(&format!("% {}\n", remark.replace('\n', " ")));
        }
        out
    }

    fn cell_rows(&self) -> impl Iterator<Item = (&str, &Vec<String>)> {
        self.rows.iter().filter_map(|row| match row {
            GridRow::Cells(name, cells) => Some((name.as_str(), cells)),
            GridRow::Reason(..) | GridRow::Note(_) => None,
        })
    }

    fn remarks(&self) -> Vec<String> {
        let remarks = self.rows.iter().filter_map(|row| match row {
            GridRow::Cells(..) => None,
            GridRow::Reason(name, why) => Some(format!("{name}: {why}")),
            GridRow::Note(text) => Some(text.clone()),
        });
        remarks.collect()
    }

    /// Width of a column as text, with its gutter.
    fn width_of(&self, at: usize) -> usize {
        let column = &self.columns[at];
        let head = wrap_text(&column.head, column.widest_head);
        let head = head.iter().map(|line| line.width()).max().unwrap_or(0);
        let cells = self.cell_rows().filter_map(|(_, cells)| cells.get(at));
        let cells = cells.map(|cell| cell.width()).max().unwrap_or(0);
        // A column as wide as its least width has its gutter in it.
        if head.max(cells) < column.least {
            return column.least;
        }
        head.max(cells) + GUTTER
    }

    fn name_width(&self, width: usize, columns: &[usize]) -> usize {
        let names = self.rows.iter().filter_map(|row| match row {
            GridRow::Cells(name, _) | GridRow::Reason(name, _) => Some(name.width()),
            GridRow::Note(_) => None,
        });
        let widest = names.max().unwrap_or(0).max(self.corner.width());
        match self.names {
            NameWidth::AtMost(most) => widest.min(most) + GUTTER,
            NameWidth::Rest => {
                let rest = width.saturating_sub(columns.iter().sum());
                rest.max((widest + GUTTER + 1).min(LEAST_NAME))
            }
        }
    }

    fn name_lines(&self, name: &str, width: usize) -> Vec<String> {
        match self.names {
            NameWidth::Rest => wrap_with_indent(name, width),
            NameWidth::AtMost(_) => {
                let lines = (0..).zip(wrap_text(name, width - GUTTER));
                lines
                    .map(|(line, text)| if line == 0 { text } else { format!("  {text}") })
                    .collect()
            }
        }
    }

    fn write_block(
        &self,
        out: &mut String,
        columns: std::ops::Range<usize>,
        widths: &[usize],
        (name_width, width): (usize, usize),
    ) {
        let heads: Vec<Vec<String>> = self.columns[columns.clone()]
            .iter()
            .map(|column| wrap_text(&column.head, column.widest_head))
            .collect();
        let lines = heads.iter().map(Vec::len).max().unwrap_or(1);
        for line in 0..lines {
            let corner = if line == 0 { self.corner.as_str() } else { "" };
            let mut text = align_left(corner, name_width);
            for (head, at) in heads.iter().zip(columns.clone()) {
                let head = head.get(line).map_or("", String::as_str);
                text.push_str(&align_right(head, widths[at]));
            }
            push_line(out, text.trim_end());
        }
        for row in &self.rows {
            match row {
                GridRow::Cells(name, cells) => {
                    let mut names = self.name_lines(name, name_width).into_iter();
                    let mut text = align_left(&names.next().unwrap_or_default(), name_width);
                    for at in columns.clone() {
                        let cell = cells.get(at).map_or("", String::as_str);
                        text.push_str(&align_right(cell, widths[at]));
                    }
                    push_line(out, text.trim_end());
                    names.for_each(|line| push_line(out, &line));
                }
                // What concerns the whole row stands in the first block.
                GridRow::Reason(..) | GridRow::Note(_) if columns.start > 0 => {}
                GridRow::Reason(name, why) => push_name_and_text(out, name, why, name_width, width),
                GridRow::Note(text) => {
                    for line in wrap_text(text, width.saturating_sub(INDENT)) {
                        push_line(out, &format!("{:INDENT$}{line}", ""));
                    }
                }
            }
        }
    }
}

fn align_left(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

fn align_right(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(text.width())))
}

/// Escapes the characters that LaTeX reads as commands.
fn escape_latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '\\' => out.push_str("\\textbackslash{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '×' => out.push_str("$\\times$"),
            '−' => out.push_str("$-$"),
            '…' => out.push_str("\\ldots{}"),
            c => out.push(c),
        }
    }
    out
}

/// Writes records as CSV that a spreadsheet can open.
pub(crate) fn csv_text(
    records: impl IntoIterator<Item = Vec<String>>,
) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.write_record(record.into_iter().map(defuse_cell))?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))?;
    // Only strings were written, so nothing is replaced.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
