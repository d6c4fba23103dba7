//! Arms × measures as text: the main figures of a report that is divided by arm, an arm a row. Pure.
//!
//! Columns that do not fit into the width follow below, with the same rows.

use std::collections::BTreeMap;

use super::figure::{Dimension, Figure, FigureKey, Measure, Report, ReportSection, Unit};
use super::grid::{Grid, NameWidth};
use super::summary::HEADLINES;
use super::table::{figure_name, intervals_in_brackets, shared_notes};
use super::text_layout::{
    debates_title, escape_hidden, format_number, format_value, push_paragraph,
};

/// Least width of the table.
const MIN_WIDTH: usize = 60;
/// Widest column of names; longer ones go on below.
const MAX_NAME: usize = 28;

/// Measures besides the headlines: what an arm's debates cost.
const USE: [Measure; 3] = [
    Measure::CallsPerDebate,
    Measure::TokensPerDebate,
    Measure::CostPerDebate,
];

/// Shown next to a headline: what it would be by noise alone (FIGURES 3).
const BESIDE: [Measure; 1] = [Measure::AgreementNoiseFloor];

/// A column: a measure, and the part of it that a protocol names.
#[derive(Debug, Clone, PartialEq)]
struct Column {
    measure: Measure,
    keys: Vec<FigureKey>,
    head: String,
    cells: Vec<String>,
}

/// Renders the sections of a report by arm, in the order of `arms`, as text of at most `width` columns
/// ([`MIN_WIDTH`] where that is more). Sections that are never pooled are tables of their own.
pub fn arms_to_table(report: &Report, arms: &[String], width: usize) -> String {
    let width = width.max(MIN_WIDTH);
    let mut tables: BTreeMap<(bool, bool), Vec<&ReportSection>> = BTreeMap::new();
    for section in &report.sections {
        let apart = (section.simulated, section.hash_check);
        tables.entry(apart).or_default().push(section);
    }
    let tables = tables
        .into_iter()
        .map(|((simulated, hash_check), mut sections)| {
            sections.sort_by_key(|section| arms.iter().position(|arm| arm == arm_of(section)));
            let title = debates_title(simulated, hash_check);
            render_arm_table(&title, &sections, width)
        });
    tables.collect::<Vec<_>>().join("\n")
}

fn arm_of(section: &ReportSection) -> &str {
    let key = section.group.iter().find(|key| key.by == Dimension::Arm);
    key.map_or("", |key| key.value.as_str())
}

