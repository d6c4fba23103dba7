//! `elenchus memory guardrails export`: accepted guardrails as a NeMo Guardrails configuration.

use super::args::GuardExportArgs;
use crate::cli::common::{Workshop, counted, output};
use crate::cli::memory::shelf::open_guardrails;
use anyhow::{Context, Result};
use elenchus_memory::{EntryKind, EntryStatus, GuardStatus, MemoryEntry};
use elenchus_records::exchange::colang::colang;
use elenchus_records::workspace::write_new;

/// Writes guardrails as a configuration.
///
/// # Errors
/// When there is none, one cannot be written as a flow, or a file is there already.
pub fn run(args: &GuardExportArgs, shop: &Workshop) -> Result<()> {
    let shelf = open_guardrails(shop, &args.place.namespace)?;
    let wanted = |guard: &&MemoryEntry| {
        let proposed = args.proposed && guard.acceptance() == Some(GuardStatus::Proposed);
        guard.is_used() || (proposed && guard.standing() == EntryStatus::Live)
    };
    let guards = shelf.folded.of_kind(EntryKind::Guardrail).filter(wanted);
    let guards: Vec<&MemoryEntry> = guards.collect();
    let written = colang(&guards)?;
    let folder = &args.colang;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("the folder {} could not be made", folder.display()))?;
    for (name, text) in [
        ("config.yml", &written.config),
        ("guardrails.co", &written.flows),
    ] {
        write_new(&folder.join(name), text.as_bytes())?;
    }
    output::notice(&format!(
        "{} written to {}",
        counted(guards.len(), "guardrail"),
        folder.display()
    ));
    Ok(())
}
