//! Curves with a band for their intervals. Pure.

use elenchus_metrics::Unit;

use super::writer::SvgWriter;
use super::{LINE, MARGIN, WIDTH, choose_series_style, describe_value};
use crate::axis::Axis;
use crate::picture::{Curve, CurveChart, PlottedValue, SingleRun};

const TICK_WIDTH: f64 = 70.0;
const FIELD_HEIGHT: f64 = 260.0;
/// Radius of a point, and of a point of a single run.
const DOT: f64 = 4.0;
const SMALL_DOT: f64 = 1.5;
/// Curves whose bands are drawn, at most: more of them hide each other and the curves.
const MAX_BANDS: usize = 6;
/// Free at both ends of the field.
const INSET: f64 = 24.0;

/// Writes curves from `y` on, and returns where they end.
pub(super) fn write_curves(svg: &mut SvgWriter, chart: &CurveChart, unit: Unit, y: f64) -> f64 {
    let points = chart.curves.iter().flat_map(|curve| {
        let runs = curve.runs.iter().flat_map(|run| &run.points);
        curve.points.iter().chain(runs).flatten()
    });
    let axis = Axis::around(points.map(PlottedValue::range), unit);
    let (left, right) = (MARGIN + TICK_WIDTH, WIDTH - MARGIN);
    let (top, bottom) = (y + LINE / 2.0, y + LINE / 2.0 + FIELD_HEIGHT);
    let y_of = |value: f64| bottom - axis.position(value) * FIELD_HEIGHT;
    let count = chart.x_labels.len();
    let x_of = |at: usize| match count {
        0 | 1 => (left + right) / 2.0,
        _ => left + INSET + (right - left - 2.0 * INSET) * at as f64 / (count - 1) as f64,
    };
    for tick in &axis.ticks {
        svg.add_line(
            (left, y_of(*tick)),
            (right, y_of(*tick)),
            "stroke-opacity=\".15\"",
        );
        svg.add_text(left - 8.0, y_of(*tick) + 5.0, "q e", &axis.tick_text(*tick));
    }
    svg.add_line((left, top), (left, bottom), "stroke-opacity=\".5\"");
    let series = || (0..).map(choose_series_style).zip(&chart.curves);
    let has_bands = chart.curves.len() <= MAX_BANDS;
    // No band lies over a curve.
    for ((colour, _), curve) in series().filter(|_| has_bands) {
        write_band(svg, curve, colour, &x_of, &y_of);
    }
    for (style, curve) in series() {
        for run in &curve.runs {
            write_single_run(svg, run, style.0, unit, (&x_of, &y_of));
        }
        write_line(svg, chart, curve, style, unit, (&x_of, &y_of));
    }
    let mut y = bottom + LINE;
    let room = ((right - left) / count.max(1) as f64 / 8.0).max(1.0) as usize;
    for (at, label) in chart.x_labels.iter().enumerate() {
        svg.add_text(
            x_of(at),
            y,
            "m",
            &elenchus_text::cut_to_width(label, room.max(2)),
        );
    }
    y += LINE;
    svg.add_text((left + right) / 2.0, y, "q m", &chart.x_title);
    if chart.curves.len() > 1 {
        for ((colour, dashes), curve) in series() {
            y += LINE;
            let style =
                format!("stroke=\"{colour}\" stroke-width=\"2.5\" stroke-dasharray=\"{dashes}\"");
            svg.add_line((left, y - 5.0), (left + 40.0, y - 5.0), &style);
            svg.add_text(left + 50.0, y, "", curve_name(curve));
        }
    }
    let has_intervals = chart.curves.iter().any(has_interval);
    if has_intervals && !has_bands {
        y += LINE;
        let text = format!(
            "no band is drawn for more than {MAX_BANDS} curves; points hold their intervals as text"
        );
        svg.add_text(left, y, "q", &text);
    }
    y + LINE / 2.0
}

