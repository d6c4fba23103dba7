//! Bars with intervals: a bar to the lower limit, a line to the upper one, and a sign at the value. Pure.

use elenchus_metrics::{Unit, format_value};
use elenchus_text::{Paragraph, Role};
use unicode_width::UnicodeWidthStr;

use super::{PlotGlyphs, clean_label, column_of, fit_label, label_columns, place_ticks};
use crate::axis::Axis;
use crate::picture::{BarFill, BarGroup, BarRow, PlottedValue};

/// Most columns of labels.
const MAX_LABEL: usize = 28;
/// Fewest: a short title stands above them.
const MIN_LABEL: usize = 12;
/// Columns of a value and its number of observations behind the bar.
const VALUE_COLUMNS: usize = 8;
const COUNT_COLUMNS: usize = 9;

/// Bars under one heading, drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnGroup {
    pub heading: Vec<Paragraph>,
    /// One line a bar, in the order of the group's rows.
    pub rows: Vec<Paragraph>,
}

/// Draws groups of bars over one axis, so that whoever shows them can put something between the lines.
pub fn draw_bar_groups(
    groups: &[BarGroup],
    unit: Unit,
    columns: usize,
    glyphs: PlotGlyphs,
) -> Vec<DrawnGroup> {
    let rows = || groups.iter().flat_map(|group| &group.rows);
    let ranges = rows().filter_map(|row| row.value.map(|value| value.range()));
    let axis = Axis::around(ranges, unit);
    let labels = label_columns(rows().map(|row| row.label.as_str()), MAX_LABEL).max(MIN_LABEL);
    let room = columns.saturating_sub(labels + VALUE_COLUMNS + COUNT_COLUMNS + 4);
    let draw_group = |group: &BarGroup| DrawnGroup {
        heading: draw_heading(&group.title, &axis, labels, room),
        rows: group
            .rows
            .iter()
            .map(|row| draw_row(row, &axis, unit, (labels, room), glyphs))
            .collect(),
    };
    groups.iter().map(draw_group).collect()
}

pub(super) fn draw_bars(
    groups: &[BarGroup],
    unit: Unit,
    columns: usize,
    glyphs: PlotGlyphs,
) -> Vec<Paragraph> {
    let mut page = Vec::new();
    for group in draw_bar_groups(groups, unit, columns, glyphs) {
        page.push(Paragraph::gap());
        page.extend(group.heading);
        page.extend(group.rows);
    }
    page
}

/// Writes the title of a group over the labels, and the ticks over the bars; a long title has a line of its own.
fn draw_heading(title: &str, axis: &Axis, labels: usize, room: usize) -> Vec<Paragraph> {
    let ticks = format!("  {}", place_ticks(axis, room, room + VALUE_COLUMNS));
    match title.width() <= labels {
        true => vec![
            Paragraph::new(Role::Strong, fit_label(title, labels)).with_run(Role::Muted, ticks),
        ],
        false => vec![
            Paragraph::new(Role::Strong, clean_label(title)),
            Paragraph::new(Role::Muted, format!("{}{ticks}", " ".repeat(labels))),
        ],
    }
}

fn draw_row(
    row: &BarRow,
    axis: &Axis,
    unit: Unit,
    (labels, room): (usize, usize),
    glyphs: PlotGlyphs,
) -> Paragraph {
    let label = Paragraph::new(Role::Text, format!("{}  ", fit_label(&row.label, labels)));
    let Some(value) = row.value else {
        let why = row.note.as_deref().unwrap_or("no value");
        return label.with_run(Role::Muted, clean_label(why));
    };
    let bar = draw_bar(&value, row.fill, axis, room, glyphs);
    let text = format_value(value.value, unit);
    label
        .with_run(Role::Accent, bar)
        .with_run(Role::Text, format!("{text:>VALUE_COLUMNS$}"))
        .with_run(
            Role::Muted,
            format!("{:>COUNT_COLUMNS$}", format!("n {}", value.observations)),
        )
}

fn draw_bar(
    value: &PlottedValue,
    fill: BarFill,
    axis: &Axis,
    room: usize,
    glyphs: PlotGlyphs,
) -> String {
    let [filled, line, low_end, high_end, sign] = glyphs.bar_signs(fill);
    let mut cells: Vec<char> = vec![' '; room + 1];
    let zero = column_of(axis.position(0.0), room);
    let at = column_of(axis.position(value.value), room);
    for cell in &mut cells[zero.min(at)..=zero.max(at)] {
        *cell = filled;
    }
    if let Some([low, high]) = value.interval {
        let (low, high) = (
            column_of(axis.position(low), room),
            column_of(axis.position(high), room),
        );
        for cell in &mut cells[low..=high.max(low)] {
            *cell = line;
        }
        cells[low] = low_end;
        cells[high.max(low)] = high_end;
    }
    cells[at] = sign;
    cells.into_iter().collect()
}
