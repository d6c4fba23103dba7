//! `elenchus memory export --colang`: accepted guardrails as a NeMo Guardrails configuration.

use super::entry_args::MemoryExportArgs;
use super::shelf::open_guardrails;
use crate::cli::common::args::advise_on_existing;
use crate::cli::common::{CommandContext, format_noun_count, output};
use anyhow::{Context, Result};
use elenchus_memory::{EntryKind, EntryStatus, GuardStatus, MemoryEntry};
use elenchus_records::exchange::colang::format_colang;
use elenchus_records::workspace::write_export;
use std::path::Path;

/// Writes guardrails as a configuration to a folder.
///
/// # Errors
/// When there is none, one cannot be written as a flow, or a file is there already.
pub fn export_guardrails(
    folder: &Path,
    args: &MemoryExportArgs,
    context: &CommandContext,
) -> Result<()> {
    let namespace_entries = open_guardrails(context, &args.place.namespace)?;
    let is_exported = |guard: &&MemoryEntry| {
        let is_proposed = args.proposed && guard.acceptance() == Some(GuardStatus::Proposed);
        guard.is_active() || (is_proposed && guard.availability() == EntryStatus::Live)
    };
    let guards = namespace_entries
        .folded
        .entries_of_kind(EntryKind::Guardrail)
        .filter(is_exported);
    let guards: Vec<&MemoryEntry> = guards.collect();
    let files = format_colang(&guards)?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("the folder {} could not be made", folder.display()))?;
    for (name, text) in [
        ("config.yml", &files.config),
        ("guardrails.co", &files.flows),
    ] {
        let file = folder.join(name);
        write_export(&file, args.existing.existing_file(), text.as_bytes())
            .map_err(advise_on_existing)?;
    }
    output::print_notice(&format!(
        "{} written to {}",
        format_noun_count(guards.len(), "guardrail"),
        folder.display()
    ));
    Ok(())
}
