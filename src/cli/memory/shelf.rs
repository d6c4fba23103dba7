//! Entries of a namespace, as its commands read them.

use crate::cli::common::{Workshop, output};
use anyhow::Result;
use elenchus_memory::EntryKind;
use elenchus_records::workspace::memory::{NamespaceEntries, namespace_for};

/// Reads the guardrails of a namespace, and prints what was left out.
pub(super) fn open_guardrails(shop: &Workshop, namespace: &str) -> Result<NamespaceEntries> {
    let shelf = NamespaceEntries::read(&shop.layout, namespace)?;
    shelf.check_guardrails()?;
    output::notices(&shelf.notices);
    Ok(shelf)
}

/// Reads a namespace that must be there, and prints what was left out.
pub(super) fn open_existing(shop: &Workshop, namespace: &str) -> Result<NamespaceEntries> {
    let shelf = NamespaceEntries::read_existing(&shop.layout, namespace)?;
    output::notices(&shelf.notices);
    Ok(shelf)
}

/// Names the namespace of simulated debates where it has guardrails; for a namespace that has none.
pub(super) fn hint_at_simulated(shop: &Workshop, namespace: &str) -> String {
    let simulated = namespace_for(namespace, true);
    let there = NamespaceEntries::read(&shop.layout, &simulated);
    let count = |shelf: NamespaceEntries| shelf.folded.of_kind(EntryKind::Guardrail).count();
    match there.map_or(0, count) {
        0 => String::new(),
        _ if simulated == namespace => String::new(),
        many => format!(
            ", but '{simulated}', of simulated debates, has {many}: --namespace {simulated}"
        ),
    }
}
