//! `elenchus memory guardrails`: guardrails listed, derived, tested, accepted and exported. What is done to
//! entries of both kinds is in the folder above.

pub(super) mod args;
mod derive;
mod export;
pub(super) mod report;
mod test;

pub(crate) use args::GuardCommand;

use super::change::{add_text, all, edit_entry, guardrail, make, print_change};
use super::shelf::open_guardrails;
use super::{list, show};
use crate::cli::common::{Exit, Page, Workshop, output};
use anyhow::Result;
use args::GuardAcceptArgs;
use elenchus_memory::{EntryKind, GuardAcceptance};
use elenchus_records::workspace::memory::{EntryAction, EntryChange};
use elenchus_text::Content;
use elenchus_view::memory::report_lines;

/// Runs a command on guardrails.
///
/// # Errors
/// With context for a person: what, where, what to do next.
pub fn run(command: &GuardCommand, shop: &Workshop) -> Result<Exit> {
    let all = |doing, args| all((doing, ""), args, Some(EntryKind::Guardrail), shop);
    match command {
        GuardCommand::List(args) => list::guardrails(args, shop)?,
        GuardCommand::Show(args) => show::guardrail(args, shop)?,
        GuardCommand::Derive(args) => return derive::run(args, shop),
        GuardCommand::Add(args) => {
            let text = guardrail(&args.intent, &args.example)?;
            add_text(&args.place.namespace, text, shop)?;
        }
        GuardCommand::Accept(args) => accept(args, shop)?,
        GuardCommand::Reject(args) => all(EntryAction::Reject, args)?,
        GuardCommand::Reopen(args) => all(EntryAction::Reopen, args)?,
        GuardCommand::Edit(args) => {
            let namespace = &args.place.namespace;
            let shelf = open_guardrails(shop, namespace)?;
            let guard = shelf.find_kind(EntryKind::Guardrail, &args.guardrail)?;
            edit_entry(namespace, guard, args.intent.clone(), &args.example, shop)?;
        }
        GuardCommand::Disable(args) => all(EntryAction::Disable, args)?,
        GuardCommand::Enable(args) => all(EntryAction::Enable, args)?,
        GuardCommand::Delete(args) => all(EntryAction::Delete, args)?,
        GuardCommand::Restore(args) => all(EntryAction::Restore, args)?,
        GuardCommand::Test(args) => return test::run(args, shop),
        GuardCommand::Export(args) => export::run(args, shop)?,
    }
    Ok(Exit::Fine)
}

/// Accepts guardrails, showing what each was found to do to harmless prompts.
///
/// # Errors
/// When one cannot be found or was never tested.
fn accept(args: &GuardAcceptArgs, shop: &Workshop) -> Result<()> {
    let namespace = &args.place.namespace;
    let shelf = open_guardrails(shop, namespace)?;
    let found = args
        .guardrail
        .iter()
        .map(|text| shelf.find_kind(EntryKind::Guardrail, text));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let desk = shop.desk("memory", None)?;
    for guard in found {
        if let Some(tested) = guard.report() {
            let mut page = Page::new(output::width(), shop.colour);
            page.line(&guard.id.0);
            page.paragraphs(&report_lines(tested, guard.revision, Content::Shown));
            output::out(&page.finish())?;
        }
        let how = match guard.report() {
            Some(_) => GuardAcceptance::ByHand,
            None => args.untested,
        };
        let wanted = EntryChange::Do(guard.id.clone(), EntryAction::Accept(how));
        print_change(&make(&desk, namespace, wanted)?, "");
    }
    Ok(())
}
