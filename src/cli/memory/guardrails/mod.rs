//! `elenchus memory guardrails`: guardrails listed, derived, tested, accepted and exported. What is done to
//! entries of both kinds is in the folder above.

pub(super) mod args;
mod derive;
mod export;
mod import;
pub(super) mod report;
mod test;

pub(crate) use args::GuardCommand;

use super::change::{
    add_text, change_entries, change_entry_blocking, edit_entry, parse_guardrail, print_change,
};
use super::shelf::open_guardrails;
use super::{list, show};
use crate::cli::common::{CommandContext, Exit, Page, output};
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
pub fn run(command: &GuardCommand, context: &CommandContext) -> Result<Exit> {
    let change_all =
        |doing, args| change_entries((doing, ""), args, Some(EntryKind::Guardrail), context);
    match command {
        GuardCommand::List(args) => list::list_guardrails(args, context)?,
        GuardCommand::Show(args) => show::print_guardrail(args, context)?,
        GuardCommand::Derive(args) => return derive::run(args, context),
        GuardCommand::Add(args) => {
            let text = parse_guardrail(&args.intent, &args.example)?;
            add_text(&args.place.namespace, text, context)?;
        }
        GuardCommand::Accept(args) => accept_guardrails(args, context)?,
        GuardCommand::Reject(args) => change_all(EntryAction::Reject, args)?,
        GuardCommand::Reopen(args) => change_all(EntryAction::Reopen, args)?,
        GuardCommand::Edit(args) => {
            let namespace = &args.place.namespace;
            let namespace_entries = open_guardrails(context, namespace)?;
            let guard = namespace_entries.find_kind(EntryKind::Guardrail, &args.guardrail)?;
            edit_entry(
                namespace,
                guard,
                args.intent.clone(),
                &args.example,
                context,
            )?;
        }
        GuardCommand::Disable(args) => change_all(EntryAction::Disable, args)?,
        GuardCommand::Enable(args) => change_all(EntryAction::Enable, args)?,
        GuardCommand::Delete(args) => change_all(EntryAction::Delete, args)?,
        GuardCommand::Restore(args) => change_all(EntryAction::Restore, args)?,
        GuardCommand::Test(args) => return test::run(args, context),
        GuardCommand::Export(args) => export::run(args, context)?,
        GuardCommand::Import(args) => return import::run(args, context),
    }
    Ok(Exit::Fine)
}

/// Accepts guardrails, showing what each was found to do to harmless prompts.
///
/// # Errors
/// When one cannot be found or was never tested.
fn accept_guardrails(args: &GuardAcceptArgs, context: &CommandContext) -> Result<()> {
    let namespace = &args.place.namespace;
    let namespace_entries = open_guardrails(context, namespace)?;
    let guards = args
        .guardrail
        .iter()
        .map(|text| namespace_entries.find_kind(EntryKind::Guardrail, text));
    let guards = guards.collect::<Result<Vec<_>, _>>()?;
    let store = context.hold_store("memory", None);
    for guard in guards {
        if let Some(report) = guard.current_report() {
            let mut page = Page::new(output::width(), context.colour);
            page.add_line(&guard.id.0);
            page.add_paragraphs(&report_lines(report, guard.revision, Content::Shown));
            output::print_text(&page.into_text())?;
        }
        let acceptance = match guard.current_report() {
            Some(_) => GuardAcceptance::ByHand,
            None => args.untested,
        };
        let request = EntryChange::Do(guard.id.clone(), EntryAction::Accept(acceptance));
        print_change(&change_entry_blocking(&store, namespace, request)?, "");
    }
    Ok(())
}
