//! `elenchus memory show` and `elenchus memory guardrails show`: one entry with its versions and the debates
//! that used it.

use super::entry_args::MemoryShowArgs;
use super::guardrail_page;
use super::shelf::{open_existing, open_guardrails};
use crate::cli::common::{Ink, Page, Workshop, counted, output};
use crate::memory::{EntryKind, MemoryEntry};
use crate::workspace::memory::{ChairDecision, EntryUse, EntryUses, NamespaceEntries, uses};
use anyhow::Result;
use serde_json::json;

/// Where the values of fields begin.
const COLUMN: usize = 12;

/// Shows one entry with its origins and uses.
///
/// # Errors
/// When there is no such entry, or the namespace cannot be read.
pub fn run(args: &MemoryShowArgs, shop: &Workshop) -> Result<()> {
    let shelf = open_existing(shop, &args.place.namespace)?;
    let entry = shelf.find(&args.entry)?;
    let uses = uses_of(entry, &shelf, shop)?;
    if args.json {
        let line = json!({
            "namespace": shelf.namespace,
            "entry": entry,
            "uses": uses_json(entry.kind(), &uses),
            "more_uses": uses.more,
            "replicates": uses.replicates,
        });
        return output::json_lines([line]);
    }
    let mut page = Page::new(output::width(), shop.colour);
    match entry.kind() {
        EntryKind::Lesson => {
            head(&mut page, entry, &shelf.namespace);
            texts(&mut page, entry);
            origins(&mut page, entry);
            used(&mut page, &uses);
        }
        EntryKind::Guardrail => guardrail_page::write(&mut page, entry, &uses),
    }
    output::out(&page.finish())
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
    let mut page = Page::new(output::width(), shop.colour);
    guardrail_page::write(&mut page, guard, &found);
    output::out(&page.finish())
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

fn head(page: &mut Page, entry: &MemoryEntry, namespace: &str) {
    page.bold(&entry.id.0);
    page.field(2, "memory", COLUMN, namespace);
    page.field(2, "state", COLUMN, entry.standing().word());
    let by = format!("{}, in journal {}", entry.at, entry.journal);
    page.field(2, "written", COLUMN, &by);
    page.gap();
    page.prose(Ink::Plain, 2, &entry.text);
}

fn texts(page: &mut Page, entry: &MemoryEntry) {
    if entry.earlier.is_empty() {
        return;
    }
    page.title("Earlier texts");
    for (revision, version) in entry.earlier.iter().enumerate() {
        page.at(2).dim(&format!(
            "{revision}: {}, in journal {}",
            version.at, version.journal
        ));
        page.prose(Ink::Plain, 4, &version.text);
    }
}

fn origins(page: &mut Page, entry: &MemoryEntry) {
    page.gap();
    if entry.origins.is_empty() {
        page.bold("Written by a person");
        return;
    }
    page.bold("Taught by");
    for origin in &entry.origins {
        let run = match (&origin.run, origin.batch) {
            (Some(run), Some(batch)) => format!(" of run {run}, batch {batch}"),
            (Some(run), None) => format!(" of run {run}"),
            (None, _) => String::new(),
        };
        page.at(2).line(&format!("session {}{run}", origin.session));
        page.at(4).dim(&format!("about: {}", origin.topic_text));
        let merged = entry.merged.iter();
        for lesson in merged.filter(|lesson| lesson.session == origin.session) {
            page.at(4).dim("it said nearly the same, in these words:");
            page.prose(Ink::Plain, 6, &lesson.text);
        }
    }
}

fn used(page: &mut Page, uses: &EntryUses) {
    page.gap();
    let count = match (uses.debates.len(), uses.more) {
        (0, _) => "Shown to no debate".to_owned(),
        (1, false) => "Shown to 1 debate".to_owned(),
        (many, false) => format!("Shown to {many} debates"),
        (many, true) => format!("Shown to {many} debates and more"),
    };
    page.bold(&count);
    for one in &uses.debates {
        let text = match one.revision {
            Some(0) => String::new(),
            Some(revision) => format!(", text {revision}"),
            None => ", in words it has not had here".to_owned(),
        };
        page.at(2).line(&format!(
            "session {} ({}, place {}, score {:.3} by {}{text})",
            one.session, one.protocol, one.rank, one.score, one.retriever
        ));
        page.at(4).dim(&format!("about: {}", one.topic));
    }
    if uses.replicates > 0 {
        let given = counted(uses.replicates, "replicate");
        page.at(2).dim(&format!(
            "besides, {given} that left an entry out had it by plan"
        ));
    }
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
