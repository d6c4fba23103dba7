//! `elenchus memory guardrails`: what must be refused, looked into, tested and worked on.

mod change;
mod derive;
mod export;
mod list;
mod report;
mod test;

use crate::cli::args_guard::{GuardArgs, GuardCommand};
use crate::cli::exit::Exit;
use crate::cli::page;
use crate::cli::workshop::Workshop;
use crate::driver::{GuardShelf, namespace_for};

/// Does what is asked of guardrails.
///
/// # Errors
/// With context for a person: what, where, what to do next.
pub fn run(args: &GuardArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    match &args.command {
        GuardCommand::List(args) => list::list(args, shop),
        GuardCommand::Show(args) => list::show(args, shop),
        GuardCommand::Derive(args) => derive::run(args, shop),
        GuardCommand::Add(args) => change::add(args, shop),
        GuardCommand::Accept(args) => change::accept(args, shop),
        GuardCommand::Reject(args) => change::all(change::Doing::Reject, args, shop),
        GuardCommand::Reopen(args) => change::all(change::Doing::Reopen, args, shop),
        GuardCommand::Edit(args) => change::edit(args, shop),
        GuardCommand::Disable(args) => change::all(change::Doing::Disable, args, shop),
        GuardCommand::Enable(args) => change::all(change::Doing::Enable, args, shop),
        GuardCommand::Delete(args) => change::all(change::Doing::Delete, args, shop),
        GuardCommand::Restore(args) => change::all(change::Doing::Restore, args, shop),
        GuardCommand::Test(args) => test::run(args, shop),
        GuardCommand::Export(args) => export::run(args, shop),
    }
}

/// Where guardrails of simulated debates are, for whoever looks for them where there are none.
fn elsewhere(shop: &Workshop, namespace: &str) -> String {
    let simulated = namespace_for(namespace, true);
    let there = GuardShelf::read(&shop.layout, &simulated);
    match there.map_or(0, |shelf| shelf.fold.guards.len()) {
        0 => String::new(),
        _ if simulated == namespace => String::new(),
        many => format!(
            ", but '{simulated}', of simulated debates, has {many}: --namespace {simulated}"
        ),
    }
}

/// Reads the guardrails of a namespace, telling what was left out.
fn shelf(shop: &Workshop, namespace: &str) -> anyhow::Result<GuardShelf> {
    let shelf = GuardShelf::read(&shop.layout, namespace)?;
    for notice in &shelf.notices {
        page::notice(&format!("notice: {notice}"));
    }
    for misfit in &shelf.fold.misfits {
        page::notice(&format!("notice: {misfit}; it changes nothing"));
    }
    Ok(shelf)
}
