//! Entries of a namespace, as its commands read them.

use crate::cli::common::{CommandContext, output};
use anyhow::Result;
use elenchus_memory::EntryKind;
use elenchus_records::workspace::memory::{NamespaceEntries, namespace_for};

/// Reads the guardrails of a namespace, and prints what was left out.
pub(super) fn open_guardrails(
    context: &CommandContext,
    namespace: &str,
) -> Result<NamespaceEntries> {
    let namespace_entries = NamespaceEntries::read_entries(&context.store.layout, namespace)?;
    namespace_entries.check_guardrails()?;
    output::print_notices(&namespace_entries.notices);
    Ok(namespace_entries)
}

/// Reads a namespace that must be there, and prints what was left out.
pub(super) fn open_existing(context: &CommandContext, namespace: &str) -> Result<NamespaceEntries> {
    let namespace_entries = NamespaceEntries::read_existing(&context.store.layout, namespace)?;
    output::print_notices(&namespace_entries.notices);
    Ok(namespace_entries)
}

/// Names the namespace of simulated debates where it has guardrails; for a namespace that has none.
pub(super) fn simulated_namespace_hint(context: &CommandContext, namespace: &str) -> String {
    let simulated_namespace = namespace_for(namespace, true);
    let simulated_entries =
        NamespaceEntries::read_entries(&context.store.layout, &simulated_namespace);
    let count = |namespace_entries: NamespaceEntries| {
        namespace_entries
            .folded
            .entries_of_kind(EntryKind::Guardrail)
            .count()
    };
    match simulated_entries.map_or(0, count) {
        0 => String::new(),
        _ if simulated_namespace == namespace => String::new(),
        many => format!(
            ", but '{simulated_namespace}', of simulated debates, has {many}: --namespace {simulated_namespace}"
        ),
    }
}
