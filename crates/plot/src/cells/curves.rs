//! Curves: lines between points, intervals as upright lines, and a sign of its own for each curve. Pure.

use elenchus_metrics::{Unit, format_value};
use elenchus_text::{Paragraph, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Line};

use super::{PlotGlyphs, clean_label};
use crate::axis::Axis;
use crate::picture::CurveChart;

/// Rows of the field that curves are drawn in.
const ROWS: u16 = 12;
/// Columns of the numbers beside it.
const TICK_COLUMNS: usize = 8;
/// Columns that are free at both ends, so that the outermost points stand inside.
const MARGIN: f64 = 0.06;
/// Distance of two curves at a point.
const APART: f64 = 0.02;

pub(super) fn draw_curves(
    chart: &CurveChart,
    unit: Unit,
    columns: usize,
    glyphs: PlotGlyphs,
) -> Vec<Paragraph> {
    let points = chart.curves.iter().flat_map(|curve| {
        let runs = curve.runs.iter().flat_map(|run| &run.points);
        curve.points.iter().chain(runs).flatten()
    });
    let axis = Axis::around(points.map(|point| point.range()), unit);
    let width = u16::try_from(columns.saturating_sub(TICK_COLUMNS + 2)).unwrap_or(u16::MAX);
    let field = draw_field(chart, &axis, width, glyphs);
    let mut page = vec![Paragraph::gap()];
    page.extend(field.into_iter().enumerate().map(|(row, line)| {
        let tick = tick_at(&axis, row).unwrap_or_default();
        let edge = match glyphs {
            PlotGlyphs::Unicode => '│',
            PlotGlyphs::Ascii => '|',
        };
        Paragraph::new(Role::Muted, format!("{tick:>TICK_COLUMNS$} {edge}"))
            .with_run(Role::Accent, line.trim_end().to_owned())
    }));
    page.push(Paragraph::new(
        Role::Muted,
        x_labels_line(chart, usize::from(width)),
    ));
    let signs = glyphs.curve_signs();
    for (curve, sign) in chart.curves.iter().zip(signs.iter().cycle()) {
        let name = match curve.name.as_str() {
            "" => "all debates".to_owned(),
            name => clean_label(name),
        };
        let values = curve.points.iter().map(|point| match point {
            Some(point) => format_value(point.value, unit),
            None => "-".to_owned(),
        });
        let values: Vec<String> = values.collect();
        page.push(
            Paragraph::new(Role::Accent, format!("{sign} "))
                .with_run(Role::Text, format!("{name}: "))
                .with_run(Role::Muted, values.join("  "))
                .with_indent(2, 4),
        );
    }
    page.push(Paragraph::new(
        Role::Muted,
        format!("over {}", chart.x_title),
    ));
    page
}

