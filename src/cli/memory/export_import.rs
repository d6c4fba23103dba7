//! `elenchus memory export` and `import`: the lessons and guardrails of a namespace as one file.

use super::args::{MemoryExportArgs, MemoryImportArgs};
use crate::cli::common::{CommandContext, describe_duplicates, format_noun_count, output};
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
pub fn export_namespace(args: &MemoryExportArgs, context: &CommandContext) -> Result<()> {
    let namespace = &args.place.namespace;
    NamespaceEntries::read_existing(&context.store.layout, namespace)?.check_guardrails()?;
    let bundle = Bundle::from_store(&context.store.layout, namespace)?;
    let bytes = bundle.to_bytes();
    if args.output == Path::new(STANDARD) {
        let mut out = std::io::stdout().lock();
        out.write_all(&bytes)
            .and_then(|()| out.flush())
            .context("standard output cannot be written to")?;
        return Ok(());
    }
    write_new(&args.output, &bytes)?;
    output::print_notice(&format!(
        "exported memory '{namespace}' to {}: {}, {}",
        args.output.display(),
        format_noun_count(bundle.journals.len(), "journal"),
        format_noun_count(count_lines(&bundle.journals), "line"),
    ));
    Ok(())
}

/// Takes a file in.
///
/// # Errors
/// When anything in it is broken or foreign, or conflicts with what is there; then nothing is
/// taken.
pub fn import_namespace(args: &MemoryImportArgs, context: &CommandContext) -> Result<()> {
    let bundle = Bundle::read_file(&args.file).context("nothing was imported")?;
    let namespace = args.namespace.as_ref().unwrap_or(&bundle.namespace);
    let outcome = bundle
        .import_into(&context.store.layout, namespace)
        .context("nothing was imported")?;
    let from = std::fs::canonicalize(&args.file).unwrap_or_else(|_| args.file.clone());
    outcome.begin_heads(&context.store.clock.now(), &from.display().to_string())?;
    for name in &outcome.there {
        output::print_notice(&format!("'{name}' is here already, and was left as it is"));
    }
    let is_renamed = |(name, journal): &&(String, &BundledJournal)| *name != journal.name;
    for (name, journal) in outcome.arrivals.iter().filter(is_renamed) {
        output::print_notice(&format!(
            "'{}' is another journal here; it was imported as '{name}'",
            journal.name
        ));
    }
    if outcome.changed > 0 {
        output::print_notice(&format!(
            "notice: what was imported also changes {} entries that were here before; \
             'elenchus memory show' lists the journal of each text",
            outcome.changed
        ));
    }
    output::print_notice(&format!(
        "imported into memory '{namespace}': {}, {}{}",
        format_noun_count(outcome.arrivals.len(), "journal"),
        format_noun_count(
            count_lines(outcome.arrivals.iter().map(|(_, journal)| *journal)),
            "line"
        ),
        describe_duplicates(outcome.there.len())
    ));
    Ok(())
}

fn count_lines<'a>(journals: impl IntoIterator<Item = &'a BundledJournal>) -> usize {
    let lines = journals.into_iter().map(|journal| journal.events.len());
    lines.sum()
}
