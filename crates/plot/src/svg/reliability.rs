//! Reliability: shares over scores, beside the line on which scores are right. Pure.

use elenchus_metrics::Unit;

use super::writer::SvgWriter;
use super::{LINE, MARGIN, SERIES, describe_value};
use crate::axis::Axis;
use crate::picture::ReliabilityBar;

const TICK_WIDTH: f64 = 60.0;
/// Side of the square.
const SIDE: f64 = 320.0;
const DOT: f64 = 4.0;

/// Writes shares over scores from `y` on, and returns where they end.
pub(super) fn write_reliability(svg: &mut SvgWriter, bars: &[ReliabilityBar], y: f64) -> f64 {
    let axis = Axis::around([[0.0, 1.0]].into_iter(), Unit::Share);
    let (left, bottom) = (MARGIN + TICK_WIDTH, y + LINE / 2.0 + SIDE);
    let x_of = |value: f64| left + axis.position(value) * SIDE;
    let y_of = |value: f64| bottom - axis.position(value) * SIDE;
    for tick in &axis.ticks {
        let faint = "stroke-opacity=\".15\"";
        svg.add_line((left, y_of(*tick)), (left + SIDE, y_of(*tick)), faint);
        svg.add_line((x_of(*tick), bottom - SIDE), (x_of(*tick), bottom), faint);
        svg.add_text(left - 8.0, y_of(*tick) + 5.0, "q e", &axis.tick_text(*tick));
        svg.add_text(x_of(*tick), bottom + LINE, "q m", &axis.tick_text(*tick));
    }
    svg.add_line(
        (x_of(0.0), y_of(0.0)),
        (x_of(1.0), y_of(1.0)),
        "stroke-dasharray=\"4 4\" stroke-opacity=\".6\"",
    );
    let (colour, _) = SERIES[0];
    let line = format!("stroke=\"{colour}\" stroke-width=\"2.5\"");
    let place = |bar: &ReliabilityBar| (x_of(bar.mean_score), y_of(bar.share));
    for pair in bars.windows(2) {
        if let [from, to] = pair {
            svg.add_line(place(from), place(to), &line);
        }
    }
    for bar in bars {
        let name = format!(
            "score {}: {}",
            bar.label,
            describe_value(&bar.plotted(), Unit::Share)
        );
        let fill = format!("fill=\"{colour}\"");
        svg.add_value_dot(place(bar), DOT, &fill, &bar.plotted(), &name);
        let (x, y) = place(bar);
        svg.add_text(x + 8.0, y + 14.0, "q", &format!("n {}", bar.items));
    }
    svg.add_text(left + SIDE / 2.0, bottom + 2.0 * LINE, "q m", "mean score");
    bottom + 2.0 * LINE
}