fn render_arm_table(title: &str, sections: &[&ReportSection], width: usize) -> String {
    let mut out = String::new();
    let intervals = intervals_in_brackets(sections.iter().flat_map(|section| &section.figures));
    push_paragraph(&mut out, &format!("Arms of {title}, {intervals}"), width);
    let mut notes: Vec<String> = Vec::new();
    for section in sections {
        let of_all = |note: &String| sections.iter().all(|other| other.notes.contains(note));
        let own = section.notes.iter().map(|note| match of_all(note) {
            true => note.clone(),
            false => format!("{}: {note}", arm_of(section)),
        });
        for note in own.chain(shared_notes(section)) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    for note in &notes {
        push_paragraph(&mut out, &format!("! {}", escape_hidden(note)), width);
    }
    let mut columns = vec![
        count_column("topics", sections, |section| section.topics),
        count_column("debates", sections, |section| section.debates),
    ];
    columns.extend(measure_columns(sections));
    let mut grid = Grid::new("arm", NameWidth::AtMost(MAX_NAME));
    for column in &columns {
        grid = grid.with_column(&column.head, 0);
    }
    for (row, section) in sections.iter().enumerate() {
        let cells = columns
            .iter()
            .filter_map(|column| column.cells.get(row).cloned());
        grid.add_row(escape_hidden(arm_of(section)), cells.collect());
    }
    out.push('\n');
    out.push_str(&grid.to_text(width));
    let reasons = list_reasons(sections);
    if !reasons.is_empty() {
        out.push('\n');
    }
    for reason in reasons {
        push_paragraph(&mut out, &reason, width);
    }
    out
}

fn count_column(
    head: &str,
    sections: &[&ReportSection],
    count: fn(&ReportSection) -> usize,
) -> Column {
    Column {
        measure: Measure::Calls,
        keys: Vec::new(),
        head: head.to_owned(),
        cells: sections
            .iter()
            .map(|section| count(section).to_string())
            .collect(),
    }
}

/// Says whether a figure is one of the table: about all of a section, or a gauge of its protocol.
fn is_shown(figure: &Figure) -> bool {
    let of_a_protocol = matches!(figure.measure, Measure::GaugeMean | Measure::GaugeShare);
    let lists: [&[Measure]; 3] = [&HEADLINES, &BESIDE, &USE];
    let is_main = lists.iter().any(|list| list.contains(&figure.measure));
    is_main && (figure.keys.is_empty() || of_a_protocol)
}

fn measure_columns(sections: &[&ReportSection]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for figure in sections.iter().flat_map(|section| &section.figures) {
        let has_column = columns.iter().any(|column| is_of(column, figure));
        if is_shown(figure) && !has_column {
            columns.push(Column {
                measure: figure.measure,
                keys: figure.keys.clone(),
                head: figure_name(figure),
                cells: Vec::new(),
            });
        }
    }
    // In the order of a report.
    let place = |measure: Measure| Measure::ALL.iter().position(|known| *known == measure);
    columns.sort_by_key(|column| place(column.measure));
    for column in &mut columns {
        let of_section = |section: &&ReportSection| {
            let section_figure = section.figures.iter().find(|figure| is_of(column, figure));
            // A game without the measure has no such figure.
            section_figure.map_or_else(|| "-".to_owned(), format_cell)
        };
        let cells: Vec<String> = sections.iter().map(of_section).collect();
        column.cells = cells;
    }
    columns
}

fn is_of(column: &Column, figure: &Figure) -> bool {
    column.measure == figure.measure && column.keys == figure.keys
}

/// Returns a figure as a cell of a table: its value, and its interval in brackets.
pub fn format_cell(figure: &Figure) -> String {
    let Some(value) = figure.value else {
        // A missing cost exists but is unknown.
        return if figure.unit == Unit::Usd { "?" } else { "n/a" }.to_owned();
    };
    let interval = figure.interval.map_or_else(String::new, |interval| {
        let (low, high) = (
            format_number(interval.low, figure.unit),
            format_number(interval.high, figure.unit),
        );
        format!(" [{low}, {high}]")
    });
    format_value(value, figure.unit) + &interval
}

/// Says why values are missing, and what the figures leave out.
fn list_reasons(sections: &[&ReportSection]) -> Vec<String> {
    let mut arms_by_reason: Vec<(String, Vec<&str>)> = Vec::new();
    let mut add =
        |text: String, arm| match arms_by_reason.iter_mut().find(|(known, _)| *known == text) {
            Some((_, arms)) => arms.push(arm),
            None => arms_by_reason.push((text, vec![arm])),
        };
    for section in sections {
        for figure in section.figures.iter().filter(|figure| is_shown(figure)) {
            if let Some(why) = &figure.not_applicable {
                add(
                    format!("{}: n/a ({})", figure_name(figure), escape_hidden(why)),
                    arm_of(section),
                );
            }
            if !figure.left_out.is_empty() {
                let reasons = figure.left_out.iter();
                let reasons: Vec<String> = reasons
                    .map(|(why, count)| format!("{count} {}", why.label()))
                    .collect();
                let text = format!("{}: left out {}", figure_name(figure), reasons.join(", "));
                add(text, arm_of(section));
            }
        }
    }
    let all = sections.len();
    let lines = arms_by_reason
        .into_iter()
        .map(|(text, arms)| match arms.len() == all && all > 1 {
            true => format!("{text}; in every arm"),
            false => format!("{text}; {}", escape_hidden(&arms.join(", "))),
        });
    lines.collect()
}
