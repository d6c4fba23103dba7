//! `elenchus memory list` and `elenchus memory guardrails list`: entries of a namespace.

use super::args::MemoryListArgs;
use super::guardrails::args::GuardListArgs;
use super::guardrails::report;
use super::shelf::{hint_at_simulated, open_existing, open_guardrails};
use crate::cli::common::{Column, ShortIds, Workshop, counted, output, print_table};
use anyhow::Result;
use elenchus_memory::{EntryKind, GuardStatus, MemoryEntry};
use elenchus_records::workspace::StoreIndex;
use elenchus_records::workspace::memory::{NamespaceEntries, NamespaceOverview, namespaces};
use serde_json::json;
use std::collections::BTreeMap;

/// Head of the column that says whether an entry was written here or imported.
const ORIGIN: &str = "ORIGIN";

/// Lists the entries of a namespace, or the namespaces.
///
/// # Errors
/// When a journal cannot be read, or there is no such namespace.
pub fn run(args: &MemoryListArgs, shop: &Workshop) -> Result<()> {
    if args.namespaces {
        return list_namespaces(args, shop);
    }
    let shelf = open_existing(shop, &args.place.namespace)?;
    let kinds = args.kind.kinds();
    if kinds.contains(&EntryKind::Guardrail) {
        shelf.check_guardrails()?;
    }
    let entries = shelf.folded.entries.iter().rev();
    let listed: Vec<&MemoryEntry> = entries
        .filter(|entry| kinds.contains(&entry.kind()) && (args.all || is_listed(entry)))
        .take(args.limit.unwrap_or(usize::MAX))
        .collect();
    if args.output.json {
        return output::json_lines(&listed);
    }
    for kind in kinds {
        let of_kind = listed.iter().copied().filter(|entry| entry.kind() == *kind);
        let of_kind: Vec<&MemoryEntry> = of_kind.collect();
        match kind {
            EntryKind::Lesson => print_lessons(&of_kind, &shelf, shop)?,
            EntryKind::Guardrail => print_guardrails(&of_kind, &shelf, shop)?,
        };
    }
    Ok(())
}

/// Says whether an entry is listed unasked: neither deleted nor rejected.
fn is_listed(entry: &MemoryEntry) -> bool {
    !entry.deleted && entry.acceptance() != Some(GuardStatus::Rejected)
}

fn print_lessons(listed: &[&MemoryEntry], shelf: &NamespaceEntries, shop: &Workshop) -> Result<()> {
    let short = ShortIds::among(listed.iter().map(|entry| entry.id.0.as_str()));
    let came = |entry: &&MemoryEntry| match shelf.import_of(entry) {
        Some(_) => "imported".to_owned(),
        None => "here".to_owned(),
    };
    let columns: [Column<'_, &MemoryEntry>; 6] = [
        ("ID", &|entry| short.of(&entry.id.0)),
        ("STATE", &|entry| entry.standing().word().to_owned()),
        ("TAUGHT BY", &|entry| taught_by(entry)),
        (ORIGIN, &came),
        ("WRITTEN", &|entry| output::day(&entry.at)),
        ("TEXT", &|entry| entry.text.clone()),
    ];
    // A column in which all is the same says nothing.
    let any_came = listed.iter().any(|entry| shelf.import_of(entry).is_some());
    let columns = columns.into_iter();
    let columns: Vec<Column<'_, &MemoryEntry>> = columns
        .filter(|(head, _)| any_came || *head != ORIGIN)
        .collect();
    print_table(listed.iter().copied(), &columns)?;
    let counts = shelf.counts();
    output::notice(&format!(
        "memory '{}': {} live, {} disabled, {} deleted",
        shelf.namespace, counts.live, counts.disabled, counts.deleted
    ));
    print_origins(listed, shelf);
    if let Some(line) = shop.embedding.places().by_words() {
        output::notice(line);
    }
    Ok(())
}

/// Says where entries came from that were not written here, and how many of them wait to be accepted.
fn print_origins(listed: &[&MemoryEntry], shelf: &NamespaceEntries) {
    let mut imports: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for entry in listed {
        if let Some(import) = shelf.import_of(entry) {
            let (count, waiting) = imports.entry(import.to_string()).or_default();
            *count += 1;
            *waiting += usize::from(shelf.waiting.contains(&entry.id));
        }
    }
    for (import, (count, waiting)) in imports {
        let waits = match waiting {
            0 => String::new(),
            _ => format!("; {waiting} wait, disabled, for 'elenchus memory enable'"),
        };
        output::notice(&format!("{import}: {count} of them{waits}"));
    }
}

