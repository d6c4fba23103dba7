//! Forest of differences as SVG: lines of intervals with a mark at the difference, and a line at zero. Pure.

use elenchus_metrics::{Unit, format_value};

use super::writer::SvgWriter;
use super::{LINE, MARGIN, SERIES, WIDTH, describe_value};
use crate::axis::Axis;
use crate::picture::{Forest, ForestRow, PlottedValue};

/// Radius of a value.
const DOT: f64 = 4.0;
const LABEL_WIDTH: f64 = 220.0;
const VALUE_WIDTH: f64 = 190.0;
/// Characters of a label before it is cut.
const LABEL_CHARACTERS: usize = 26;

/// Writes a forest from `y` on, and returns where it ends.
pub(super) fn write_forest(svg: &mut SvgWriter, forest: &Forest, unit: Unit, mut y: f64) -> f64 {
    let values = forest.rows.iter().filter_map(|row| row.value.as_ref());
    let axis = Axis::around(values.map(PlottedValue::range), unit);
    let left = MARGIN + LABEL_WIDTH;
    let right = WIDTH - MARGIN - VALUE_WIDTH;
    let x_of = |value: f64| left + axis.position(value) * (right - left);
    y += LINE;
    svg.add_text(MARGIN, y, "h", &forest.heading);
    let top = y + 6.0;
    for row in &forest.rows {
        y += LINE + 4.0;
        write_row(svg, row, unit, y, &x_of);
    }
    svg.add_line((x_of(0.0), top), (x_of(0.0), y + 6.0), "stroke-width=\"1\"");
    y += LINE;
    for tick in &axis.ticks {
        svg.add_text(x_of(*tick), y, "q m", &axis.tick_text(*tick));
    }
    y + LINE / 2.0
}

fn write_row(svg: &mut SvgWriter, row: &ForestRow, unit: Unit, y: f64, x_of: &impl Fn(f64) -> f64) {
    let label = elenchus_text::cut_to_width(&row.label, LABEL_CHARACTERS);
    svg.add_text(MARGIN + LABEL_WIDTH - 10.0, y, "e", &label);
    let (middle, end) = (y - 5.0, WIDTH - MARGIN);
    let Some(value) = &row.value else {
        let why = row.note.as_deref().unwrap_or("no value");
        svg.add_text(end, y, "q e", why);
        return;
    };
    if let Some([low, high]) = value.interval {
        let ends = ((x_of(low), middle), (x_of(high), middle));
        svg.add_line(ends.0, ends.1, "stroke-width=\"1.5\"");
    }
    let (colour, _) = SERIES[0];
    let name = format!("{}: {}", row.label, describe_value(value, unit));
    svg.add_value_dot(
        (x_of(value.value), middle),
        DOT,
        &format!("fill=\"{colour}\""),
        value,
        &name,
    );
    let p = row.p_value.as_ref().map(|p| format!("  p {p}"));
    let text = format_value(value.value, unit) + &p.unwrap_or_default();
    svg.add_text(end, y, "e", &text);
}
