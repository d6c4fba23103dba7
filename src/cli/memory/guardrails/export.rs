//! `elenchus memory guardrails export`.

use super::shelf;
use crate::cli::args_guard::GuardExportArgs;
use crate::cli::exit::Exit;
use crate::cli::page::{self, counted};
use crate::cli::workshop::Workshop;
use crate::driver::desk::write_new;
use crate::exchange::colang::colang;
use crate::memory::{Guard, Standing};
use anyhow::Context;

/// Writes guardrails as a configuration.
///
/// # Errors
/// When there is none, one cannot be written as a flow, or a file is there already.
pub fn run(args: &GuardExportArgs, shop: &Workshop) -> anyhow::Result<Exit> {
    let shelf = shelf(shop, &args.place.namespace)?;
    let wanted = |guard: &&Guard| {
        let proposed = args.proposed && guard.standing == Standing::Proposed;
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
    page::notice(&format!(
        "{} written to {}",
        counted(guards.len(), "guardrail"),
        folder.display()
    ));
    Ok(Exit::Fine)
}