/// Lists guardrails in the order in which they were proposed.
pub fn guardrails(args: &GuardListArgs, shop: &Workshop) -> Result<()> {
    let shelf = open_guardrails(shop, &args.place.namespace)?;
    let guards = shelf.folded.of_kind(EntryKind::Guardrail);
    let listed: Vec<&MemoryEntry> = guards.filter(|one| args.all || is_listed(one)).collect();
    if args.output.json {
        return output::json_lines(&listed);
    }
    print_guardrails(&listed, &shelf, shop)
}

/// Prints guardrails as a table, and what there is to say about those that are not in it.
fn print_guardrails(
    guards: &[&MemoryEntry],
    shelf: &NamespaceEntries,
    shop: &Workshop,
) -> Result<()> {
    let namespace = &shelf.namespace;
    let short = ShortIds::among(guards.iter().map(|guard| guard.id.0.as_str()));
    let tested = |guard: &MemoryEntry| match guard.report() {
        Some(report) => report::percent(report.over_refused),
        None => "untested".to_owned(),
    };
    print_table(
        guards,
        &[
            ("ID", &|guard| short.of(&guard.id.0)),
            ("STANDING", &|guard| guard.standing_words()),
            ("OVER-REFUSAL", &|guard| tested(guard)),
            ("DEBATES", &|guard| guard.origins.len().to_string()),
            ("INTENT", &|guard| guard.text.clone()),
        ],
    )?;
    print_origins(guards, shelf);
    let (unparsed, failed) = (shelf.folded.unparsed.len(), shelf.folded.failed.len());
    if unparsed + failed > 0 {
        output::notice(&format!(
            "besides, {} could not be read and {} failed; 'elenchus memory guardrails derive SESSION' tries again",
            counted(unparsed, "derivation"),
            counted(failed, "derivation"),
        ));
    }
    if guards.is_empty() {
        output::notice(&format!(
            "memory '{namespace}' has no guardrail{}; 'elenchus run --memory guardrails' proposes them from lessons",
            hint_at_simulated(shop, namespace)
        ));
    }
    Ok(())
}

/// Says how many debates taught an entry.
pub fn taught_by(entry: &MemoryEntry) -> String {
    match (entry.origins.len(), entry.revision) {
        (0, _) => "a person".to_owned(),
        (1, 0) => "1 debate".to_owned(),
        (1, _) => "1, edited".to_owned(),
        (many, 0) => format!("{many} debates"),
        (many, _) => format!("{many}, edited"),
    }
}

fn list_namespaces(args: &MemoryListArgs, shop: &Workshop) -> Result<()> {
    let index = StoreIndex::for_memory(&shop.layout, &shop.layout.namespaces()?);
    let found = namespaces(&index)?;
    index.write();
    if args.output.json {
        return output::json_lines(found.iter().map(glance_json));
    }
    if found.is_empty() {
        output::notice("there is no memory yet; debates of games that write lessons begin one");
        return Ok(());
    }
    output::notices(found.iter().filter_map(|one| one.counts.as_ref().err()));
    let count = |one: &NamespaceOverview, at: usize| match &one.counts {
        Ok(counts) => [counts.live, counts.disabled, counts.deleted][at].to_string(),
        Err(_) => "?".to_owned(),
    };
    print_table(
        &found,
        &[
            ("LIVE", &|one| count(one, 0)),
            ("DISABLED", &|one| count(one, 1)),
            ("DELETED", &|one| count(one, 2)),
            ("NAMESPACE", &|one| one.name.clone()),
        ],
    )
}

fn glance_json(glance: &NamespaceOverview) -> serde_json::Value {
    match &glance.counts {
        Ok(counts) => json!({
            "namespace": glance.name,
            "live": counts.live,
            "disabled": counts.disabled,
            "deleted": counts.deleted,
        }),
        Err(why) => json!({"namespace": glance.name, "unread": why}),
    }
}
