//! Drawing of a protocol, and of what its templates say of sampling, as text.

use crate::cli::common::{Colour, Page, output};
use elenchus_game::debate::Protocol;
use elenchus_game::debate::protocol::Settings;
use elenchus_game::debate::protocol_text::{
    Emphasis, NAMES, TextBlock, describe_protocol as strokes,
};
use elenchus_records::library::Game;

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

/// Lists the templates of a game that say how their calls are sampled; nothing where none does.
pub fn draw_sampling(game: &Game, width: usize, colour: Colour) -> String {
    let mut page = Page::new(width, colour);
    let mut any = false;
    for name in game.templates.keys() {
        let asked = game.engine.sampling([name.as_str()]);
        let degree = asked
            .temperature
            .map(|degree| format!("temperature {degree}"));
        let limit = asked.max_tokens.map(|max| format!("at most {max} tokens"));
        let said: Vec<String> = degree.into_iter().chain(limit).collect();
        if said.is_empty() {
            continue;
        }
        if !any {
            page.title("Set by templates, over stages and rules");
            any = true;
        }
        page.at(2).line(&format!("{name}: {}", said.join(", ")));
    }
    match any {
        true => page.finish(),
        false => String::new(),
    }
}

fn inked(ink: Emphasis) -> output::Ink {
    match ink {
        Emphasis::Plain => output::Ink::Plain,
        Emphasis::Bold => output::Ink::Bold,
        Emphasis::Dim => output::Ink::Dim,
    }
}
