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
use crate::picture::{BarFill, Picture, PictureContent};

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
    fn bar_signs(self, fill: BarFill) -> [char; 5] {
        match (self, fill) {
            (Self::Unicode, BarFill::Solid) => ['━', '─', '├', '┤', '●'],
            (Self::Unicode, BarFill::Hollow) => ['╌', '┄', '├', '┤', '○'],
            (Self::Ascii, BarFill::Solid) => ['=', '-', '|', '|', 'o'],
            (Self::Ascii, BarFill::Hollow) => [':', '.', '|', '|', 'x'],
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

/// Writes the texts of ticks where they stand: zero, and of the others as many as fit into so many columns without
/// touching, each so many steps from the next.
fn place_ticks(axis: &Axis, room: usize, columns: usize) -> String {
    let zero = axis.ticks.iter().position(|tick| *tick == 0.0).unwrap_or(0);
    let every = |step: usize| {
        let ticks = axis.ticks.iter().enumerate();
        let kept = ticks.filter(move |(at, _)| at.abs_diff(zero).is_multiple_of(step));
        let kept: Vec<f64> = kept.map(|(_, tick)| *tick).collect();
        kept
    };
    let count = axis.ticks.len().max(1);
    let mut choices: Vec<Vec<f64>> = (1..count).map(every).collect();
    // No two fit: zero alone says at least where it is.
    choices.retain(|ticks| ticks.len() > 1);
    choices.push(every(count));
    let mut lines = choices
        .iter()
        .filter_map(|ticks| write_ticks(axis, ticks, room, columns));
    lines.next().unwrap_or_default()
}

/// Writes the texts of some ticks; `None` where they touch each other or the end.
fn write_ticks(axis: &Axis, ticks: &[f64], room: usize, columns: usize) -> Option<String> {
    /// Columns between two texts.
    const APART: usize = 2;
    let mut line = String::new();
    for tick in ticks {
        let (text, at) = (axis.tick_text(*tick), column_of(axis.position(*tick), room));
        let used = line.width();
        if at + text.width() > columns || (used > 0 && at < used + APART) {
            return None;
        }
        line.push_str(&" ".repeat(at - used));
        line.push_str(&text);
    }
    Some(line)
}

/// Returns the column of a position, from 0 to `room`.
fn column_of(position: f64, room: usize) -> usize {
    // A position is between 0 and 1.
    ((position * room as f64).round() as usize).min(room)
}
