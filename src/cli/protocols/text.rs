//! Drawing of a protocol, and of what its templates say of sampling, as text.

use crate::cli::common::{Colour, Page, output};
use elenchus_game::debate::Protocol;
use elenchus_game::debate::protocol::Settings;
use elenchus_game::debate::protocol_text::{
    Emphasis, NAMES, TextBlock, describe_protocol as strokes,
};
use elenchus_records::library::Game;

/// Draws a protocol, safe to print.
pub fn format_protocol(
    protocol: &Protocol,
    values: &Settings,
    origin: &str,
    width: usize,
    colour: Colour,
) -> String {
    let mut page = Page::new(width, colour);
    for stroke in strokes(protocol, values, origin) {
        match stroke {
            TextBlock::Gap => page.add_gap(),
            TextBlock::Line {
                emphasis: ink,
                indent,
                text,
            } => page.line_at(indent).write_in_ink(to_ink(ink), &text),
            TextBlock::Field { indent, name, text } => page.add_field(indent, &name, NAMES, &text),
            TextBlock::Prose {
                emphasis: ink,
                indent,
                text,
            } => page.add_prose(to_ink(ink), indent, &text),
        }
    }
    page.into_text()
}

/// Lists the templates of a game that say how their calls are sampled; nothing where none does.
pub fn format_sampling(game: &Game, width: usize, colour: Colour) -> String {
    let mut page = Page::new(width, colour);
    let mut has_sampling = false;
    for name in game.templates.keys() {
        let sampling = game.engine.find_sampling([name.as_str()]);
        let degree = sampling
            .temperature
            .map(|degree| format!("temperature {degree}"));
        let limit = sampling
            .max_tokens
            .map(|max| format!("at most {max} tokens"));
        let parts: Vec<String> = degree.into_iter().chain(limit).collect();
        if parts.is_empty() {
            continue;
        }
        if !has_sampling {
            page.add_title("Set by templates, over stages and rules");
            has_sampling = true;
        }
        page.line_at(2)
            .write_plain(&format!("{name}: {}", parts.join(", ")));
    }
    match has_sampling {
        true => page.into_text(),
        false => String::new(),
    }
}

fn to_ink(ink: Emphasis) -> output::Ink {
    match ink {
        Emphasis::Plain => output::Ink::Plain,
        Emphasis::Bold => output::Ink::Bold,
        Emphasis::Dim => output::Ink::Dim,
    }
}
