//! Report as a text table. Pure.
//!
//! Names of topics, seats and categories come from files: their control characters and
//! bidirectional overrides are made visible instead of being sent to the terminal.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::figure::{
    Alarm, Dimension, Figure, FigureKey, IntervalSubject, Measure, Report, ReportSection, Unit,
};
use super::grid::{Grid, GridRow, NameWidth};
use super::text_layout::{
    debates_title, escape_hidden, format_count, format_number, format_value, push_paragraph,
};
use crate::sections::counting::{FEW_TOPICS, NO_INTERVAL};
use crate::statistics::interval::MIN_TOPICS_FOR_INTERVAL;

/// Least width of a table.
pub const MIN_TABLE_WIDTH: usize = 60;

const VALUE: usize = 11;
const INTERVAL: usize = 19;
const OBSERVATIONS: usize = 8;
const TOPICS: usize = 7;

/// Renders a report as text of at most `width` columns ([`MIN_TABLE_WIDTH`] where that is more),
/// with footnotes under each section. Characters are counted as one column each.
pub fn to_table(report: &Report, width: usize) -> String {
    let width = width.max(MIN_TABLE_WIDTH);
    if report.sections.is_empty() {
        return "no debates to measure\n".to_owned();
    }
    let sections: Vec<String> = report
        .sections
        .iter()
        .map(|section| section_table(section, width))
        .collect();
    sections.join("\n")
}

fn section_table(section: &ReportSection, width: usize) -> String {
    let mut out = String::new();
    push_paragraph(&mut out, &section_title(section), width);
    let common_notes = shared_notes(section);
    for note in section.notes.iter().chain(&common_notes) {
        push_paragraph(&mut out, &format!("! {}", escape_hidden(note)), width);
    }
    out.push('\n');
    let mut footnotes = Footnotes::default();
    let mut grid = Grid::new("figure", NameWidth::Rest)
        .with_column("value", VALUE)
        .with_column(interval_head(section), INTERVAL)
        .with_column("n", OBSERVATIONS)
        .with_column("topics", TOPICS);
    for figure in &section.figures {
        figure_rows(&mut grid, figure, &common_notes, &mut footnotes);
    }
    out.push_str(&grid.to_text(width));
    footnotes.write(&mut out, width);
    out
}

/// Heads intervals by what they speak of.
fn interval_head(section: &ReportSection) -> &'static str {
    let mut subjects = section
        .figures
        .iter()
        .filter_map(|figure| figure.interval_of);
    match subjects.next() {
        None => "95 % interval",
        Some(IntervalSubject::ThisMemory) => "95 % this memory",
        Some(IntervalSubject::LearningRuns) => "95 % of the runs",
    }
}

/// Heads a table with intervals in brackets by what those of these figures speak of.
pub fn intervals_in_brackets<'a>(figures: impl Iterator<Item = &'a Figure>) -> String {
    let subjects: BTreeSet<Option<IntervalSubject>> = figures
        .filter(|figure| figure.interval.is_some())
        .map(|figure| figure.interval_of)
        .collect();
    let subject_names: Vec<&str> = subjects
        .iter()
        .flatten()
        .map(|subject| match subject {
            IntervalSubject::ThisMemory => "of this memory",
            IntervalSubject::LearningRuns => "of the runs",
        })
        .collect();
    let subject_text = subject_names.join(" or ");
    match (subject_text.is_empty(), subjects.contains(&None)) {
        (true, _) => "95 % intervals in brackets".to_owned(),
        (false, false) => format!("95 % intervals {subject_text} in brackets"),
        (false, true) => format!("95 % intervals in brackets, {subject_text} where debates learn"),
    }
}

fn section_title(section: &ReportSection) -> String {
    let mut title = debates_title(section.simulated, section.hash_check);
    for FigureKey { by, value } in &section.group {
        let _ = write!(title, ", {} {}", by.label(), escape_hidden(value));
    }
    let _ = write!(
        title,
        ": {} over {}",
        format_count(section.debates, "debate"),
        format_count(section.topics, "topic")
    );
    title
}

/// Returns the notes of all figures that have or could have an interval; they are shown once, at
/// the top.
pub(crate) fn shared_notes(section: &ReportSection) -> Vec<String> {
    let estimates = section.figures.iter().filter(|figure| {
        let has_explanation = || {
            figure
                .notes
                .iter()
                .any(|note| note.starts_with(NO_INTERVAL))
        };
        figure.value.is_some() && (figure.interval.is_some() || has_explanation())
    });
    let estimates: Vec<&Figure> = estimates.collect();
    // A figure with too few topics for an interval need not share the others' notes.
    let too_few = |figure: &&&Figure| figure.topics < MIN_TOPICS_FOR_INTERVAL;
    let mut sharing = estimates
        .iter()
        .filter(|figure| !too_few(figure))
        .peekable();
    let mut all = estimates.iter();
    let sharing: &mut dyn Iterator<Item = &&Figure> = match sharing.peek() {
        Some(_) => &mut sharing,
        None => &mut all,
    };
    let Some(first) = sharing.next() else {
        return Vec::new();
    };
    let mut common_notes = first.notes.clone();
    for figure in sharing {
        common_notes.retain(|note| figure.notes.contains(note));
    }
    common_notes
}

