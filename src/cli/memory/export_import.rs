//! `elenchus memory export` and `import`: the lessons and guardrails of a namespace as one file.

use super::args::{MemoryExportArgs, MemoryImportArgs};
use crate::cli::common::{Workshop, counted, output, there_already};
use anyhow::{Context, Result};
use elenchus_records::workspace::memory::{Bundle, BundledJournal, NamespaceEntries};
use elenchus_records::workspace::write_new;
use std::io::Write;
use std::path::Path;

/// Name of standard output on the command line.
const STANDARD: &str = "-";

/// Writes a namespace to a file that is not there yet.
///
/// # Errors
/// When a journal is broken or the file cannot be written; then there is none.
pub fn export(args: &MemoryExportArgs, shop: &Workshop) -> Result<()> {
    let namespace = &args.place.namespace;
    NamespaceEntries::read_existing(&shop.layout, namespace)?.check_guardrails()?;
    let bundle = Bundle::of(&shop.layout, namespace)?;
    let bytes = bundle.to_bytes();
    if args.output == Path::new(STANDARD) {
        let mut out = std::io::stdout().lock();
        out.write_all(&bytes)
            .and_then(|()| out.flush())
            .context("standard output cannot be written to")?;
        return Ok(());
    }
    write_new(&args.output, &bytes)?;
    output::notice(&format!(
        "exported memory '{namespace}' to {}: {}, {}",
        args.output.display(),
        counted(bundle.journals.len(), "journal"),
        counted(lines(&bundle.journals), "line"),
    ));
    Ok(())
}

/// Takes a file in.
///
/// # Errors
/// When anything in it is broken or foreign, or conflicts with what is there; then nothing is
/// taken.
pub fn import(args: &MemoryImportArgs, shop: &Workshop) -> Result<()> {
    let bundle = Bundle::read(&args.file).context("nothing was imported")?;
    let namespace = args.namespace.as_ref().unwrap_or(&bundle.namespace);
    let imported = bundle
        .import(&shop.layout, namespace)
        .context("nothing was imported")?;
    let from = std::fs::canonicalize(&args.file).unwrap_or_else(|_| args.file.clone());
    imported.begin_heads(&shop.clock.now(), &from.display().to_string())?;
    for name in &imported.there {
        output::notice(&format!("'{name}' is here already, and was left as it is"));
    }
    let renamed = |(name, journal): &&(String, &BundledJournal)| *name != journal.name;
    for (name, journal) in imported.arrivals.iter().filter(renamed) {
        output::notice(&format!(
            "'{}' is another journal here; it was imported as '{name}'",
            journal.name
        ));
    }
    if imported.changed > 0 {
        output::notice(&format!(
            "notice: what was imported also changes {} entries that were here before; \
             'elenchus memory show' lists the journal of each text",
            imported.changed
        ));
    }
    output::notice(&format!(
        "imported into memory '{namespace}': {}, {}{}",
        counted(imported.arrivals.len(), "journal"),
        counted(
            lines(imported.arrivals.iter().map(|(_, journal)| *journal)),
            "line"
        ),
        there_already(imported.there.len())
    ));
    Ok(())
}

fn lines<'a>(journals: impl IntoIterator<Item = &'a BundledJournal>) -> usize {
    let lines = journals.into_iter().map(|journal| journal.events.len());
    lines.sum()
}
