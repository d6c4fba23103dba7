//! Prints the drawing of a protocol.

use super::page::{self, Page};
use super::workshop::Colour;
use crate::debate::Protocol;
use crate::debate::drawing::{Ink, NAMES, Stroke, draw as strokes};
use crate::debate::protocol::Settings;

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
            Stroke::Gap => page.gap(),
            Stroke::Line { ink, indent, text } => page.inked(inked(ink), indent, &text),
            Stroke::Field { indent, name, text } => page.field(indent, &name, NAMES, &text),
            Stroke::Prose { ink, indent, text } => page.prose(inked(ink), indent, &text),
        }
    }
    page.finish()
}

fn inked(ink: Ink) -> page::Ink {
    match ink {
        Ink::Plain => page::Ink::Plain,
        Ink::Bold => page::Ink::Bold,
        Ink::Dim => page::Ink::Dim,
    }
}
