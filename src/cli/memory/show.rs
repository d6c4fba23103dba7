//! `elenchus memory show` and `elenchus memory guardrails show`: one entry with its versions and the debates
//! that used it.

use super::entry_args::MemoryShowArgs;
use super::shelf::{open_existing, open_guardrails};
use crate::cli::common::{CommandContext, Page, output};
use anyhow::Result;
use elenchus_memory::{EntryKind, MemoryEntry};
use elenchus_records::workspace::memory::{
    ChairDecision, EntryUse, EntryUses, NamespaceEntries, find_uses,
};
use elenchus_text::{Content, PageItem};
use elenchus_view::memory::{EntryImport, EntryPage};
use serde_json::json;

/// Shows one entry with its origins and uses.
///
/// # Errors
/// When there is no such entry, or the namespace cannot be read.
pub fn run(args: &MemoryShowArgs, context: &CommandContext) -> Result<()> {
    let namespace_entries = open_existing(context, &args.place.namespace)?;
    let entry = namespace_entries.find_entry(&args.entry)?;
    let uses = find_and_report_uses(entry, &namespace_entries, context)?;
    if args.json {
        let mut line = json!({
            "namespace": namespace_entries.namespace,
            "entry": entry,
            "uses": uses_to_json(entry.kind(), &uses),
            "more_uses": uses.more,
            "replicates": uses.replicates,
        });
        if let Some(import) = namespace_entries.import_of(entry) {
            line["imported"] = json!({"at": import.at, "from": import.from});
        }
        return output::print_json_lines([line]);
    }
    print_entry(entry, &namespace_entries, uses, context)
}

/// Shows a guardrail with everything that happened to it.
///
/// # Errors
/// When there is none of that id.
pub fn print_guardrail(args: &MemoryShowArgs, context: &CommandContext) -> Result<()> {
    let namespace_entries = open_guardrails(context, &args.place.namespace)?;
    let guard = namespace_entries.find_kind(EntryKind::Guardrail, &args.entry)?;
    let entry_uses = find_and_report_uses(guard, &namespace_entries, context)?;
    if args.json {
        let debates = uses_to_json(EntryKind::Guardrail, &entry_uses);
        let mut line = serde_json::to_value(guard)?;
        if let Some(fields) = line.as_object_mut() {
            fields.insert("near".to_owned(), debates.into());
            fields.insert("more_near".to_owned(), entry_uses.more.into());
        }
        return output::print_json_lines([line]);
    }
    print_entry(guard, &namespace_entries, entry_uses, context)
}

/// Finds the debates that were shown an entry or asked about it, and prints what could not be read.
///
/// # Errors
/// When the sessions cannot be listed.
fn find_and_report_uses(
    entry: &MemoryEntry,
    namespace_entries: &NamespaceEntries,
    context: &CommandContext,
) -> Result<EntryUses> {
    let uses = find_uses(&context.store.layout, &namespace_entries.namespace, entry)?;
    for unread in &uses.unread {
        output::print_notice(&format!("notice: a session was not looked at: {unread}"));
    }
    Ok(uses)
}

/// Prints the page of an entry, the same as the workbench's.
fn print_entry(
    entry: &MemoryEntry,
    namespace_entries: &NamespaceEntries,
    uses: EntryUses,
    context: &CommandContext,
) -> Result<()> {
    let uses = Ok(uses);
    let page = EntryPage {
        content: Content::Shown,
        namespace: Some(&namespace_entries.namespace),
        uses: Some(&uses),
        keys: None,
        origin: EntryImport::find_import(namespace_entries, entry),
        shown_examples: context.store.guardrail_examples,
    };
    print_page(page.build_entry_page(entry, Vec::new()), context)
}

/// Prints a page.
///
/// # Errors
/// When standard output cannot be written to.
pub(super) fn print_page(items: Vec<PageItem>, context: &CommandContext) -> Result<()> {
    let mut page = Page::new(output::width(), context.colour);
    for item in items {
        page.add_paragraphs(&item.paragraphs);
    }
    output::print_text(&page.into_text())
}

/// Writes the debates whose look-up chose an entry of a kind.
fn uses_to_json(kind: EntryKind, uses: &EntryUses) -> Vec<serde_json::Value> {
    let debate_lines = uses.debates.iter().map(|one| {
        let mut line = json!(one);
        if let (EntryKind::Guardrail, Some(fields)) = (kind, line.as_object_mut()) {
            fields.insert("inherited".to_owned(), one.inherited.into());
            fields.insert("refused".to_owned(), one.refused.into());
            fields.insert("decided".to_owned(), decisions_json(one).into());
        }
        line
    });
    debate_lines.collect()
}

fn decisions_json(one: &EntryUse) -> serde_json::Map<String, serde_json::Value> {
    let words = one.decided.iter().map(|(chair, decided)| {
        let word = match decided {
            ChairDecision::Fired => "fired",
            ChairDecision::Another(_) => "another",
            ChairDecision::NoMatch => "no_match",
            ChairDecision::Unparsed(_) => "unparsed",
            ChairDecision::Failed(_) => "failed",
        };
        (chair.to_string(), json!(word))
    });
    words.collect()
}
