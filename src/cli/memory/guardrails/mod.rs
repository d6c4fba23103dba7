//! `elenchus memory guardrails`: guardrails listed, derived, tested, accepted and exported.

mod args;
mod change;
mod derive;
mod export;
mod list;
mod report;
mod shelf;
mod test;

pub(crate) use args::{GuardArgs, GuardCommand};

use crate::cli::common::Exit;
use crate::cli::common::Workshop;

/// Runs a command on guardrails.
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
        GuardCommand::Reject(args) => change::all(change::GuardrailAction::Reject, args, shop),
        GuardCommand::Reopen(args) => change::all(change::GuardrailAction::Reopen, args, shop),
        GuardCommand::Edit(args) => change::edit(args, shop),
        GuardCommand::Disable(args) => change::all(change::GuardrailAction::Disable, args, shop),
        GuardCommand::Enable(args) => change::all(change::GuardrailAction::Enable, args, shop),
        GuardCommand::Delete(args) => change::all(change::GuardrailAction::Delete, args, shop),
        GuardCommand::Restore(args) => change::all(change::GuardrailAction::Restore, args, shop),
        GuardCommand::Test(args) => test::run(args, shop),
        GuardCommand::Export(args) => export::run(args, shop),
    }
}
