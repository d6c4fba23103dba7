//! Drawing of a protocol as text.

use crate::cli::common::{Colour, Page, output};
use crate::debate::Protocol;
use crate::debate::protocol::Settings;
use crate::debate::protocol_text::{Emphasis, NAMES, TextBlock, describe_protocol as strokes};

/// Draws a protocol, safe to print.
pub fn draw(
    protocol: &Protocol,
    values: &Settings,
    origin: &str,
    width: usize,
    colour: Colour,
) -> String {
    let mut page = Page::new(width, colour);
    for stroke in strokes(protocol, values, origin) {
        match stroke {
            TextBlock::Gap => page.gap(),
            TextBlock::Line { ink, indent, text } => page.at(indent).inked(inked(ink), &text),
            TextBlock::Field { indent, name, text } => page.field(indent, &name, NAMES, &text),
            TextBlock::Prose { ink, indent, text } => page.prose(inked(ink), indent, &text),
        }
    }
    page.finish()
}

fn inked(ink: Emphasis) -> output::Ink {
    match ink {
        Emphasis::Plain => output::Ink::Plain,
        Emphasis::Bold => output::Ink::Bold,
        Emphasis::Dim => output::Ink::Dim,
    }
}
