//! `elenchus memory list` and `elenchus memory guardrails list`: entries of a namespace.

use super::args::MemoryListArgs;
use super::guardrails::args::GuardListArgs;
use super::guardrails::report;
use super::shelf::{open_existing, open_guardrails, shorten_id, simulated_namespace_hint};
use crate::cli::common::{
    Column, CommandContext, ShortIds, format_noun_count, output, print_table,
};
use anyhow::Result;
use elenchus_memory::{EntryKind, GuardStatus, MemoryEntry};
use elenchus_records::workspace::StoreIndex;
use elenchus_records::workspace::memory::{
    NamespaceEntries, NamespaceOverview, summarize_namespaces,
};
use serde_json::json;
use std::collections::BTreeMap;

/// Head of the column that says whether an entry was written here or imported.
const ORIGIN: &str = "ORIGIN";

/// Lists the entries of a namespace, or the namespaces.
///
/// # Errors
/// When a journal cannot be read, or there is no such namespace.
pub fn run(args: &MemoryListArgs, context: &CommandContext) -> Result<()> {
    if args.namespaces {
        return list_namespaces(args, context);
    }
    let namespace_entries = open_existing(context, &args.place.namespace)?;
    let kinds = args.kind.entry_kinds();
    if kinds.contains(&EntryKind::Guardrail) {
        namespace_entries.check_guardrails()?;
    }
    let entries = namespace_entries.folded.entries.iter().rev();
    let rows: Vec<&MemoryEntry> = entries
        .filter(|entry| kinds.contains(&entry.kind()) && (args.all || is_listed(entry)))
        .take(args.limit.unwrap_or(usize::MAX))
        .collect();
    if args.output.json {
        return output::print_json_lines(&rows);
    }
    for kind in kinds {
        let of_kind = rows.iter().copied().filter(|entry| entry.kind() == *kind);
        let of_kind: Vec<&MemoryEntry> = of_kind.collect();
        match kind {
            EntryKind::Lesson => print_lessons(&of_kind, &namespace_entries, context)?,
            EntryKind::Guardrail => print_guardrails(&of_kind, &namespace_entries, context)?,
        };
    }
    Ok(())
}

/// Says whether an entry is listed unasked: neither deleted nor rejected.
fn is_listed(entry: &MemoryEntry) -> bool {
    !entry.deleted && entry.acceptance() != Some(GuardStatus::Rejected)
}

fn print_lessons(
    listed: &[&MemoryEntry],
    namespace_entries: &NamespaceEntries,
    context: &CommandContext,
) -> Result<()> {
    let short = ShortIds::from_ids(listed.iter().map(|entry| entry.id.0.as_str()));
    let origin = |entry: &&MemoryEntry| match namespace_entries.import_of(entry) {
        Some(_) => "imported".to_owned(),
        None => "here".to_owned(),
    };
    let columns: [Column<'_, &MemoryEntry>; 6] = [
        ("ID", &|entry| shorten_id(&short, &entry.id.0)),
        ("STATE", &|entry| entry.availability().name().to_owned()),
        ("TAUGHT BY", &|entry| describe_teachers(entry)),
        (ORIGIN, &origin),
        ("WRITTEN", &|entry| output::day_part(&entry.at)),
        ("TEXT", &|entry| entry.text.clone()),
    ];
    // A column in which all is the same says nothing.
    let has_imports = listed
        .iter()
        .any(|entry| namespace_entries.import_of(entry).is_some());
    let columns = columns.into_iter();
    let columns: Vec<Column<'_, &MemoryEntry>> = columns
        .filter(|(head, _)| has_imports || *head != ORIGIN)
        .collect();
    print_table(listed.iter().copied(), &columns)?;
    let counts = namespace_entries.lesson_counts();
    output::print_notice(&format!(
        "memory '{}': {} live, {} disabled, {} deleted",
        namespace_entries.namespace, counts.live, counts.disabled, counts.deleted
    ));
    print_origins(listed, namespace_entries);
    if let Some(line) = context.embedding.describe_word_search() {
        output::print_notice(line);
    }
    Ok(())
}

/// Says where entries came from that were not written here, and how many of them wait to be accepted.
fn print_origins(listed: &[&MemoryEntry], namespace_entries: &NamespaceEntries) {
    let mut imports: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for entry in listed {
        if let Some(import) = namespace_entries.import_of(entry) {
            let (count, waiting) = imports.entry(import.to_string()).or_default();
            *count += 1;
            *waiting += usize::from(namespace_entries.waiting.contains(&entry.id));
        }
    }
    for (import, (count, waiting)) in imports {
        let waits = match waiting {
            0 => String::new(),
            _ => format!("; {waiting} wait, disabled, for 'elenchus memory enable'"),
        };
        output::print_notice(&format!("{import}: {count} of them{waits}"));
    }
}

