//! `elenchus memory`: lessons and guardrails from debates, listed, searched, edited and tested.

mod ablate;
mod args;
mod change;
mod colang_export;
mod entry_args;
mod export_import;
pub(crate) mod guardrails;
mod list;
mod lookup;
mod setup;
mod shelf;
mod show;
mod tool_import;

pub(crate) use args::MemoryCommand;

use super::common::{CommandContext, Exit};
use anyhow::Result;
use change::change_entries;
use elenchus_records::workspace::memory::EntryAction;

/// Runs a command on long-term memory.
///
/// # Errors
/// With context for a person: what, where, what to do next.
pub(super) fn run(command: &MemoryCommand, context: &CommandContext) -> Result<Exit> {
    match command {
        MemoryCommand::List(args) => list::run(args, context)?,
        MemoryCommand::Search(args) => lookup::run(args, context)?,
        MemoryCommand::Show(args) => show::run(args, context)?,
        MemoryCommand::Add(args) => change::add_entry(args, context)?,
        MemoryCommand::Edit(args) => change::edit_named_entry(args, context)?,
        MemoryCommand::Disable(args) => {
            change_entries((EntryAction::Disable, "disabled"), args, None, context)?
        }
        MemoryCommand::Enable(args) => change::enable_entries(args, context)?,
        MemoryCommand::Delete(args) => {
            change_entries((EntryAction::Delete, "deleted"), args, None, context)?
        }
        MemoryCommand::Restore(args) => {
            change_entries((EntryAction::Restore, "restored"), args, None, context)?
        }
        MemoryCommand::Export(args) => export_import::run_export(args, context)?,
        MemoryCommand::Import(args) => return export_import::import_files(args, context),
        MemoryCommand::OfGuardrails(command) => return guardrails::run(command, context),
        MemoryCommand::Guardrails(command) => return guardrails::run_earlier(command, context),
        MemoryCommand::Ablate(args) => return ablate::run(args, context),
        MemoryCommand::Setup(args) => setup::run(args, context)?,
    }
    Ok(Exit::Fine)
}