fn has_interval(curve: &Curve) -> bool {
    let mut points = curve.points.iter().flatten();
    points.any(|point| point.interval.is_some())
}

fn curve_name(curve: &Curve) -> &str {
    match curve.name.as_str() {
        "" => "all debates",
        name => name,
    }
}

/// Writes the intervals of consecutive points as one surface; of a single one as a line.
fn write_band(
    svg: &mut SvgWriter,
    curve: &Curve,
    colour: &str,
    x_of: &impl Fn(usize) -> f64,
    y_of: &impl Fn(f64) -> f64,
) {
    let limits: Vec<Option<(f64, [f64; 2])>> = curve
        .points
        .iter()
        .enumerate()
        .map(|(at, point)| Some((x_of(at), point.as_ref()?.interval?)))
        .collect();
    for run in limits.split(Option::is_none) {
        let run: Vec<(f64, [f64; 2])> = run.iter().flatten().copied().collect();
        match run.as_slice() {
            [] => {}
            [(x, [low, high])] => {
                let style = format!("stroke=\"{colour}\" stroke-width=\"1.5\"");
                svg.add_line((*x, y_of(*low)), (*x, y_of(*high)), &style);
            }
            several => {
                let lower = several.iter().map(|(x, [low, _])| (*x, y_of(*low)));
                let upper = several.iter().rev().map(|(x, [_, high])| (*x, y_of(*high)));
                let outline: Vec<(f64, f64)> = lower.chain(upper).collect();
                svg.add_polygon(
                    &outline,
                    &format!("fill=\"{colour}\" fill-opacity=\".15\" stroke=\"none\""),
                );
            }
        }
    }
}

/// Writes a learning run as a thin line; its points carry their numbers as well.
fn write_single_run(
    svg: &mut SvgWriter,
    run: &SingleRun,
    colour: &str,
    unit: Unit,
    (x_of, y_of): (&impl Fn(usize) -> f64, &impl Fn(f64) -> f64),
) {
    let style = format!("stroke=\"{colour}\" stroke-width=\"1\" stroke-opacity=\".6\"");
    let points = run.points.iter().enumerate();
    let places: Vec<Option<(f64, f64)>> = points
        .map(|(at, point)| point.as_ref().map(|point| (x_of(at), y_of(point.value))))
        .collect();
    for pair in places.windows(2) {
        if let [Some(from), Some(to)] = pair {
            svg.add_line(*from, *to, &style);
        }
    }
    for (place, point) in places.iter().zip(&run.points) {
        if let (Some(place), Some(point)) = (place, point) {
            let name = format!("run {}: {}", run.name, describe_value(point, unit));
            let style = format!("fill=\"{colour}\" fill-opacity=\".6\"");
            svg.add_value_dot(*place, SMALL_DOT, &style, point, &name);
        }
    }
}

fn write_line(
    svg: &mut SvgWriter,
    chart: &CurveChart,
    curve: &Curve,
    (colour, dashes): (&str, &str),
    unit: Unit,
    (x_of, y_of): (&impl Fn(usize) -> f64, &impl Fn(f64) -> f64),
) {
    let line = format!("stroke=\"{colour}\" stroke-width=\"2.5\" stroke-dasharray=\"{dashes}\"");
    let mut before: Option<(f64, f64)> = None;
    for (at, point) in curve.points.iter().enumerate() {
        let here = point.as_ref().map(|point| (x_of(at), y_of(point.value)));
        if let Some((from, to)) = before.zip(here) {
            svg.add_line(from, to, &line);
        }
        before = here;
    }
    for (at, point) in curve.points.iter().enumerate() {
        let Some(point) = point else { continue };
        let label = chart.x_labels.get(at).map_or("", String::as_str);
        let name = format!(
            "{}, {label}: {}",
            curve_name(curve),
            describe_value(point, unit)
        );
        svg.add_value_dot(
            (x_of(at), y_of(point.value)),
            DOT,
            &format!("fill=\"{colour}\""),
            point,
            &name,
        );
    }
}
