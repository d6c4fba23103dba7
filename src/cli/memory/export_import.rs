//! `elenchus memory export` and `import`: the lessons and guardrails of a namespace as one file, and files of other
//! tools.

use super::colang_export::export_guardrails;
use super::entry_args::{MemoryExportArgs, MemoryImportArgs};
use super::tool_import::{import_tool_files, read_tool_files};
use crate::cli::common::args::advise_on_existing;
use crate::cli::common::{CommandContext, Exit, describe_duplicates, format_noun_count, output};
use anyhow::{Context, Result};
use elenchus_records::workspace::memory::DEFAULT_NAMESPACE;
use elenchus_records::workspace::memory::{Bundle, BundledJournal, NamespaceEntries};
use elenchus_records::workspace::write_export;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Name of standard output on the command line.
const STANDARD: &str = "-";

/// The first bytes of every export, and of every journal, which is refused as an export: no file of another tool
/// begins so.
const OWN_STARTS: [&[u8; 8]; 2] = [b"{\"type\":", b"{\"prev\":"];

/// Writes a namespace to a file, or its guardrails to a folder.
///
/// # Errors
/// When a journal is broken or a file cannot be written; then there is none.
pub fn run_export(args: &MemoryExportArgs, context: &CommandContext) -> Result<()> {
    match (&args.colang, &args.output) {
        (Some(folder), _) => export_guardrails(folder, args, context),
        (None, output) => {
            let file = output.as_deref().context("name the file with --output")?;
            export_namespace(file, args, context)
        }
    }
}

/// Writes a namespace to a file that is not there yet, or is replaced.
///
/// # Errors
/// When a journal is broken or the file cannot be written; then there is none.
fn export_namespace(file: &Path, args: &MemoryExportArgs, context: &CommandContext) -> Result<()> {
    let namespace = &args.place.namespace;
    NamespaceEntries::read_existing(&context.store.layout, namespace)?.check_guardrails()?;
    let bundle = Bundle::from_store(&context.store.layout, namespace)?;
    let bytes = bundle.to_bytes();
    if file == Path::new(STANDARD) {
        let mut out = std::io::stdout().lock();
        out.write_all(&bytes)
            .and_then(|()| out.flush())
            .context("standard output cannot be written to")?;
        return Ok(());
    }
    write_export(file, args.existing.existing_file(), &bytes).map_err(advise_on_existing)?;
    output::print_notice(&format!(
        "exported memory '{namespace}' to {}: {}, {}",
        file.display(),
        format_noun_count(bundle.journals.len(), "journal"),
        format_noun_count(count_lines(&bundle.journals), "line"),
    ));
    Ok(())
}

/// Takes files in: exports of a namespace, and files of other tools. Every file is read before anything is written.
///
/// # Errors
/// As [`import_bundle`], [`read_tool_files`] and [`import_tool_files`].
pub fn import_files(args: &MemoryImportArgs, context: &CommandContext) -> Result<Exit> {
    let (exports, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
        args.file.iter().partition(|path| is_export(path));
    let others = read_tool_files(&others, context)?;
    let read = |path| Bundle::read_file(path).context("nothing was imported");
    let bundles = exports.iter().map(|path| read(path));
    let bundles = bundles.collect::<Result<Vec<_>>>()?;
    let namespace = args.namespace.as_deref();
    for (path, bundle) in exports.into_iter().zip(&bundles) {
        import_bundle(path, bundle, namespace, context)?;
    }
    match others.is_empty() {
        true => Ok(Exit::Fine),
        false => import_tool_files(others, namespace.unwrap_or(DEFAULT_NAMESPACE), context),
    }
}

/// Says whether a file is read as an export: by its first bytes, or because it cannot be looked into beforehand,
/// as a pipe.
fn is_export(path: &Path) -> bool {
    let mut start = [0; 8];
    let Ok(mut file) = File::open(path) else {
        return false;
    };
    match file.metadata() {
        Ok(about) if about.is_file() => {
            file.read_exact(&mut start).is_ok() && OWN_STARTS.contains(&&start)
        }
        Ok(about) => !about.is_dir(),
        Err(_) => true,
    }
}

/// Takes an export in.
///
/// # Errors
/// When it conflicts with what is there; then nothing is taken.
fn import_bundle(
    path: &Path,
    bundle: &Bundle,
    namespace: Option<&str>,
    context: &CommandContext,
) -> Result<()> {
    let namespace = namespace.unwrap_or(&bundle.namespace);
    let outcome = bundle
        .import_into(&context.store.layout, namespace)
        .context("nothing was imported")?;
    let from = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
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
