//! `elenchus import`: journals of another store, all of them or none.

use super::common::{Workshop, output, there_already};
use anyhow::{Context, Result};
use clap::Args;
use elenchus_annotation::JOURNAL_KINDS;
use elenchus_records::workspace::journals::JournalImport;
use std::path::PathBuf;

/// `elenchus import`
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Journals, or folders that 'export' wrote
    #[arg(required = true)]
    pub path: Vec<PathBuf>,
}

/// Takes journals in.
///
/// # Errors
/// When any of them is broken, is no journal, or differs from one of the same id; then none is
/// taken.
pub fn run(args: &ImportArgs, shop: &Workshop) -> Result<()> {
    let nothing = "nothing was imported";
    let mut import = JournalImport::named(&args.path)?;
    import.check(JOURNAL_KINDS).context(nothing)?;
    for notice in &import.notices {
        output::notice(&format!("notice: {notice}"));
    }
    let taken = import.take(&shop.layout).context(nothing)?;
    taken.begin_heads(&shop.clock.now())?;
    output::notice(&format!(
        "imported {}{}",
        taken.counts,
        there_already(taken.there)
    ));
    Ok(())
}
