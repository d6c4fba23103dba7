//! `elenchus memory import` of other tools' files: their guardrails and lessons.

use crate::cli::common::{CommandContext, Exit, format_noun_count, output, wait_for};
use anyhow::{Context, Result, bail};
use elenchus_records::exchange::{MAX_MEMORY_FILE_BYTES, MemoryFile, parse_memory_file};
use elenchus_records::workspace::memory::{FileImport, import_memory_files};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reads files of other tools.
///
/// # Errors
/// When one cannot be opened.
pub fn read_tool_files<'a>(
    paths: &[&'a PathBuf],
    context: &CommandContext,
) -> Result<Vec<(&'a Path, MemoryFile)>> {
    let files = paths.iter();
    let files = files.map(|path| Ok((path.as_path(), read_file(path, context)?)));
    files.collect()
}

/// Proposes the guardrails of files and keeps their lessons, disabled; prints the ids.
///
/// # Errors
/// When none holds anything that can be read, or a journal cannot be written.
pub fn import_tool_files(
    named_files: Vec<(&Path, MemoryFile)>,
    namespace: &str,
    context: &CommandContext,
) -> Result<Exit> {
    let (paths, files): (Vec<&Path>, Vec<MemoryFile>) = named_files.into_iter().unzip();
    let is_nothing = files.iter().all(MemoryFile::is_empty);
    let store = context.hold_store("memory", None);
    if !is_nothing {
        context.store.layout.create_missing_folders()?;
    }
    let imports = wait_for(import_memory_files(&store, namespace, &files))??;
    let mut refused_lines = 0;
    for ((path, file), import) in paths.into_iter().zip(&files).zip(&imports) {
        refused_lines += print_import(path, file, import)?;
        if !file.is_empty() {
            output::print_notice(&describe_import(path, namespace, import));
        }
    }
    if is_nothing {
        bail!("nothing was imported");
    }
    Ok(match refused_lines {
        0 => Exit::Fine,
        _ => Exit::SomeFailed,
    })
}

fn read_file(path: &Path, context: &CommandContext) -> Result<MemoryFile> {
    let cannot = || format!("{} cannot be read", path.display());
    let opened = std::fs::File::open(path).with_context(cannot)?;
    if !opened.metadata().with_context(cannot)?.is_file() {
        bail!("{} is no file; name files of it", path.display());
    }
    let mut bytes = Vec::new();
    // One byte more tells a file that is too large.
    let limit = MAX_MEMORY_FILE_BYTES as u64 + 1;
    opened
        .take(limit)
        .read_to_end(&mut bytes)
        .with_context(cannot)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(parse_memory_file(
        &name,
        &bytes,
        context.store.guardrail_examples,
    ))
}

/// Prints the ids, and what was not taken; returns how many lines that are.
fn print_import(path: &Path, file: &MemoryFile, import: &FileImport) -> Result<usize> {
    let ids = import.proposed.iter().chain(&import.disabled);
    output::print_text(&ids.map(|id| format!("{id}\n")).collect::<String>())?;
    let place = |line: u64| match line {
        0 => path.display().to_string(),
        line => format!("{}:{line}", path.display()),
    };
    for note in &file.notes {
        output::print_notice(&format!("{}: {}", path.display(), output::clean_line(note)));
    }
    let refused = file.refused.iter().map(|row| (row.line, &row.why));
    let refused = refused.chain(import.refused.iter().map(|(line, why)| (*line, why)));
    let mut count = 0;
    for (line, why) in refused {
        count += 1;
        output::print_notice(&format!("{}: {}", place(line), output::clean_line(why)));
    }
    Ok(count)
}

fn describe_import(path: &Path, namespace: &str, import: &FileImport) -> String {
    let mut parts = vec![format!(
        "{} proposed",
        format_noun_count(import.proposed.len(), "guardrail")
    )];
    if !import.disabled.is_empty() {
        parts.push(format!(
            "{} disabled ('elenchus memory enable --imported' lets debates be shown them)",
            format_noun_count(import.disabled.len(), "lesson")
        ));
    }
    if import.known > 0 {
        parts.push(format!("{} here already", import.known));
    }
    format!(
        "{}: in memory '{namespace}' {}",
        path.display(),
        parts.join(", ")
    )
}
