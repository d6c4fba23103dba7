//! `elenchus protocols`: list, drawing, comparison, pins and check of protocols.

mod args;
pub(crate) mod check;
mod diff;
mod pin;
mod text;

use super::common::parse_settings;
use super::common::{Workshop, columns, fit, output};
use anyhow::Result;
pub(crate) use args::ProtocolsCommand;
use elenchus_game::debate::protocol::Settings;
use elenchus_records::library::ProtocolSource;

/// The narrowest column of descriptions.
const MIN_DESCRIPTION: usize = 24;

/// Lists, shows, compares or checks protocols.
///
/// # Errors
/// When a protocol does not exist or cannot be read, or `check` found faults.
pub fn run(command: &ProtocolsCommand, shop: &Workshop) -> Result<()> {
    match command {
        ProtocolsCommand::List => list(shop)?,
        ProtocolsCommand::Show { id, raw: true, .. } => {
            let file = shop.library.protocol(id)?;
            output::out(&output::harmless_text(file.text()))?;
        }
        ProtocolsCommand::Show {
            id,
            set,
            raw: false,
        } => show(shop, id, set)?,
        ProtocolsCommand::Diff(args) => diff::run(args, shop)?,
        ProtocolsCommand::Pin(args) => pin::run(args, shop)?,
        ProtocolsCommand::Check { file } => check::run(shop, file)?,
    }
    Ok(())
}

fn list(shop: &Workshop) -> Result<()> {
    let known = shop.library.protocols();
    if known.is_empty() {
        output::notice("there are no protocols; put one into .elenchus/prompts/ID/protocol.toml");
        return Ok(());
    }
    let width = output::width();
    let ids = known.iter().map(|(id, _)| columns(id)).max().unwrap_or(0);
    let mut text = String::new();
    for (id, origin) in &known {
        let line = match shop
            .library
            .protocol(id)
            .and_then(|file| Ok(file.resolve(&Settings::new())?))
        {
            Ok((protocol, _)) => {
                format!(
                    "{}: {}",
                    protocol.name,
                    first_sentence(&protocol.description)
                )
            }
            Err(error) => format!("(cannot be used: {error})"),
        };
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let room = width.saturating_sub(ids + 2).max(MIN_DESCRIPTION);
        for (at, part) in output::wrap(&output::clean(&line), room, room)
            .iter()
            .enumerate()
        {
            let id = if at == 0 { id.as_str() } else { "" };
            text.push_str(&format!("{}  {part}\n", fit(id, ids)));
        }
        let origin = output::clean(&origin.to_string());
        text.push_str(&format!("{}  [{origin}]\n", fit("", ids)));
    }
    output::out(&text)
}

/// Returns what a list has room for.
fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

fn show(shop: &Workshop, id: &str, set: &[String]) -> Result<()> {
    let given = parse_settings("--set", set)?;
    let file = shop.library.protocol(id)?;
    let (protocol, values) = file.resolve(&given)?;
    let origin = shop
        .library
        .protocols()
        .into_iter()
        .find(|(known, _)| known == id);
    let origin = origin
        .map(|(_, origin)| origin.to_string())
        .unwrap_or_default();
    output::out(&text::draw(
        &protocol,
        &values,
        &origin,
        output::width(),
        shop.colour,
    ))?;
    // A game whose files are missing can still be drawn; 'check' says what is wrong with it.
    match ProtocolSource::of(id).unpinned_game(&shop.library, &given) {
        Ok(game) => {
            output::out(&text::draw_sampling(&game, output::width(), shop.colour))?;
            output::out(&pin::standing(shop, id, &game)?)
        }
        Err(_) => Ok(()),
    }
}
