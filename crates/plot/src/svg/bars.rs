//! Bars with intervals. Pure.

use elenchus_metrics::{Unit, format_value};

use super::writer::SvgWriter;
use super::{LINE, MARGIN, SERIES, WIDTH, describe_value};
use crate::axis::Axis;
use crate::picture::{BarFill, BarGroup, BarRow};

/// Room for labels, at least and at most: those of several dimensions are long, and bars are to be seen.
const LABEL_WIDTHS: [f64; 2] = [220.0, 380.0];
/// Room for a character of a label.
const CHARACTER_WIDTH: f64 = 7.5;
const VALUE_WIDTH: f64 = 130.0;
const BAR_HEIGHT: f64 = 10.0;

/// Writes groups of bars from `y` on, and returns where they end.
pub(super) fn write_bars(svg: &mut SvgWriter, groups: &[BarGroup], unit: Unit, mut y: f64) -> f64 {
    let rows = groups.iter().flat_map(|group| &group.rows);
    let axis = Axis::around(
        rows.filter_map(|row| row.value.map(|value| value.range())),
        unit,
    );
    let label_width = choose_label_width(groups);
    let left = MARGIN + label_width;
    let right = WIDTH - MARGIN - VALUE_WIDTH;
    let x_of = |value: f64| left + axis.position(value) * (right - left);
    for group in groups {
        y += LINE;
        svg.add_text(MARGIN, y, "h", &group.title);
        y += LINE;
        for tick in &axis.ticks {
            svg.add_text(x_of(*tick), y, "q m", &axis.tick_text(*tick));
        }
        let top = y + 6.0;
        for row in &group.rows {
            y += LINE + 4.0;
            write_row(svg, row, label_width, unit, y, &x_of);
        }
        for tick in &axis.ticks {
            svg.add_line(
                (x_of(*tick), top),
                (x_of(*tick), y + 6.0),
                "stroke-opacity=\".15\"",
            );
        }
        y += LINE / 2.0;
    }
    y
}

/// Returns the room that the longest label takes.
fn choose_label_width(groups: &[BarGroup]) -> f64 {
    let rows = groups.iter().flat_map(|group| &group.rows);
    let widths = rows.map(|row| elenchus_text::display_width(&row.label));
    let [least, most] = LABEL_WIDTHS;
    (widths.max().unwrap_or(0) as f64 * CHARACTER_WIDTH + 10.0).clamp(least, most)
}

fn write_row(
    svg: &mut SvgWriter,
    row: &BarRow,
    label_width: f64,
    unit: Unit,
    y: f64,
    x_of: &impl Fn(f64) -> f64,
) {
    let characters = ((label_width - 10.0) / CHARACTER_WIDTH) as usize;
    let label = elenchus_text::cut_to_width(&row.label, characters);
    svg.add_text(MARGIN + label_width - 10.0, y, "e", &label);
    let (middle, end) = (y - 5.0, WIDTH - MARGIN);
    let Some(value) = row.value else {
        svg.add_text(
            x_of(0.0) + 6.0,
            y,
            "q",
            row.note.as_deref().unwrap_or("no value"),
        );
        return;
    };
    let (colour, _) = SERIES[0];
    let (zero, at) = (x_of(0.0), x_of(value.value));
    let name = format!("{}: {}", row.label, describe_value(&value, unit));
    let (bar, line) = match row.fill {
        BarFill::Solid => (
            format!("fill=\"{colour}\" fill-opacity=\".45\""),
            "stroke-width=\"1.5\"",
        ),
        BarFill::Hollow => (
            format!("fill=\"none\" stroke=\"{colour}\""),
            "stroke-width=\"1.5\" stroke-dasharray=\"4 3\"",
        ),
    };
    svg.add_value_rect(
        (zero.min(at), middle - BAR_HEIGHT / 2.0),
        ((at - zero).abs(), BAR_HEIGHT),
        &bar,
        &value,
        &name,
    );
    if let Some([low, high]) = value.interval {
        let (low, high) = (x_of(low), x_of(high));
        svg.add_line((low, middle), (high, middle), line);
        for end in [low, high] {
            svg.add_line(
                (end, middle - 4.0),
                (end, middle + 4.0),
                "stroke-width=\"1.5\"",
            );
        }
    }
    svg.add_line(
        (at, middle - 7.0),
        (at, middle + 7.0),
        &format!("stroke=\"{colour}\" stroke-width=\"3\""),
    );
    let text = format!(
        "{}  n {}",
        format_value(value.value, unit),
        value.observations
    );
    svg.add_text(end, y, "e", &text);
}
