//! Entries of a namespace, as its commands read them.

use crate::cli::common::{Workshop, output};
use crate::memory::{EntryKind, MemoryEntry};
use crate::workspace::memory::{NamespaceEntries, namespace_for};

/// Reads a namespace and prints what was left out.
pub(super) fn open(shop: &Workshop, namespace: &str) -> anyhow::Result<NamespaceEntries> {
    told(NamespaceEntries::read(&shop.layout, namespace)?)
}

/// Reads a namespace that must be there, and prints what was left out.
pub(super) fn open_existing(shop: &Workshop, namespace: &str) -> anyhow::Result<NamespaceEntries> {
    told(NamespaceEntries::read_existing(&shop.layout, namespace)?)
}

fn told(shelf: NamespaceEntries) -> anyhow::Result<NamespaceEntries> {
    for notice in &shelf.notices {
        output::notice(&format!("notice: {notice}"));
    }
    Ok(shelf)
}

/// Finds an entry, of this kind where it is given.
pub(super) fn find<'a>(
    shelf: &'a NamespaceEntries,
    kind: Option<EntryKind>,
    text: &str,
) -> anyhow::Result<&'a MemoryEntry> {
    Ok(match kind {
        Some(kind) => shelf.find_kind(kind, text)?,
        None => shelf.find(text)?,
    })
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
