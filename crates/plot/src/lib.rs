//! Pictures of reports: one description of a picture, drawn in cells of a terminal and as SVG. Pure.
//!
//! | file | content |
//! |---|---|
//! | `picture` | what a picture shows: bars, curves, a heat map, a forest, reliability |
//! | `from_report`, `from_comparison` | pictures of the figures of a report, and of the differences of a comparison |
//! | `from_calibration`, `from_rates` | pictures of scores against what people found, and of rates corrected by it |
//! | `axis` | ticks and positions on an axis |
//! | `cells` | drawing for a terminal, as paragraphs |
//! | `svg` | drawing as SVG |
//!
//! It computes no figure: what it shows stands in the report that it is given. Labels of others are made harmless
//! before they are drawn.

mod axis;
mod cells;
mod from_calibration;
mod from_comparison;
mod from_rates;
mod from_report;
mod picture;
mod svg;

pub use cells::{DrawnGroup, ForestAxis, PlotGlyphs, draw_bar_groups, draw_picture};
pub use from_calibration::picture_from_calibration;
pub use from_comparison::forest_from_comparison;
pub use from_rates::{CorrectedPair, picture_from_rates};
pub use from_report::{PictureKind, PlotError, add_single_runs, picture_from_report};
pub use picture::{
    BarFill, BarGroup, BarRow, Curve, CurveChart, Forest, ForestRow, HeatMap, Picture,
    PictureContent, PlottedValue, ReliabilityBar, SingleRun,
};
pub use svg::write_svg;

#[cfg(test)]
#[allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read fixtures and print what they counted"
)]
mod tests;
