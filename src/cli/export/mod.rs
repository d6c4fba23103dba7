//! `elenchus export`: journals, byte for byte, into a folder.
//!
//! A journal is the format; `--record` writes round records instead, `--turns` and `--debates` tables, `--sft`,
//! `--outcomes` and `--preferences` what trainers of models read, `--inspect` a log of Inspect. A journal that is being written to is copied up to its
//! last complete line.

mod args;
mod inspect;
mod record;
mod tables;
mod training;

use super::common::{
    CommandContext, describe_duplicates, output, print_missing_journals, print_missing_sessions,
    resolve_session,
};
use crate::cli::common::args::advise_on_existing;
use anyhow::{Context, Result, bail};
pub(crate) use args::ExportArgs;
use elenchus_annotation::JOURNAL_KINDS;
use elenchus_game::debate::{RunId, SessionId};
use elenchus_records::workspace::journals::JournalExport;
use elenchus_records::workspace::prompts::copy_kept_texts;
use elenchus_records::workspace::run::read_run;
use elenchus_records::workspace::sweep::{find_sweep, read_sweep};
use elenchus_records::workspace::{
    ExistingFile, find_whole_runs, read_whole_run, stream_private_export,
};
use elenchus_store::Layout;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

/// Standard output instead of a file.
const STANDARD_OUTPUT: &str = "-";

/// Writes a text, piece by piece, to standard output or to a file that is not there yet, or is replaced.
///
/// # Errors
/// When it cannot be written, or the file is there already.
fn stream_text(
    to: &Path,
    existing: ExistingFile,
    pieces: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    if to == Path::new(STANDARD_OUTPUT) {
        pieces(&mut io::stdout().lock()).context("standard output cannot be written to")
    } else {
        Ok(stream_private_export(to, existing, pieces).map_err(advise_on_existing)?)
    }
}

/// Whether a session was asked for by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SelectedBy {
    ByName,
    /// It is one of a run or of the whole store.
    WithOthers,
}

impl SelectedBy {
    fn is_by_name(self) -> bool {
        self == Self::ByName
    }
}

/// Copies journals into a folder; nothing is written unless all of them can be.
///
/// # Errors
/// When a journal is broken, or a different file of its name is in the folder.
pub fn run(args: &ExportArgs, context: &CommandContext) -> Result<()> {
    if args.record_schema {
        return record::print_schema();
    }
    print_missing_journals(context)?;
    if let Some(file) = &args.turns {
        return tables::write_turns(args, context, file);
    }
    if let Some(file) = &args.debates {
        return tables::write_debates(args, context, file);
    }
    if let Some(file) = &args.inspect {
        return inspect::write_log(args, context, file);
    }
    let output = args.output.as_deref().context("give --output")?;
    if let Some(rows) = training::wanted_rows(args) {
        return training::write_training_rows(args, context, rows, output);
    }
    if args.record {
        return record::write_records(args, context, output);
    }
    let journals = select_journals(args, context)?;
    if journals.is_empty() {
        bail!("there is nothing to export; 'elenchus ls' lists what there is");
    }
    let outcome = journals.copy_journals(&context.store.layout, output, JOURNAL_KINDS)?;
    if args.all {
        copy_kept_texts(&context.store.layout, &Layout::new(output))?;
    }
    output::print_notice(&format!(
        "exported {} to {}{}",
        outcome.counts,
        output.display(),
        describe_duplicates(outcome.there),
    ));
    Ok(())
}

fn select_journals(args: &ExportArgs, context: &CommandContext) -> Result<JournalExport> {
    let mut journals = JournalExport::default();
    for (session, _) in select_sessions(args, context)? {
        journals.add_session(&session);
    }
    let runs = match is_everything(args) {
        true => context
            .store
            .layout
            .list_runs()?
            .into_iter()
            .map(RunId::new)
            .collect(),
        false => select_runs(args, context)?,
    };
    for text in &args.sweep {
        journals.add_sweep(&find_sweep(&context.store.layout, text)?);
    }
    for id in &runs {
        let run = read_run(&context.store.layout.run_path(id.as_str())?)?;
        print_missing_sessions(&context.store.layout, &run)?;
        journals.add_run(id.as_str(), &run);
    }
    if args.all {
        journals.add_others(&context.store.layout)?;
    }
    Ok(journals)
}

/// Says whether nothing was named.
fn is_everything(args: &ExportArgs) -> bool {
    args.session.is_empty() && args.run.is_empty() && args.sweep.is_empty()
}

/// Returns the runs that were named, and those of the sweeps that were, as far as they have begun.
fn select_runs(args: &ExportArgs, context: &CommandContext) -> Result<Vec<RunId>> {
    let layout = &context.store.layout;
    let mut runs = find_whole_runs(layout, &args.run)?;
    for text in &args.sweep {
        let sweep = read_sweep(layout, &find_sweep(layout, text)?)?;
        let stored_ids = layout.list_runs()?;
        let points = sweep.manifest.points.into_iter().map(|point| point.run);
        runs.extend(points.filter(|run| stored_ids.iter().any(|known| known == run.as_str())));
    }
    let mut unique_ids = BTreeSet::new();
    runs.retain(|run| unique_ids.insert(run.clone()));
    Ok(runs)
}

/// Returns the sessions that were asked for, each once.
fn select_sessions(
    args: &ExportArgs,
    context: &CommandContext,
) -> Result<Vec<(SessionId, SelectedBy)>> {
    let mut selection = Vec::new();
    for text in &args.session {
        selection.push((resolve_session(context, text)?, SelectedBy::ByName));
    }
    let stored_ids = context.store.layout.list_sessions()?;
    for id in select_runs(args, context)? {
        let run = read_whole_run(&context.store.layout, &id)?;
        let begun_sessions = run
            .sessions()
            .into_iter()
            .filter(|session| stored_ids.iter().any(|known| known == session.as_str()));
        selection.extend(begun_sessions.map(|session| (session, SelectedBy::WithOthers)));
    }
    if is_everything(args) {
        let stored_sessions = stored_ids.into_iter().map(SessionId::new);
        selection.extend(stored_sessions.map(|session| (session, SelectedBy::WithOthers)));
    }
    let mut unique_ids = BTreeSet::new();
    selection.retain(|(session, _)| unique_ids.insert(session.clone()));
    Ok(selection)
}
