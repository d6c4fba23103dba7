//! `elenchus protocols`: list, drawing, comparison, pins and check of protocols.

mod args;
pub(crate) mod check;
mod diff;
mod pin;
mod text;

use super::common::parse_settings;
use super::common::{CommandContext, display_width, fit_to_width, output};
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
pub fn run(command: &ProtocolsCommand, context: &CommandContext) -> Result<()> {
    match command {
        ProtocolsCommand::List => print_protocols(context)?,
        ProtocolsCommand::Show { id, raw: true, .. } => {
            let file = context.library.read_protocol(id)?;
            output::print_text(&output::clean_text(file.text()))?;
        }
        ProtocolsCommand::Show {
            id,
            set,
            raw: false,
        } => print_protocol(context, id, set)?,
        ProtocolsCommand::Diff(args) => diff::run(args, context)?,
        ProtocolsCommand::Pin(args) => pin::run(args, context)?,
        ProtocolsCommand::Check { file } => check::run(context, file)?,
    }
    Ok(())
}

fn print_protocols(context: &CommandContext) -> Result<()> {
    let origins = context.library.list_protocols();
    if origins.is_empty() {
        output::print_notice(
            "there are no protocols; put one into .elenchus/prompts/ID/protocol.toml",
        );
        return Ok(());
    }
    let width = output::width();
    let ids = origins
        .iter()
        .map(|(id, _)| display_width(id))
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for (id, origin) in &origins {
        let line = match context
            .library
            .read_protocol(id)
            .and_then(|file| Ok(file.resolve_protocol(&Settings::new())?))
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
        for (at, part) in output::wrap_line(&output::clean_line(&line), room, room)
            .iter()
            .enumerate()
        {
            let id = if at == 0 { id.as_str() } else { "" };
            text.push_str(&format!("{}  {part}\n", fit_to_width(id, ids)));
        }
        let origin = output::clean_line(&origin.to_string());
        text.push_str(&format!("{}  [{origin}]\n", fit_to_width("", ids)));
    }
    output::print_text(&text)
}

/// Returns what a list has room for.
fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

fn print_protocol(context: &CommandContext, id: &str, set: &[String]) -> Result<()> {
    let settings = parse_settings("--set", set)?;
    let file = context.library.read_protocol(id)?;
    let (protocol, values) = file.resolve_protocol(&settings)?;
    let origin = context
        .library
        .list_protocols()
        .into_iter()
        .find(|(known, _)| known == id);
    let origin = origin
        .map(|(_, origin)| origin.to_string())
        .unwrap_or_default();
    output::print_text(&text::format_protocol(
        &protocol,
        &values,
        &origin,
        output::width(),
        context.colour,
    ))?;
    // A game whose files are missing can still be drawn; 'check' says what is wrong with it.
    match ProtocolSource::from_name(id).load_unpinned_game(&context.library, &settings) {
        Ok(game) => {
            output::print_text(&text::format_sampling(
                &game,
                output::width(),
                context.colour,
            ))?;
            output::print_text(&pin::describe_pins(context, id, &game)?)
        }
        Err(_) => Ok(()),
    }
}
