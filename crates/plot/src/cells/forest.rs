//! Forest of differences: a line for each interval with a sign at the difference, and a line down at zero. Pure.

use elenchus_metrics::{Unit, format_value};
use elenchus_text::{Paragraph, Role};

use super::{PlotGlyphs, clean_label, column_of, fit_label, label_columns, place_ticks};
use crate::axis::Axis;
use crate::picture::{Forest, ForestRow, PlottedValue};

/// Most columns of labels.
const MAX_LABEL: usize = 28;
/// Columns of a difference, its interval and its p-value behind the line.
const VALUE_COLUMNS: usize = 9;
/// Columns of a number below the right end.
const TICK_COLUMNS: usize = 6;
const INTERVAL_COLUMNS: usize = 17;
const P_COLUMNS: usize = 10;

/// Axis of differences in a number of columns, for rows that stand in a table of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct ForestAxis {
    axis: Axis,
    columns: usize,
}

impl ForestAxis {
    /// Chooses an axis around differences, with zero on it.
    pub fn around<'a>(
        values: impl Iterator<Item = &'a PlottedValue>,
        unit: Unit,
        columns: usize,
    ) -> Self {
        Self {
            axis: Axis::around(values.map(PlottedValue::range), unit),
            columns: columns.max(2),
        }
    }

    /// Draws a difference, or the line at zero alone where there is none.
    pub fn draw_row(&self, value: Option<&PlottedValue>, glyphs: PlotGlyphs) -> String {
        let [line, sign, zero] = glyphs.forest_signs();
        let room = self.columns - 1;
        let column = |value: f64| column_of(self.axis.position(value), room);
        let mut cells = vec![' '; self.columns];
        if let Some([low, high]) = value.and_then(|value| value.interval) {
            cells[column(low)..=column(high).max(column(low))].fill(line);
        }
        cells[column(0.0)] = zero;
        if let Some(value) = value {
            cells[column(value.value)] = sign;
        }
        cells.into_iter().collect()
    }

    /// Writes the numbers below the rows.
    pub fn draw_ticks(&self) -> String {
        // A number at the right end goes on below what stands behind the row.
        place_ticks(&self.axis, self.columns - 1, self.columns + TICK_COLUMNS)
    }
}

pub(super) fn draw_forest(
    forest: &Forest,
    unit: Unit,
    columns: usize,
    glyphs: PlotGlyphs,
) -> Vec<Paragraph> {
    let labels = label_columns(forest.rows.iter().map(|row| row.label.as_str()), MAX_LABEL);
    let numbers = VALUE_COLUMNS + INTERVAL_COLUMNS + P_COLUMNS;
    let room = columns.saturating_sub(labels + numbers + 2).max(8);
    let values = forest.rows.iter().filter_map(|row| row.value.as_ref());
    let axis = ForestAxis::around(values, unit, room);
    let mut page = vec![
        Paragraph::gap(),
        Paragraph::new(Role::Strong, clean_label(&forest.heading)),
    ];
    let rows = forest.rows.iter();
    page.extend(rows.map(|row| draw_row(row, &axis, unit, labels, glyphs)));
    page.push(Paragraph::new(
        Role::Muted,
        format!("{}  {}", " ".repeat(labels), axis.draw_ticks()),
    ));
    page
}

fn draw_row(
    row: &ForestRow,
    axis: &ForestAxis,
    unit: Unit,
    labels: usize,
    glyphs: PlotGlyphs,
) -> Paragraph {
    let label = Paragraph::new(Role::Text, format!("{}  ", fit_label(&row.label, labels)));
    let Some(value) = &row.value else {
        let why = row.note.as_deref().unwrap_or("no value");
        return label.with_run(Role::Muted, clean_label(why));
    };
    let difference = format_value(value.value, unit);
    let interval = value.interval.map_or_else(String::new, |[low, high]| {
        format!(
            "{} to {}",
            plain_number(low, unit),
            plain_number(high, unit)
        )
    });
    let p = row.p_value.as_deref().map(|p| format!("p {p}"));
    label
        .with_run(Role::Accent, axis.draw_row(Some(value), glyphs))
        .with_run(Role::Text, format!("{difference:>VALUE_COLUMNS$}"))
        .with_run(Role::Muted, format!("{interval:>INTERVAL_COLUMNS$}"))
        .with_run(
            Role::Muted,
            format!("{:>P_COLUMNS$}", p.unwrap_or_default()),
        )
}

/// Returns a number without its unit, where that follows it.
fn plain_number(value: f64, unit: Unit) -> String {
    format_value(value, unit).trim_end_matches(" %").to_owned()
}
