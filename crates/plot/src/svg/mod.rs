//! Pictures as SVG: one file that is readable by itself, in light and dark, without colour, and by a screen reader.
//! Pure.
//!
//! No script, no link and no font is in it; every text of others is made harmless and escaped. Each mark carries
//! its number in full (`data-value`, `data-low`, `data-high`, `data-n`).

mod bars;
mod curves;
mod forest;
mod heat_map;
mod reliability;
mod writer;

use elenchus_metrics::Unit;

use crate::cells::clean_label;
use crate::picture::{Picture, PictureContent, PlottedValue};
use writer::{SvgWriter, escape_text};

/// Width of every picture, in pixels at its natural size.
const WIDTH: f64 = 720.0;
/// Height of a line of text.
const LINE: f64 = 20.0;
/// Space around everything.
const MARGIN: f64 = 16.0;
/// Characters of a note before it is broken.
const NOTE_CHARACTERS: usize = 90;

/// Colours that colour-blind eyes tell apart (Okabe and Ito 2008), with the dashes that tell them apart without
/// colour.
const SERIES: [(&str, &str); 6] = [
    ("#0072B2", ""),
    ("#D55E00", "6 3"),
    ("#009E73", "2 3"),
    ("#CC79A7", "8 3 2 3"),
    ("#E69F00", "1 4"),
    ("#56B4E9", "10 4"),
];

/// Returns the colour and the dashes of a curve: where colours come round again, the dashes are others.
fn choose_series_style(number: usize) -> (&'static str, &'static str) {
    let round = number / SERIES.len();
    let (colour, _) = SERIES[number % SERIES.len()];
    let (_, dashes) = SERIES[(number + round) % SERIES.len()];
    (colour, dashes)
}

/// Text and lines in the colour of the page; what is quiet is fainter.
const STYLE: &str = "text{font:14px system-ui,sans-serif;fill:currentColor}\
.h{font-weight:600}.q{opacity:.7}.e{text-anchor:end}.m{text-anchor:middle}\
line:not([stroke]){stroke:currentColor}\
svg{color:#111;background:#fff}@media(prefers-color-scheme:dark){svg{color:#eee;background:#161616}}";

/// Writes a picture as an SVG file; `id` begins the ids in it, so that several can stand in one page.
pub fn write_svg(picture: &Picture, id: &str) -> String {
    let mut body = SvgWriter::new();
    let mut y = MARGIN + LINE;
    let title = match picture.simulated {
        true => format!("{} · SIMULATED", picture.title),
        false => picture.title.clone(),
    };
    body.add_text(MARGIN, y, "h", &title);
    y += LINE;
    y = match &picture.content {
        PictureContent::Bars(groups) => bars::write_bars(&mut body, groups, picture.unit, y),
        PictureContent::Curves(chart) => curves::write_curves(&mut body, chart, picture.unit, y),
        PictureContent::Forest(forest) => forest::write_forest(&mut body, forest, picture.unit, y),
        PictureContent::HeatMap(map) => heat_map::write_heat_map(&mut body, map, picture.unit, y),
        PictureContent::Reliability(bars) => reliability::write_reliability(&mut body, bars, y),
    };
    y += LINE;
    for note in &picture.notes {
        for line in elenchus_text::wrap_line(&clean_label(note), NOTE_CHARACTERS, NOTE_CHARACTERS) {
            body.add_text(MARGIN, y, "q", &line);
            y += LINE;
        }
    }
    let height = y + MARGIN;
    let id: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
    let description = describe_values(picture);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" width=\"{WIDTH}\" \
         height=\"{height:.0}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">\n\
         <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n<style>{STYLE}</style>\n{}</svg>\n",
        escape_text(&title),
        escape_text(&description),
        body.into_text(),
    )
}

/// Says for a screen reader what the picture shows, value by value.
fn describe_values(picture: &Picture) -> String {
    let mut parts = Vec::new();
    let unit = picture.unit;
    match &picture.content {
        PictureContent::Bars(groups) => {
            for group in groups {
                let rows = group.rows.iter().map(|row| match &row.value {
                    Some(value) => format!("{}: {}", row.label, describe_value(value, unit)),
                    None => format!("{}: no value", row.label),
                });
                parts.push(format!(
                    "{}: {}",
                    group.title,
                    rows.collect::<Vec<_>>().join("; ")
                ));
            }
        }
        PictureContent::Forest(forest) => {
            let rows = forest.rows.iter().map(|row| match &row.value {
                Some(value) => format!("{}: {}", row.label, describe_value(value, unit)),
                None => format!("{}: no value", row.label),
            });
            parts.push(format!(
                "{}: {}",
                forest.heading,
                rows.collect::<Vec<_>>().join("; ")
            ));
        }
        PictureContent::Curves(chart) => {
            for curve in &chart.curves {
                let points = chart.x_labels.iter().zip(&curve.points);
                let points = points.filter_map(|(label, point)| {
                    Some(format!(
                        "{label}: {}",
                        describe_value(point.as_ref()?, unit)
                    ))
                });
                let name = if curve.name.is_empty() {
                    "all debates"
                } else {
                    &curve.name
                };
                parts.push(format!(
                    "{name}, over {}: {}",
                    chart.x_title,
                    points.collect::<Vec<_>>().join("; ")
                ));
            }
        }
        PictureContent::Reliability(bars) => {
            let bars = bars.iter().map(|bar| {
                format!(
                    "score {}, mean {:.2}: {}",
                    bar.label,
                    bar.mean_score,
                    describe_value(&bar.plotted(), unit)
                )
            });
            parts.push(bars.collect::<Vec<_>>().join("; "));
        }
        PictureContent::HeatMap(map) => {
            for (row, cells) in map.rows.iter().zip(&map.cells) {
                let cells = map.columns.iter().zip(cells).filter_map(|(column, cell)| {
                    Some(format!(
                        "{column}: {}",
                        describe_value(cell.as_ref()?, unit)
                    ))
                });
                parts.push(format!(
                    "{row}, by {}: {}",
                    map.column_title,
                    cells.collect::<Vec<_>>().join("; ")
                ));
            }
        }
    }
    parts.join(". ")
}

/// Returns a value with its interval and the number of observations as words.
fn describe_value(value: &PlottedValue, unit: Unit) -> String {
    let number = |value: f64| elenchus_metrics::format_value(value, unit);
    let interval = value
        .interval
        .map(|[low, high]| format!(", {} to {}", number(low), number(high)));
    format!(
        "{}{}, n {}",
        number(value.value),
        interval.unwrap_or_default(),
        value.observations
    )
}