/// Lists guardrails in the order in which they were proposed.
pub fn list_guardrails(args: &GuardListArgs, context: &CommandContext) -> Result<()> {
    let namespace_entries = open_guardrails(context, &args.place.namespace)?;
    let guards = namespace_entries
        .folded
        .entries_of_kind(EntryKind::Guardrail);
    let rows: Vec<&MemoryEntry> = guards.filter(|one| args.all || is_listed(one)).collect();
    if args.output.json {
        return output::print_json_lines(&rows);
    }
    print_guardrails(&rows, &namespace_entries, context)
}

/// Prints guardrails as a table, and what there is to say about those that are not in it.
fn print_guardrails(
    guards: &[&MemoryEntry],
    namespace_entries: &NamespaceEntries,
    context: &CommandContext,
) -> Result<()> {
    let namespace = &namespace_entries.namespace;
    let short = ShortIds::from_ids(guards.iter().map(|guard| guard.id.0.as_str()));
    let over_refusal = |guard: &MemoryEntry| match guard.current_report() {
        Some(report) => report::format_share(report.over_refused),
        None => "untested".to_owned(),
    };
    print_table(
        guards,
        &[
            ("ID", &|guard| shorten_id(&short, &guard.id.0)),
            ("STANDING", &|guard| guard.describe_status()),
            ("OVER-REFUSAL", &|guard| over_refusal(guard)),
            ("DEBATES", &|guard| guard.origins.len().to_string()),
            ("INTENT", &|guard| guard.text.clone()),
        ],
    )?;
    print_origins(guards, namespace_entries);
    let (unparsed, failed) = (
        namespace_entries.folded.unparsed.len(),
        namespace_entries.folded.failed.len(),
    );
    if unparsed + failed > 0 {
        output::print_notice(&format!(
            "besides, {} could not be read and {} failed; 'elenchus memory derive SESSION' tries again",
            format_noun_count(unparsed, "derivation"),
            format_noun_count(failed, "derivation"),
        ));
    }
    if guards.is_empty() {
        output::print_notice(&format!(
            "memory '{namespace}' has no guardrail{}; 'elenchus run --memory guardrails' proposes them from lessons",
            simulated_namespace_hint(context, namespace)
        ));
    }
    Ok(())
}

/// Says how many debates taught an entry.
pub fn describe_teachers(entry: &MemoryEntry) -> String {
    match (entry.origins.len(), entry.revision) {
        (0, _) => "a person".to_owned(),
        (1, 0) => "1 debate".to_owned(),
        (1, _) => "1, edited".to_owned(),
        (many, 0) => format!("{many} debates"),
        (many, _) => format!("{many}, edited"),
    }
}

fn list_namespaces(args: &MemoryListArgs, context: &CommandContext) -> Result<()> {
    let index = StoreIndex::open_memory(
        &context.store.layout,
        &context.store.layout.list_namespaces()?,
    );
    let overviews = summarize_namespaces(&index)?;
    index.write_changes();
    if args.output.json {
        return output::print_json_lines(overviews.iter().map(namespace_to_json));
    }
    if overviews.is_empty() {
        output::print_notice(
            "there is no memory yet; debates of games that write lessons begin one",
        );
        return Ok(());
    }
    output::print_notices(overviews.iter().filter_map(|one| one.counts.as_ref().err()));
    let count = |one: &NamespaceOverview, at: usize| match &one.counts {
        Ok(counts) => [counts.live, counts.disabled, counts.deleted][at].to_string(),
        Err(_) => "?".to_owned(),
    };
    print_table(
        &overviews,
        &[
            ("LIVE", &|one| count(one, 0)),
            ("DISABLED", &|one| count(one, 1)),
            ("DELETED", &|one| count(one, 2)),
            ("LESSONS", &|one| match &one.counts {
                Ok(counts) => counts.lessons_sha256.chars().take(8).collect(),
                Err(_) => "?".to_owned(),
            }),
            ("NAMESPACE", &|one| one.name.clone()),
        ],
    )
}

fn namespace_to_json(overview: &NamespaceOverview) -> serde_json::Value {
    match &overview.counts {
        Ok(counts) => json!({
            "namespace": overview.name,
            "live": counts.live,
            "disabled": counts.disabled,
            "deleted": counts.deleted,
            "lessons_sha256": counts.lessons_sha256,
        }),
        Err(why) => json!({"namespace": overview.name, "unread": why}),
    }
}
