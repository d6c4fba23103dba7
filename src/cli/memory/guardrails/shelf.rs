//! Guardrails of a namespace, as its commands read them.

use crate::cli::common::{Workshop, output};
use crate::workspace::memory::{NamespaceGuards, namespace_for};

/// Names the namespace of simulated debates where it has guardrails; for a namespace that has none.
pub(super) fn hint_at_simulated(shop: &Workshop, namespace: &str) -> String {
    let simulated = namespace_for(namespace, true);
    let there = NamespaceGuards::read(&shop.layout, &simulated);
    match there.map_or(0, |shelf| shelf.fold.guards.len()) {
        0 => String::new(),
        _ if simulated == namespace => String::new(),
        many => format!(
            ", but '{simulated}', of simulated debates, has {many}: --namespace {simulated}"
        ),
    }
}

/// Reads the guardrails of a namespace and prints what was left out.
pub(super) fn read_guardrails(shop: &Workshop, namespace: &str) -> anyhow::Result<NamespaceGuards> {
    let shelf = NamespaceGuards::read(&shop.layout, namespace)?;
    for notice in &shelf.notices {
        output::notice(&format!("notice: {notice}"));
    }
    for misfit in &shelf.fold.misfits {
        output::notice(&format!("notice: {misfit}; it changes nothing"));
    }
    Ok(shelf)
}
