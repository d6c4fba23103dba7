//! Pivots: groups in rows and columns, a measure or several in the cells. Pure.

use std::collections::BTreeMap;

use super::arm_table::format_cell;
use super::figure::{Dimension, Figure, FigureKey, Measure, Report, ReportSection};
use super::grid::{Grid, NameWidth};
use super::table::{intervals_in_brackets, shared_notes};
use super::text_layout::{debates_title, escape_hidden, push_paragraph};
use crate::comparison::groups::group_name;

/// Widest name of a row as text.
const MAX_NAME: usize = 36;

/// Value of a dimension that stands for all of its values.
const ALL: &str = "all";

/// What stands where in a pivot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PivotShape {
    pub rows: Vec<Dimension>,
    pub columns: Vec<Dimension>,
    /// Columns of their own where there are several.
    pub measures: Vec<Measure>,
}

/// One pivot; simulated and real debates, and topics that need a comparison of hashes, have their own.
#[derive(Debug, Clone, PartialEq)]
pub struct Pivot {
    pub title: String,
    pub notes: Vec<String>,
    grid: Grid,
}

/// How a pivot is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// Within this many columns.
    Text(usize),
    Markdown,
    Latex,
}

impl Pivot {
    /// Writes it, its title and its notes first.
    pub fn render(&self, format: TableFormat) -> String {
        let notes = self.notes.iter();
        match format {
            TableFormat::Text(width) => {
                let mut out = String::new();
                push_paragraph(&mut out, &self.title, width);
                notes.for_each(|note| push_paragraph(&mut out, &format!("! {note}"), width));
                out + "\n" + &self.grid.to_text(width)
            }
            TableFormat::Markdown => {
                let notes: String = notes.map(|note| format!("- {note}\n")).collect();
                format!("**{}**\n\n{}\n{notes}", self.title, self.grid.to_markdown())
            }
            TableFormat::Latex => {
                let notes: String = notes.map(|note| format!("% {note}\n")).collect();
                format!("% {}\n{notes}{}", self.title, self.grid.to_latex())
            }
        }
    }
}

/// Lays a report out that is divided by all dimensions of the shape.
pub fn build_pivots(report: &Report, shape: &PivotShape) -> Vec<Pivot> {
    let mut kinds: BTreeMap<(bool, bool), Vec<&ReportSection>> = BTreeMap::new();
    for section in &report.sections {
        let kind = (section.simulated, section.hash_check);
        kinds.entry(kind).or_default().push(section);
    }
    let pivots = kinds
        .into_iter()
        .map(|((simulated, hash_check), sections)| {
            let measures = shape.measures.iter().map(|measure| measure.label());
            let measures: Vec<&str> = measures.collect();
            let (sections, left_out) = with_figures(sections, shape);
            let figures = sections.iter().flat_map(|section| {
                let measures = shape.measures.iter();
                measures.filter_map(|measure| find_figure(section, *measure))
            });
            Pivot {
                title: format!(
                    "{} of {}, {}",
                    measures.join(", "),
                    debates_title(simulated, hash_check),
                    intervals_in_brackets(figures)
                ),
                notes: collect_section_notes(&sections)
                    .into_iter()
                    .chain(left_out)
                    .collect(),
                grid: build_grid(&sections, shape),
            }
        });
    pivots.collect()
}

/// Adds to each group of a report the same without its division by a dimension, as its value `all`, before the
/// others. `totals` is the report that is not divided by it.
pub fn with_totals(report: Report, totals: Report, by: Dimension) -> Report {
    let other_keys = |section: &ReportSection| -> Vec<FigureKey> {
        let keys = section.group.iter();
        keys.filter(|key| key.by != by).cloned().collect()
    };
    let kind = |section: &ReportSection| (section.simulated, section.hash_check);
    let mut totals: Vec<Option<ReportSection>> = totals.sections.into_iter().map(Some).collect();
    let mut sections = Vec::new();
    for section in report.sections {
        let whole = totals.iter_mut().find(|total| {
            total.as_ref().is_some_and(|total| {
                kind(total) == kind(&section) && total.group == other_keys(&section)
            })
        });
        if let Some(mut whole) = whole.and_then(Option::take) {
            whole.group.push(FigureKey {
                by,
                value: ALL.to_owned(),
            });
            sections.push(whole);
        }
        sections.push(section);
    }
    Report { sections }
}

