//! `elenchus memory`: lessons and guardrails from debates, listed, searched, edited and tested.

mod ablate;
mod args;
mod change;
mod entry_args;
mod export_import;
pub(crate) mod guardrails;
mod list;
mod lookup;
mod setup;
mod shelf;
mod show;

pub(crate) use args::MemoryCommand;

use super::common::{Exit, Workshop};
use anyhow::Result;
use change::change_entries;
use elenchus_records::workspace::memory::EntryAction;

/// Runs a command on long-term memory.
///
/// # Errors
/// With context for a person: what, where, what to do next.
pub(super) fn run(command: &MemoryCommand, shop: &Workshop) -> Result<Exit> {
    match command {
        MemoryCommand::List(args) => list::run(args, shop)?,
        MemoryCommand::Search(args) => lookup::run(args, shop)?,
        MemoryCommand::Show(args) => show::run(args, shop)?,
        MemoryCommand::Add(args) => change::add_entry(args, shop)?,
        MemoryCommand::Edit(args) => change::edit_named_entry(args, shop)?,
        MemoryCommand::Disable(args) => {
            change_entries((EntryAction::Disable, "disabled"), args, None, shop)?
        }
        MemoryCommand::Enable(args) => change::enable_entries(args, shop)?,
        MemoryCommand::Delete(args) => {
            change_entries((EntryAction::Delete, "deleted"), args, None, shop)?
        }
        MemoryCommand::Restore(args) => {
            change_entries((EntryAction::Restore, "restored"), args, None, shop)?
        }
        MemoryCommand::Export(args) => export_import::export_namespace(args, shop)?,
        MemoryCommand::Import(args) => export_import::import_namespace(args, shop)?,
        MemoryCommand::Guardrails(args) => return guardrails::run(args, shop),
        MemoryCommand::Ablate(args) => return ablate::run(args, shop),
        MemoryCommand::Setup(args) => setup::run(args, shop)?,
    }
    Ok(Exit::Fine)
}
