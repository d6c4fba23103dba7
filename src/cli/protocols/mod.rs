//! `elenchus protocols`: which games there are, how one goes, and whether a file is one.

use super::args::{ProtocolsArgs, ProtocolsCommand};
use super::exit::Exit;
use super::page::{self, columns, fit};
use super::protocol_check;
use super::protocol_diff;
use super::protocol_drawing;
use super::protocol_pin;
use super::protocol_place::Place;
use super::protocol_sampling;
use super::workshop::Workshop;
use crate::debate::protocol::{SettingValue, Settings};
use crate::exchange::{Keep, visible};
use anyhow::{Context, bail};

/// The narrowest column of descriptions.
const MIN_DESCRIPTION: usize = 24;

/// Lists, shows, compares or checks protocols.
///
/// # Errors
/// When a protocol does not exist or cannot be read, or `check` found faults.
pub fn run(args: &ProtocolsArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    match &args.command {
        ProtocolsCommand::List => list(shop)?,
        ProtocolsCommand::Show { id, raw: true, .. } => {
            let file = shop.library.protocol(id)?;
            page::out(&visible(file.text(), Keep::NewlinesAndTabs))?;
        }
        ProtocolsCommand::Show {
            id,
            set,
            raw: false,
        } => show(shop, id, set)?,
        ProtocolsCommand::Diff(args) => protocol_diff::run(args, shop)?,
        ProtocolsCommand::Pin(args) => protocol_pin::run(args, shop)?,
        ProtocolsCommand::Check { file } => protocol_check::run(shop, file)?,
    }
    Ok(Exit::Fine)
}

fn list(shop: &Workshop) -> anyhow::Result<()> {
    let known = shop.library.protocols();
    if known.is_empty() {
        page::notice("there are no protocols; put one into .elenchus/prompts/ID/protocol.toml");
        return Ok(());
    }
    let width = page::width();
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
        for (at, part) in page::wrap(&visible(&line, Keep::Nothing), room, room)
            .iter()
            .enumerate()
        {
            let id = if at == 0 { id.as_str() } else { "" };
            text.push_str(&format!("{}  {part}\n", fit(id, ids)));
        }
        let origin = visible(&origin.to_string(), Keep::Nothing).into_owned();
        text.push_str(&format!("{}  [{origin}]\n", fit("", ids)));
    }
    page::out(&text)
}

/// Returns what a list has room for.
fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

fn show(shop: &Workshop, id: &str, set: &[String]) -> anyhow::Result<()> {
    let given = settings("--set", set)?;
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
    page::out(&protocol_drawing::draw(
        &protocol,
        &values,
        &origin,
        page::width(),
        shop.colour,
    ))?;
    // A game whose files are missing can still be drawn; 'check' says what is wrong with it.
    match Place::of(id).unpinned_game(shop, &given) {
        Ok(game) => {
            page::out(&protocol_sampling::listed(
                &game,
                page::width(),
                shop.colour,
            ))?;
            page::out(&protocol_pin::standing(shop, id, &game)?)
        }
        Err(_) => Ok(()),
    }
}

/// Reads the `NAME=VALUE`s of an option.
pub(super) fn settings(option: &str, set: &[String]) -> anyhow::Result<Settings> {
    let mut settings = Settings::new();
    for pair in set {
        let (name, value) = pair.split_once('=').with_context(|| {
            format!("{option} '{pair}' is not NAME=VALUE, as in {option} rounds=2")
        })?;
        let name = name.trim().to_owned();
        let value = SettingValue::from_typed(value.trim());
        if settings.insert(name.clone(), value).is_some() {
            bail!("{option} {name} is given twice");
        }
    }
    Ok(settings)
}
