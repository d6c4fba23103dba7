//! Entries of a namespace, as its commands read them.

use crate::cli::common::{CommandContext, ShortIds, output};
use anyhow::{Result, bail};
use elenchus_memory::{EntryKind, MemoryEntry};
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
    let layout = &context.store.layout;
    let namespace_entries =
        NamespaceEntries::read_existing(layout, namespace).inspect_err(|_| {
            let is_bare = layout.list_namespaces().is_ok_and(|all| all.is_empty());
            let other = is_bare.then(|| context.describe_other_store());
            if let Some(other) = other.flatten() {
                output::print_notice(&other);
            }
        })?;
    output::print_notices(&namespace_entries.notices);
    Ok(namespace_entries)
}

/// Shortens an id for a table so that it still says what it is an id of: a lesson and the guardrail of one debate
/// have the same end.
pub(super) fn shorten_id(short: &ShortIds, id: &str) -> String {
    let end = short.shorten(id);
    match id.split_once('-') {
        Some((kind, rest)) if end.len() < rest.len() => format!("{kind}-{end}"),
        Some(_) => id.to_owned(),
        None => end,
    }
}

/// Finds the guardrail that an id, its beginning or its end names.
///
/// # Errors
/// When none or several do, or a lesson does.
pub(super) fn find_guardrail<'a>(
    namespace_entries: &'a NamespaceEntries,
    text: &str,
) -> Result<&'a MemoryEntry> {
    let error = match namespace_entries.find_kind(EntryKind::Guardrail, text) {
        Ok(guard) => return Ok(guard),
        Err(error) => error,
    };
    if let Ok(lesson) = namespace_entries.find_kind(EntryKind::Lesson, text) {
        bail!(
            "{} is a lesson, and this is done to guardrails alone; 'elenchus memory list --kind guardrail' lists them",
            lesson.id
        );
    }
    Err(error.into())
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
