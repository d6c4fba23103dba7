//! `elenchus memory`: what debates were taught, looked into and worked on.

mod ablate;
mod carry;
mod change;
mod guard;
mod list;
mod lookup;
mod setup;
mod setup_fetch;
mod setup_runtime;
mod show;

use super::args_memory::{MemoryArgs, MemoryCommand};
use super::exit::Exit;
use super::workshop::Workshop;
use crate::driver::desk::Desk;

/// Does what is asked of long-term memory.
///
/// # Errors
/// With context for a person: what, where, what to do next.
pub(super) fn run(args: &MemoryArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    match &args.command {
        MemoryCommand::List(args) => list::run(args, shop),
        MemoryCommand::Search(args) => lookup::run(args, shop),
        MemoryCommand::Show(args) => show::run(args, shop),
        MemoryCommand::Add(args) => change::add(args, shop),
        MemoryCommand::Edit(args) => change::edit(args, shop),
        MemoryCommand::Disable(args) => change::all(change::Doing::Disable, args, shop),
        MemoryCommand::Enable(args) => change::all(change::Doing::Enable, args, shop),
        MemoryCommand::Delete(args) => change::all(change::Doing::Delete, args, shop),
        MemoryCommand::Restore(args) => change::all(change::Doing::Restore, args, shop),
        MemoryCommand::Export(args) => carry::export(args, shop),
        MemoryCommand::Import(args) => carry::import(args, shop),
        MemoryCommand::Guardrails(args) => guard::run(args, shop),
        MemoryCommand::Ablate(args) => ablate::run(args, shop),
        MemoryCommand::Setup(args) => setup::run(args, shop),
    }
}

/// The store as the person works on it who calls the program.
fn desk(shop: &Workshop) -> anyhow::Result<Desk> {
    let name = shop.config.defaults.name.clone();
    let user = || std::env::var("USER").ok().filter(|name| !name.is_empty());
    Ok(Desk {
        layout: shop.layout.clone(),
        fsync: shop.fsync()?,
        clock: shop.clock,
        holder: shop.holder("memory"),
        person: name.or_else(user).unwrap_or_else(|| "person".to_owned()),
    })
}
