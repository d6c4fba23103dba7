//! `elenchus prompts`: templates, what seats were shown by them, and what another text would change.

mod ab;
mod ab_plan;
mod ab_table;
mod ab_words;
mod accept;
mod eject;
mod list;
mod log;
mod render;
mod text;
mod tried;
mod tried_watch;
mod versions;

use super::args_prompts::{PromptsArgs, PromptsCommand};
use super::exit::Exit;
use super::page::{self, counted};
use super::protocol_check;
use super::workshop::Workshop;
use crate::driver::desk::Desk;
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
        PromptsCommand::Log(args) => log::run(&args.prompt, shop)?,
        PromptsCommand::Label(args) => versions::label(args, shop)?,
        PromptsCommand::Restore(args) => versions::bring_back(args, shop)?,
        PromptsCommand::Accept(args) => accept::run(args, shop)?,
        PromptsCommand::Diff(args) => text::diff(shop, &args.one, &args.other)?,
        PromptsCommand::Try(args) => return tried::run(args, shop),
        PromptsCommand::Ab(args) => return ab::run(args, shop),
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

/// Returns the desk that tries are made on, in the name of whoever the configuration names.
fn desk(shop: &Workshop, command: &str) -> anyhow::Result<Desk> {
    let name = shop.config.defaults.name.clone();
    let user = || std::env::var("USER").ok().filter(|name| !name.is_empty());
    Ok(Desk {
        layout: shop.layout.clone(),
        fsync: shop.fsync()?,
        clock: shop.clock,
        holder: shop.holder(command),
        person: name.or_else(user).unwrap_or_else(|| "person".to_owned()),
    })
}
