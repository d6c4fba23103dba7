//! `elenchus memory guardrails`: guardrails listed, derived, tested, accepted and exported. What is done to
//! entries of both kinds is in the folder above.

mod accept;
mod args;
mod derive;
mod export;
pub(super) mod list;
mod report;
pub(super) mod show;
mod test;

pub(crate) use args::{GuardArgs, GuardCommand};

use super::change::{EntryAction, add_text, all, edit_entry, guardrail};
use super::shelf::open_existing;
use crate::cli::common::Exit;
use crate::cli::common::Workshop;
use crate::memory::EntryKind;

/// Runs a command on guardrails.
///
/// # Errors
/// With context for a person: what, where, what to do next.
pub fn run(args: &GuardArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let all = |doing, args| all(doing, args, Some(EntryKind::Guardrail), shop);
    match &args.command {
        GuardCommand::List(args) => list::run(args, shop),
        GuardCommand::Show(args) => show::run(args, shop),
        GuardCommand::Derive(args) => derive::run(args, shop),
        GuardCommand::Add(args) => {
            let text = guardrail(&args.intent, &args.example)?;
            add_text(&args.place.namespace, text, shop)
        }
        GuardCommand::Accept(args) => accept::run(args, shop),
        GuardCommand::Reject(args) => all(EntryAction::Reject, args),
        GuardCommand::Reopen(args) => all(EntryAction::Reopen, args),
        GuardCommand::Edit(args) => {
            let namespace = &args.place.namespace;
            let shelf = open_existing(shop, namespace)?;
            let guard = shelf.find_kind(EntryKind::Guardrail, &args.guardrail)?;
            edit_entry(namespace, guard, args.intent.clone(), &args.example, shop)
        }
        GuardCommand::Disable(args) => all(EntryAction::Disable, args),
        GuardCommand::Enable(args) => all(EntryAction::Enable, args),
        GuardCommand::Delete(args) => all(EntryAction::Delete, args),
        GuardCommand::Restore(args) => all(EntryAction::Restore, args),
        GuardCommand::Test(args) => test::run(args, shop),
        GuardCommand::Export(args) => export::run(args, shop),
    }
}
