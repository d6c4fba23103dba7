//! `elenchus prompts`: templates, what seats were shown by them, and what another text would change.

mod eject;
mod list;
mod log;
mod render;
mod text;
mod tried;

use super::args_prompts::{PromptsArgs, PromptsCommand};
use super::exit::Exit;
use super::page::{self, counted};
use super::protocol_check;
use super::workshop::Workshop;
use anyhow::bail;

/// Does what was asked.
///
/// # Errors
/// When a prompt, protocol, session or turn does not exist, or `check` found faults.
pub fn run(args: &PromptsArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    match &args.command {
        PromptsCommand::List { protocol } => list::run(shop, protocol.as_deref())?,
        PromptsCommand::Show { prompt } => {
            let found = text::of_prompt(shop, prompt)?;
            page::notice(&format!("{} ({})", found.from, found.hash()));
            page::out(&page::harmless_text(&found.text))?;
        }
        PromptsCommand::Render(args) => render::run(args, shop)?,
        PromptsCommand::Check { protocols } => check(protocols, shop)?,
        PromptsCommand::Eject(args) => eject::run(args, shop)?,
        PromptsCommand::Log { prompt } => log::run(prompt, shop)?,
        PromptsCommand::Diff { one, other } => text::diff(shop, one, other)?,
        PromptsCommand::Try(args) => return tried::run(args, shop),
    }
    Ok(Exit::Fine)
}

fn check(protocols: &[String], shop: &Workshop) -> anyhow::Result<()> {
    let mut wrong = 0;
    let all = shop.library.protocols().into_iter().map(|(id, _)| id);
    let wanted: Vec<String> = match protocols {
        [] => all.collect(),
        some => some.to_vec(),
    };
    for id in &wanted {
        // Each says what is wrong with it; the others are still looked at.
        if let Err(error) = protocol_check::run(shop, id) {
            page::notice(&format!("{error:#}"));
            wrong += 1;
        }
    }
    if wrong > 0 {
        bail!(
            "{} of {} cannot be played as they are; the faults stand above",
            wrong,
            counted(wanted.len(), "protocol")
        );
    }
    Ok(())
}
