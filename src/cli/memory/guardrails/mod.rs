//! Commands of `elenchus memory` on guardrails alone: derived, tested, accepted, rejected; and `elenchus memory
//! guardrails`, the form that earlier versions had. What is done to entries of both kinds is in the folder above.

pub(super) mod args;
mod derive;
pub(super) mod report;
mod test;

pub(crate) use args::{EarlierGuardrailCommand, GuardrailCommand};

use super::change::{
    add_text, change_entries, change_entry_blocking, edit_entry, parse_guardrail, print_change,
};
use super::entry_args::MemoryEntriesArgs;
use super::shelf::{find_guardrail, open_guardrails};
use super::{export_import, list, show};
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
pub fn run(command: &GuardrailCommand, context: &CommandContext) -> Result<Exit> {
    match command {
        GuardrailCommand::Derive(args) => return derive::run(args, context),
        GuardrailCommand::Test(args) => return test::run(args, context),
        GuardrailCommand::Accept(args) => accept_guardrails(args, context)?,
        GuardrailCommand::Reject(args) => change_guardrails(EntryAction::Reject, args, context)?,
        GuardrailCommand::Reopen(args) => change_guardrails(EntryAction::Reopen, args, context)?,
    }
    Ok(Exit::Fine)
}

/// Runs a command in the form of earlier versions.
///
/// # Errors
/// As [`run`].
pub fn run_earlier(command: &EarlierGuardrailCommand, context: &CommandContext) -> Result<Exit> {
    use EarlierGuardrailCommand as Earlier;
    match command {
        Earlier::List(args) => list::list_guardrails(args, context)?,
        Earlier::Show(args) => show::print_guardrail(args, context)?,
        Earlier::Add(args) => {
            let text = parse_guardrail(&args.intent, &args.example)?;
            add_text(&args.place.namespace, text, context)?;
        }
        Earlier::Edit(args) => {
            let namespace = &args.place.namespace;
            let namespace_entries = open_guardrails(context, namespace)?;
            let guard = find_guardrail(&namespace_entries, &args.guardrail)?;
            edit_entry(
                namespace,
                guard,
                args.intent.clone(),
                &args.example,
                context,
            )?;
        }
        Earlier::Disable(args) => change_guardrails(EntryAction::Disable, args, context)?,
        Earlier::Enable(args) => change_guardrails(EntryAction::Enable, args, context)?,
        Earlier::Delete(args) => change_guardrails(EntryAction::Delete, args, context)?,
        Earlier::Restore(args) => change_guardrails(EntryAction::Restore, args, context)?,
        Earlier::Export(args) => export_import::run_export(args, context)?,
        Earlier::Import(args) => return export_import::import_files(args, context),
        Earlier::OfGuardrails(command) => return run(command, context),
    }
    Ok(Exit::Fine)
}

fn change_guardrails(
    action: EntryAction,
    args: &MemoryEntriesArgs,
    context: &CommandContext,
) -> Result<()> {
    change_entries((action, ""), args, Some(EntryKind::Guardrail), context)
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
        .map(|text| find_guardrail(&namespace_entries, text));
    let guards = guards.collect::<Result<Vec<_>>>()?;
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
