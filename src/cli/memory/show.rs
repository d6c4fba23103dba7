//! `elenchus memory show` and `elenchus memory guardrails show`: one entry with its versions and the debates
//! that used it.

use super::entry_args::MemoryShowArgs;
use super::shelf::{open_existing, open_guardrails};
use crate::cli::common::{Page, Workshop, output};
use anyhow::Result;
use elenchus_memory::{EntryKind, MemoryEntry};
use elenchus_records::workspace::memory::{
    ChairDecision, EntryUse, EntryUses, NamespaceEntries, uses,
};
use elenchus_text::{Content, PageItem};
use elenchus_view::memory::{EntryImport, EntryPage};
use serde_json::json;

/// Shows one entry with its origins and uses.
///
/// # Errors
/// When there is no such entry, or the namespace cannot be read.
pub fn run(args: &MemoryShowArgs, shop: &Workshop) -> Result<()> {
    let shelf = open_existing(shop, &args.place.namespace)?;
    let entry = shelf.find(&args.entry)?;
    let uses = uses_of(entry, &shelf, shop)?;
    if args.json {
        let mut line = json!({
            "namespace": shelf.namespace,
            "entry": entry,
            "uses": uses_json(entry.kind(), &uses),
            "more_uses": uses.more,
            "replicates": uses.replicates,
        });
        if let Some(import) = shelf.import_of(entry) {
            line["imported"] = json!({"at": import.at, "from": import.from});
        }
        return output::json_lines([line]);
    }
    print(entry, &shelf, uses, shop)
}

/// Shows a guardrail with everything that happened to it.
///
/// # Errors
/// When there is none of that id.
pub fn guardrail(args: &MemoryShowArgs, shop: &Workshop) -> Result<()> {
    let shelf = open_guardrails(shop, &args.place.namespace)?;
    let guard = shelf.find_kind(EntryKind::Guardrail, &args.entry)?;
    let found = uses_of(guard, &shelf, shop)?;
    if args.json {
        let debates = uses_json(EntryKind::Guardrail, &found);
        let mut line = serde_json::to_value(guard)?;
        if let Some(fields) = line.as_object_mut() {
            fields.insert("near".to_owned(), debates.into());
            fields.insert("more_near".to_owned(), found.more.into());
        }
        return output::json_lines([line]);
    }
    print(guard, &shelf, found, shop)
}

/// Finds the debates that were shown an entry or asked about it, and prints what could not be read.
///
/// # Errors
/// When the sessions cannot be listed.
fn uses_of(entry: &MemoryEntry, shelf: &NamespaceEntries, shop: &Workshop) -> Result<EntryUses> {
    let uses = uses(&shop.layout, &shelf.namespace, entry)?;
    for unread in &uses.unread {
        output::notice(&format!("notice: a session was not looked at: {unread}"));
    }
    Ok(uses)
}

/// Prints the page of an entry, the same as the workbench's.
fn print(
    entry: &MemoryEntry,
    shelf: &NamespaceEntries,
    uses: EntryUses,
    shop: &Workshop,
) -> Result<()> {
    let uses = Ok(uses);
    let page = EntryPage {
        content: Content::Shown,
        namespace: Some(&shelf.namespace),
        uses: Some(&uses),
        keys: None,
        origin: EntryImport::of(shelf, entry),
    };
    print_items(page.entry(entry, Vec::new()), shop)
}

/// Prints a page.
///
/// # Errors
/// When standard output cannot be written to.
pub(super) fn print_items(items: Vec<PageItem>, shop: &Workshop) -> Result<()> {
    let mut page = Page::new(output::width(), shop.colour);
    for item in items {
        page.paragraphs(&item.paragraphs);
    }
    output::out(&page.finish())
}

/// Writes the debates whose look-up chose an entry of a kind.
fn uses_json(kind: EntryKind, uses: &EntryUses) -> Vec<serde_json::Value> {
    let written = uses.debates.iter().map(|one| {
        let mut line = json!(one);
        if let (EntryKind::Guardrail, Some(fields)) = (kind, line.as_object_mut()) {
            fields.insert("inherited".to_owned(), one.inherited.into());
            fields.insert("refused".to_owned(), one.refused.into());
            fields.insert("decided".to_owned(), decisions(one).into());
        }
        line
    });
    written.collect()
}

fn decisions(one: &EntryUse) -> serde_json::Map<String, serde_json::Value> {
    let decided = one.decided.iter().map(|(chair, decided)| {
        let word = match decided {
            ChairDecision::Fired => "fired",
            ChairDecision::Another(_) => "another",
            ChairDecision::NoMatch => "no_match",
            ChairDecision::Unparsed(_) => "unparsed",
            ChairDecision::Failed(_) => "failed",
        };
        (chair.to_string(), json!(word))
    });
    decided.collect()
}
