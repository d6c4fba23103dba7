//! Pictures in cells of a terminal, as paragraphs: they can be printed and put on a screen. Pure.

mod bars;
mod curves;
mod heat_map;
mod reliability;

pub use bars::{DrawnGroup, draw_bar_groups};
use elenchus_text::safe_text::{Keep, make_visible};
use elenchus_text::{Paragraph, Role};
use unicode_width::UnicodeWidthStr;

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
