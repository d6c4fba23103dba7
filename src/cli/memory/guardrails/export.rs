//! `elenchus memory guardrails export`: accepted guardrails as a NeMo Guardrails configuration.

use super::args::GuardExportArgs;
use super::shelf::read_guardrails;
use crate::cli::common::Exit;
use crate::cli::common::Workshop;
use crate::cli::common::{counted, output};
use crate::exchange::colang::colang;
use crate::memory::{Guard, GuardStatus};
use crate::workspace::write_new;
use anyhow::Context;

/// Writes guardrails as a configuration.
///
/// # Errors
/// When there is none, one cannot be written as a flow, or a file is there already.
pub fn run(args: &GuardExportArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let shelf = read_guardrails(shop, &args.place.namespace)?;
    let wanted = |guard: &&Guard| {
        let proposed = args.proposed && guard.standing == GuardStatus::Proposed;
        guard.is_used() || (proposed && !guard.disabled && !guard.deleted)
    };
    let guards: Vec<&Guard> = shelf.fold.guards.iter().filter(wanted).collect();
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
    Ok(Exit::Fine)
}
