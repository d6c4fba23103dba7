//! `elenchus memory guardrails`: guardrails listed, derived, tested, accepted and exported. What is done to
//! entries of both kinds is in the folder above.

pub(super) mod args;
mod derive;
mod export;
pub(super) mod report;
mod test;

pub(crate) use args::GuardCommand;

use super::change::{
    add_text, change_entries, change_entry_blocking, edit_entry, parse_guardrail, print_change,
};
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
    let change_all =
        |doing, args| change_entries((doing, ""), args, Some(EntryKind::Guardrail), shop);
    match command {
        GuardCommand::List(args) => list::list_guardrails(args, shop)?,
        GuardCommand::Show(args) => show::print_guardrail(args, shop)?,
        GuardCommand::Derive(args) => return derive::run(args, shop),
        GuardCommand::Add(args) => {
            let text = parse_guardrail(&args.intent, &args.example)?;
            add_text(&args.place.namespace, text, shop)?;
        }
        GuardCommand::Accept(args) => accept_guardrails(args, shop)?,
        GuardCommand::Reject(args) => change_all(EntryAction::Reject, args)?,
        GuardCommand::Reopen(args) => change_all(EntryAction::Reopen, args)?,
        GuardCommand::Edit(args) => {
            let namespace = &args.place.namespace;
            let namespace_entries = open_guardrails(shop, namespace)?;
            let guard = namespace_entries.find_kind(EntryKind::Guardrail, &args.guardrail)?;
            edit_entry(namespace, guard, args.intent.clone(), &args.example, shop)?;
        }
        GuardCommand::Disable(args) => change_all(EntryAction::Disable, args)?,
        GuardCommand::Enable(args) => change_all(EntryAction::Enable, args)?,
        GuardCommand::Delete(args) => change_all(EntryAction::Delete, args)?,
        GuardCommand::Restore(args) => change_all(EntryAction::Restore, args)?,
        GuardCommand::Test(args) => return test::run(args, shop),
        GuardCommand::Export(args) => export::run(args, shop)?,
    }
    Ok(Exit::Fine)
}

/// Accepts guardrails, showing what each was found to do to harmless prompts.
///
/// # Errors
/// When one cannot be found or was never tested.
fn accept_guardrails(args: &GuardAcceptArgs, shop: &Workshop) -> Result<()> {
    let namespace = &args.place.namespace;
    let namespace_entries = open_guardrails(shop, namespace)?;
    let guards = args
        .guardrail
        .iter()
        .map(|text| namespace_entries.find_kind(EntryKind::Guardrail, text));
    let guards = guards.collect::<Result<Vec<_>, _>>()?;
    let desk = shop.open_desk("memory", None)?;
    for guard in guards {
        if let Some(report) = guard.current_report() {
            let mut page = Page::new(output::width(), shop.colour);
            page.add_line(&guard.id.0);
            page.add_paragraphs(&report_lines(report, guard.revision, Content::Shown));
            output::print_text(&page.into_text())?;
        }
        let acceptance = match guard.current_report() {
            Some(_) => GuardAcceptance::ByHand,
            None => args.untested,
        };
        let request = EntryChange::Do(guard.id.clone(), EntryAction::Accept(acceptance));
        print_change(&change_entry_blocking(&desk, namespace, request)?, "");
    }
    Ok(())
}
