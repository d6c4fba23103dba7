//! Pictures in cells of a terminal, as paragraphs: they can be printed and put on a screen. Pure.

mod bars;
mod curves;
mod forest;
mod heat_map;
mod reliability;

pub use bars::{DrawnGroup, draw_bar_groups};
pub use forest::ForestAxis;

use elenchus_text::safe_text::{Keep, make_visible};
use elenchus_text::{Paragraph, Role};
use unicode_width::UnicodeWidthStr;

use crate::axis::Axis;
use crate::picture::{Picture, PictureContent};

/// Narrower pictures are drawn as if they had this many columns.
const MIN_COLUMNS: usize = 40;

/// Signs that a picture is drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlotGlyphs {
    Unicode,
    Ascii,
}

impl PlotGlyphs {
    /// Signs of a bar: filled, interval, lower limit, upper limit, value.
    fn bar_signs(self) -> [char; 5] {
        match self {
            Self::Unicode => ['━', '─', '├', '┤', '●'],
            Self::Ascii => ['=', '-', '|', '|', 'o'],
        }
    }

    /// Signs of a forest: interval, value, zero.
    fn forest_signs(self) -> [char; 3] {
        match self {
            Self::Unicode => ['─', '●', '│'],
            Self::Ascii => ['-', 'o', '|'],
        }
    }

    /// Signs of curves, one for each; after the last they begin again.
    fn curve_signs(self) -> [char; 6] {
        match self {
            Self::Unicode => ['●', '▲', '■', '◆', '○', '△'],
            Self::Ascii => ['o', 'x', '*', '+', '#', '@'],
        }
    }

    /// Shades from nothing to all.
    fn shades(self) -> [char; 5] {
        match self {
            Self::Unicode => [' ', '░', '▒', '▓', '█'],
            Self::Ascii => [' ', '.', ':', '=', '#'],
        }
    }
}

/// Draws a picture in a number of columns: title, marks, and its notes below.
pub fn draw_picture(picture: &Picture, columns: usize, glyphs: PlotGlyphs) -> Vec<Paragraph> {
    let columns = columns.max(MIN_COLUMNS);
    let mut title = Paragraph::new(Role::Strong, clean_label(&picture.title));
    if picture.simulated {
        title = title.with_run(Role::Simulated, " · SIMULATED");
    }
    let mut page = vec![title];
    page.extend(match &picture.content {
        PictureContent::Bars(groups) => bars::draw_bars(groups, picture.unit, columns, glyphs),
        PictureContent::Curves(chart) => curves::draw_curves(chart, picture.unit, columns, glyphs),
        PictureContent::Forest(forest) => {
            forest::draw_forest(forest, picture.unit, columns, glyphs)
        }
        PictureContent::HeatMap(map) => heat_map::draw_heat_map(map, picture.unit, columns, glyphs),
        PictureContent::Reliability(bars) => reliability::draw_reliability(bars, columns, glyphs),
    });
    page.push(Paragraph::gap());
    let notes = picture.notes.iter();
    page.extend(notes.map(|note| Paragraph::new(Role::Muted, clean_label(note)).with_indent(0, 2)));
    if glyphs == PlotGlyphs::Ascii {
        let runs = page.iter_mut().flat_map(|paragraph| &mut paragraph.runs);
        runs.for_each(|(_, text)| *text = text.replace('·', "-"));
    }
    page
}

/// Returns a label as one line without characters that act on a terminal or turn text around.
pub(crate) fn clean_label(text: &str) -> String {
    make_visible(text, Keep::Nothing).into_owned()
}

/// Returns a label in exactly so many columns.
fn fit_label(label: &str, columns: usize) -> String {
    elenchus_text::fit_to_width(&clean_label(label), columns)
}

/// Returns how many columns the longest of some labels takes, at most `most`.
fn label_columns<'a>(labels: impl Iterator<Item = &'a str>, most: usize) -> usize {
    let widths = labels.map(|label| clean_label(label).width());
    widths.max().unwrap_or(0).min(most)
}

/// Writes the texts of ticks where they stand, zero before the others, and those that fit into so many columns without
/// touching.
fn place_ticks(axis: &Axis, room: usize, columns: usize) -> String {
    /// Columns between two texts.
    const APART: usize = 2;
    let mut ticks: Vec<char> = vec![' '; columns];
    let (zero, others): (Vec<f64>, Vec<f64>) = axis.ticks.iter().partition(|tick| **tick == 0.0);
    for tick in zero.into_iter().chain(others) {
        let text: Vec<char> = axis.tick_text(tick).chars().collect();
        let at = column_of(axis.position(tick), room);
        let around = at.saturating_sub(APART)..(at + text.len() + APART).min(columns);
        let is_free = ticks
            .get(around)
            .is_some_and(|cells| cells.iter().all(|cell| *cell == ' '));
        if !is_free || at + text.len() > columns {
            continue;
        }
        for (offset, sign) in text.iter().enumerate() {
            ticks[at + offset] = *sign;
        }
    }
    let ticks: String = ticks.into_iter().collect();
    ticks.trim_end().to_owned()
}

/// Returns the column of a position, from 0 to `room`.
fn column_of(position: f64, room: usize) -> usize {
    // A position is between 0 and 1.
    ((position * room as f64).round() as usize).min(room)
}