/// Keeps the sections that have a figure of the shape's measures, and says which rows and columns are gone with
/// the others, such as a model that only asked questions; keeps all where none has one.
fn with_figures<'a>(
    sections: Vec<&'a ReportSection>,
    shape: &PivotShape,
) -> (Vec<&'a ReportSection>, Option<String>) {
    let has_figure = |section: &&ReportSection| {
        let mut measures = shape.measures.iter();
        measures.any(|measure| find_figure(section, *measure).is_some())
    };
    let (kept, bare): (Vec<_>, Vec<_>) = sections.into_iter().partition(has_figure);
    if kept.is_empty() {
        return (bare, None);
    }
    let mut left_out_names = Vec::new();
    for dimensions in [&shape.rows, &shape.columns] {
        let kept_keys = list_combinations(&kept, dimensions);
        let others = list_combinations(&bare, dimensions);
        let others = others.iter().filter(|keys| !kept_keys.contains(keys));
        left_out_names.extend(others.map(|keys| escape_hidden(&group_name(keys))));
    }
    let note = format!(
        "left out, without any of these figures: {}",
        left_out_names.join("; ")
    );
    (kept, (!left_out_names.is_empty()).then_some(note))
}

/// Returns the figure of a whole section by a measure.
fn find_figure(section: &ReportSection, measure: Measure) -> Option<&Figure> {
    let mut figures = section.figures.iter();
    figures.find(|figure| figure.measure == measure && figure.keys.is_empty())
}

fn collect_section_notes(sections: &[&ReportSection]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for section in sections {
        for note in section.notes.iter().cloned().chain(shared_notes(section)) {
            let note = escape_hidden(&note);
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}

fn select_keys(section: &ReportSection, dimensions: &[Dimension]) -> Vec<FigureKey> {
    let part = dimensions.iter().filter_map(|by| {
        let mut keys = section.group.iter();
        keys.find(|key| key.by == *by).cloned()
    });
    part.collect()
}

/// Returns each combination of values once, in the order of the report.
fn list_combinations(sections: &[&ReportSection], dimensions: &[Dimension]) -> Vec<Vec<FigureKey>> {
    let mut distinct_keys: Vec<Vec<FigureKey>> = Vec::new();
    for section in sections {
        let keys = select_keys(section, dimensions);
        if !distinct_keys.contains(&keys) {
            distinct_keys.push(keys);
        }
    }
    distinct_keys
}

fn build_grid(sections: &[&ReportSection], shape: &PivotShape) -> Grid {
    let labels = shape.rows.iter().map(|by| by.label());
    let labels: Vec<&str> = labels.collect();
    let mut grid = Grid::new(&labels.join(", "), NameWidth::AtMost(MAX_NAME));
    let columns = list_combinations(sections, &shape.columns);
    for column in &columns {
        for measure in &shape.measures {
            let name = escape_hidden(&group_name(column));
            let head = match (name.is_empty(), shape.measures.len()) {
                (true, _) => measure.label().to_owned(),
                (false, 1) => name,
                (false, _) => format!("{name}: {}", measure.label()),
            };
            grid = grid.with_column(head, 0);
        }
    }
    for row in list_combinations(sections, &shape.rows) {
        let mut cells = Vec::new();
        for column in &columns {
            let mut all = sections.iter();
            let section = all.find(|section| {
                select_keys(section, &shape.rows) == row
                    && select_keys(section, &shape.columns) == *column
            });
            for measure in &shape.measures {
                let figure = section.and_then(|section| find_figure(section, *measure));
                // Nothing was played there, or a game without the measure was.
                cells.push(figure.map_or_else(|| "-".to_owned(), format_cell));
            }
        }
        grid.add_row(escape_hidden(&group_name(&row)), cells);
    }
    grid
}
