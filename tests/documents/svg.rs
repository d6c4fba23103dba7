//! SVG of a terminal's screen: text in its colours, for pages that are read in a browser.

use elenchus_test_support::pty::{CellStyle, Screen};
use std::fmt::Write;

/// Size of a cell, in tenths of a pixel.
const CELL: (u32, u32) = (84, 180);
/// Distance of the baseline from the top of a row, in tenths of a pixel.
const BASELINE: u32 = 134;
/// Colours where the program leaves them to the terminal.
const INK: &str = "#dde1e6";
const PAPER: &str = "#14171c";

/// Draws the screen.
pub fn svg(screen: &Screen<'_>, title: &str) -> String {
    let (width, height) = screen.size();
    let (wide, high) = (u32::from(width) * CELL.0, u32::from(height) * CELL.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\">\n\
         <title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{PAPER}\"/>\n\
         <g font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"14\">\n",
        pixels(wide),
        pixels(high)
    );
    for row in 0..height {
        let mut cells = (0..width)
            .map(|column| (column, screen.cell(row, column)))
            .peekable();
        while let Some((from, first)) = cells.next() {
            let look = Look::of(&first);
            let mut text = letters(&first);
            let mut count = 1;
            while let Some((_, next)) = cells.next_if(|(_, next)| Look::of(next) == look) {
                text.push_str(&letters(&next));
                count += 1;
            }
            run(&mut svg, (from, row), count, &text, &look);
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// How cells beside each other look that are drawn together.
#[derive(PartialEq)]
struct Look {
    ink: String,
    paper: String,
    bold: bool,
    dim: bool,
}

impl Look {
    fn of(cell: &CellStyle) -> Self {
        let (ink, paper) = (colour(cell.fg, INK), colour(cell.bg, PAPER));
        let (ink, paper) = match cell.reversed {
            true => (paper, ink),
            false => (ink, paper),
        };
        Self {
            ink,
            paper,
            bold: cell.bold,
            dim: cell.dim,
        }
    }
}

fn run(svg: &mut String, (column, row): (u16, u16), count: u32, text: &str, look: &Look) {
    let (x, y) = (u32::from(column) * CELL.0, u32::from(row) * CELL.1);
    let wide = pixels(count * CELL.0);
    if look.paper != PAPER {
        let (x, y, high) = (pixels(x), pixels(y), pixels(CELL.1));
        let paper = &look.paper;
        writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\" fill=\"{paper}\"/>"
        )
        .unwrap();
    }
    if text.trim().is_empty() {
        return;
    }
    let bold = match look.bold {
        true => " font-weight=\"bold\"",
        false => "",
    };
    let dim = match look.dim {
        true => " opacity=\"0.6\"",
        false => "",
    };
    // Browsers drop blanks at the ends of a text and draw several in a row as one.
    let begin = text.trim_start();
    let before = cells(text) - cells(begin);
    let shown = begin.trim_end();
    let wide = pixels(cells(shown) * CELL.0);
    let (x, y) = (pixels(x + before * CELL.0), pixels(y + BASELINE));
    let text = shown
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace(' ', "\u{a0}");
    let ink = &look.ink;
    // The width is said, for no two fonts agree on it.
    writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" textLength=\"{wide}\" fill=\"{ink}\"{bold}{dim}>{text}</text>"
    )
    .unwrap();
}

fn cells(text: &str) -> u32 {
    u32::try_from(unicode_width::UnicodeWidthStr::width(text)).unwrap()
}

fn letters(cell: &CellStyle) -> String {
    match cell.text.as_str() {
        "" => " ".to_owned(),
        text => text.to_owned(),
    }
}

fn colour(colour: vt100::Color, usual: &str) -> String {
    match colour {
        vt100::Color::Default => usual.to_owned(),
        vt100::Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        vt100::Color::Idx(index) => panic!("the theme names colour {index} of the terminal"),
    }
}

/// Writes tenths of a pixel.
fn pixels(tenths: u32) -> String {
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        rest => format!("{}.{rest}", tenths / 10),
    }
}
