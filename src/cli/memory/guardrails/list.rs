//! `elenchus memory guardrails list`: guardrails with their status and tests.

use super::args::GuardListArgs;
use super::report;
use crate::cli::common::Exit;
use crate::cli::common::Workshop;
use crate::cli::common::{counted, output};
use crate::cli::common::{short_ids, table};
use crate::cli::memory::list::{is_listed, print_json};
use crate::cli::memory::shelf::{hint_at_simulated, open};
use crate::memory::{EntryKind, MemoryEntry};
use crate::workspace::memory::NamespaceEntries;

/// Lists guardrails in the order in which they were proposed.
///
/// # Errors
/// When a journal cannot be read.
pub fn run(args: &GuardListArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let shelf = open(shop, &args.place.namespace)?;
    let guards = shelf.folded.of_kind(EntryKind::Guardrail);
    let listed: Vec<&MemoryEntry> = guards.filter(|one| args.all || is_listed(one)).collect();
    if args.output.json {
        return print_json(&listed);
    }
    print_table(&listed, &shelf, shop)
}

/// Prints guardrails as a table, and what there is to say about those that are not in it.
///
/// # Errors
/// When standard output cannot be written to.
pub fn print_table(
    guards: &[&MemoryEntry],
    shelf: &NamespaceEntries,
    shop: &Workshop,
) -> anyhow::Result<Exit> {
    let namespace = &shelf.namespace;
    let ids: Vec<String> = guards.iter().map(|guard| guard.id.0.clone()).collect();
    let short = short_ids(&ids);
    let rows: Vec<[String; 5]> = guards
        .iter()
        .map(|guard| {
            [
                short.get(&guard.id.0).unwrap_or(&guard.id.0).clone(),
                guard.standing_words(),
                guard.report().map_or_else(
                    || "untested".to_owned(),
                    |report| report::percent(report.over_refused),
                ),
                guard.origins.len().to_string(),
                guard.text.clone(),
            ]
        })
        .collect();
    let heads = ["ID", "STANDING", "OVER-REFUSAL", "DEBATES", "INTENT"];
    output::out(&table(&heads, &rows, output::width()))?;
    let (unparsed, failed) = (shelf.folded.unparsed.len(), shelf.folded.failed.len());
    if unparsed + failed > 0 {
        output::notice(&format!(
            "besides, {} could not be read and {} failed; 'elenchus memory guardrails derive SESSION' tries again",
            counted(unparsed, "derivation"),
            counted(failed, "derivation"),
        ));
    }
    if rows.is_empty() {
        output::notice(&format!(
            "memory '{namespace}' has no guardrail{}; 'elenchus run --memory guardrails' proposes them from lessons",
            hint_at_simulated(shop, namespace)
        ));
    }
    Ok(Exit::Fine)
}