/// Returns the rows of the field, from above.
fn draw_field(chart: &CurveChart, axis: &Axis, width: u16, glyphs: PlotGlyphs) -> Vec<String> {
    let area = Rect::new(0, 0, width, ROWS);
    let mut buffer = Buffer::empty(area);
    let marker = match glyphs {
        PlotGlyphs::Unicode => Marker::Braille,
        PlotGlyphs::Ascii => Marker::Dot,
    };
    // Curves stand a little apart, so that upright lines do not cover each other.
    let middle = (chart.curves.len().saturating_sub(1)) as f64 / 2.0;
    let x_of = |curve: usize, at: usize| {
        x_position(at, chart.x_labels.len()) + (curve as f64 - middle) * APART
    };
    Canvas::default()
        .marker(marker)
        .x_bounds([0.0, 1.0])
        .y_bounds([0.0, 1.0])
        .paint(|context| {
            for run in chart.curves.iter().flat_map(|curve| &curve.runs) {
                let points = run.points.iter().enumerate();
                let places = points.map(|(at, point)| {
                    let x = x_position(at, chart.x_labels.len());
                    point.as_ref().map(|point| (x, axis.position(point.value)))
                });
                let places: Vec<Option<(f64, f64)>> = places.collect();
                for pair in places.windows(2) {
                    if let [Some((x1, y1)), Some((x2, y2))] = pair {
                        context.draw(&Line::new(*x1, *y1, *x2, *y2, Default::default()));
                    }
                }
            }
            for (number, curve) in chart.curves.iter().enumerate() {
                let mut before: Option<(f64, f64)> = None;
                for (at, point) in curve.points.iter().enumerate() {
                    let Some(point) = point else {
                        before = None;
                        continue;
                    };
                    let here = (x_of(number, at), axis.position(point.value));
                    if let Some((x, y)) = before {
                        context.draw(&Line::new(x, y, here.0, here.1, Default::default()));
                    }
                    if let Some([low, high]) = point.interval {
                        let (low, high) = (axis.position(low), axis.position(high));
                        context.draw(&Line::new(here.0, low, here.0, high, Default::default()));
                    }
                    before = Some(here);
                }
            }
        })
        .render(area, &mut buffer);
    let mut rows: Vec<Vec<char>> = (0..ROWS)
        .map(|y| {
            let cells = (0..width).map(|x| buffer[(x, y)].symbol().chars().next().unwrap_or(' '));
            cells.map(|sign| plain_sign(sign, glyphs)).collect()
        })
        .collect();
    let signs = glyphs.curve_signs();
    for (number, (curve, sign)) in chart.curves.iter().zip(signs.iter().cycle()).enumerate() {
        for (at, point) in curve.points.iter().enumerate() {
            let Some(point) = point else { continue };
            let column = cell_of(x_of(number, at), width);
            let row = usize::from(ROWS) - 1 - cell_of(axis.position(point.value), ROWS);
            if let Some(cell) = rows.get_mut(row).and_then(|row| row.get_mut(column)) {
                *cell = *sign;
            }
        }
    }
    rows.into_iter()
        .map(|row| row.into_iter().collect())
        .collect()
}

/// Returns a sign of the field as it is shown: a dot in ASCII; an empty cell of braille is a blank.
fn plain_sign(sign: char, glyphs: PlotGlyphs) -> char {
    match (sign, glyphs) {
        (' ' | '\u{2800}', _) => ' ',
        (sign, PlotGlyphs::Unicode) => sign,
        (_, PlotGlyphs::Ascii) => '.',
    }
}

fn x_position(at: usize, count: usize) -> f64 {
    match count {
        0 | 1 => 0.5,
        _ => MARGIN + (1.0 - 2.0 * MARGIN) * at as f64 / (count - 1) as f64,
    }
}

/// Returns the cell of a position between 0 and 1.
fn cell_of(position: f64, cells: u16) -> usize {
    let last = usize::from(cells.saturating_sub(1));
    // Rounded and at least 0, it is a cell.
    ((position.max(0.0) * last as f64).round() as usize).min(last)
}

fn tick_at(axis: &Axis, row: usize) -> Option<String> {
    let mut ticks = axis.ticks.iter();
    let tick =
        ticks.find(|tick| usize::from(ROWS) - 1 - cell_of(axis.position(**tick), ROWS) == row);
    tick.map(|tick| axis.tick_text(*tick))
}

/// Returns the names of the points under the field, as many as there is room for.
fn x_labels_line(chart: &CurveChart, width: usize) -> String {
    let mut line = " ".repeat(TICK_COLUMNS + 2);
    let count = chart.x_labels.len();
    let room = width.checked_div(count.max(1)).unwrap_or(width).max(2);
    let mut column = 0;
    for (at, label) in chart.x_labels.iter().enumerate() {
        let center = cell_of(
            x_position(at, count),
            u16::try_from(width).unwrap_or(u16::MAX),
        );
        let label = elenchus_text::cut_to_width(&clean_label(label), room.saturating_sub(1).max(1));
        let start = center.saturating_sub(label.chars().count() / 2);
        if start < column {
            continue;
        }
        line.push_str(&" ".repeat(start - column));
        column = start + elenchus_text::display_width(&label);
        line.push_str(&label);
    }
    line
}