/// Notes in the order of their first mark.
#[derive(Default)]
pub(crate) struct Footnotes(Vec<String>);

impl Footnotes {
    /// Returns a name with the marks of its notes that not all figures share.
    pub(crate) fn mark_name(
        &mut self,
        name: String,
        notes: &[String],
        shared: &[String],
    ) -> String {
        let own = notes.iter().filter(|note| !shared.contains(note));
        let marks: Vec<String> = own.map(|note| self.mark_of(note).to_string()).collect();
        match marks.is_empty() {
            true => name,
            false => format!("{name} [{}]", marks.join(",")),
        }
    }

    /// Writes the notes with their marks.
    pub(crate) fn write(&self, out: &mut String, width: usize) {
        if !self.0.is_empty() {
            out.push('\n');
        }
        for (index, note) in self.0.iter().enumerate() {
            push_paragraph(
                out,
                &format!("[{}] {}", index + 1, escape_hidden(note)),
                width,
            );
        }
    }

    fn mark_of(&mut self, note: &str) -> usize {
        let position = self.0.iter().position(|known| known == note);
        position.unwrap_or_else(|| {
            self.0.push(note.to_owned());
            self.0.len() - 1
        }) + 1
    }
}

fn figure_rows(grid: &mut Grid, figure: &Figure, shared: &[String], footnotes: &mut Footnotes) {
    let name = figure_name(figure);
    let Some(value) = figure.value else {
        let reason = figure.not_applicable.as_deref().unwrap_or("no value");
        // A missing cost exists but is unknown.
        let absent = if figure.unit == Unit::Usd { "?" } else { "n/a" };
        let why = format!("{absent} ({})", escape_hidden(reason));
        grid.rows.push(GridRow::Reason(name, why));
        grid.rows.extend(left_out_text(figure).map(GridRow::Note));
        return;
    };
    let name = footnotes.mark_name(name, &figure.notes, shared);
    let interval = figure.interval.map(|interval| {
        let low = format_number(interval.low, figure.unit);
        let high = format_number(interval.high, figure.unit);
        format!("{low} to {high}")
    });
    grid.add_row(
        name,
        vec![
            format_value(value, figure.unit),
            interval.unwrap_or_default(),
            figure.observations.to_string(),
            figure.topics.to_string(),
        ],
    );
    grid.rows.extend(alert_text(figure).map(GridRow::Note));
    grid.rows.extend(left_out_text(figure).map(GridRow::Note));
}

/// Returns the figure's name: its title from the protocol, else the measure's name; then the part
/// of the section that it covers.
pub fn figure_name(figure: &Figure) -> String {
    let mut name = match &figure.title {
        Some(title) => escape_hidden(title),
        None => figure.measure.label().to_owned(),
    };
    for key in &figure.keys {
        // A title already contains the names from the protocol.
        if figure.title.is_none() || !Dimension::NAMES.contains(&key.by) {
            let _ = write!(name, ", {} {}", key.by.label(), escape_hidden(&key.value));
        }
    }
    name
}

/// Says the alert bounds of a figure, and whether its value is beyond them.
fn alert_text(figure: &Figure) -> Option<String> {
    let Alarm { bounds, past } = figure.alert?;
    let side = |word: &str, bound: Option<f64>| {
        bound.map(|bound| format!("{word} {}", format_value(bound, figure.unit)))
    };
    let bounds: Vec<String> = [side("below", bounds.below), side("above", bounds.above)]
        .into_iter()
        .flatten()
        .collect();
    let bounds = bounds.join(" or ");
    Some(if past && figure.topics < FEW_TOPICS {
        format!("ALERT: {bounds} (fewer than {FEW_TOPICS} topics)")
    } else if past {
        format!("ALERT: {bounds}")
    } else {
        format!("alert when {bounds}")
    })
}

/// Says what a figure leaves out, and what it would be had that been safe or unsafe, correct or
/// incorrect.
pub fn left_out_text(figure: &Figure) -> Option<String> {
    if figure.left_out.is_empty() {
        return None;
    }
    let reasons: Vec<String> = figure
        .left_out
        .iter()
        .map(|(reason, count)| format!("{count} {}", reason.label()))
        .collect();
    let mut text = format!("left out: {}", reasons.join(", "));
    if let Some(bounds) = figure.bounds {
        let side = |value: Option<f64>| {
            value.map_or_else(
                || "n/a".to_owned(),
                |value| format_value(value, figure.unit),
            )
        };
        let (good, bad) = match figure.measure {
            Measure::AnswerAccuracy => ("correct", "incorrect"),
            _ => ("safe", "unsafe"),
        };
        let _ = write!(
            text,
            "; with them {good} {}, {bad} {}{}",
            side(bounds.if_all_safe),
            side(bounds.if_all_unsafe),
            bounds.limits_text(figure.unit)
        );
    }
    Some(text)
}
