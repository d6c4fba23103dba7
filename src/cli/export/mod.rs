//! `elenchus export`: journals, byte for byte, into a folder.
//!
//! A journal is the format; `--record` writes round records instead, `--turns` and `--debates` tables. A
//! journal that is being written to is copied up to its last complete line.

mod args;
mod record;
mod tables;

use super::common::{
    Workshop, output, print_gone_sessions, print_missing_journals, resolve_session, there_already,
};
use anyhow::{Context, Result, bail};
pub(crate) use args::ExportArgs;
use elenchus_annotation::JOURNAL_KINDS;
use elenchus_game::debate::{RunId, SessionId};
use elenchus_records::workspace::find_run;
use elenchus_records::workspace::journals::JournalExport;
use elenchus_records::workspace::prompts::copy_kept_texts;
use elenchus_records::workspace::run::read_run;
use elenchus_store::Layout;
use std::collections::BTreeSet;

/// Standard output instead of a file.
const STANDARD_OUTPUT: &str = "-";

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
pub fn run(args: &ExportArgs, shop: &Workshop) -> Result<()> {
    if args.record_schema {
        return record::schema();
    }
    print_missing_journals(shop)?;
    if let Some(file) = &args.turns {
        return tables::write_turns(args, shop, file);
    }
    if let Some(file) = &args.debates {
        return tables::write_debates(args, shop, file);
    }
    let output = args.output.as_deref().context("give --output")?;
    if args.record {
        return record::run(args, shop, output);
    }
    let wanted = wanted(args, shop)?;
    if wanted.is_empty() {
        bail!("there is nothing to export; 'elenchus ls' lists what there is");
    }
    let exported = wanted.copy(&shop.layout, output, JOURNAL_KINDS)?;
    if args.all {
        copy_kept_texts(&shop.layout, &Layout::at(output))?;
    }
    output::notice(&format!(
        "exported {} to {}{}",
        exported.counts,
        output.display(),
        there_already(exported.there),
    ));
    Ok(())
}

fn wanted(args: &ExportArgs, shop: &Workshop) -> Result<JournalExport> {
    let mut wanted = JournalExport::default();
    for (session, _) in wanted_sessions(args, shop)? {
        wanted.add_session(&session);
    }
    let runs = match (args.session.as_slice(), args.run.as_slice()) {
        ([], []) => shop.layout.runs()?.into_iter().map(RunId::new).collect(),
        (_, named) => {
            let found = named.iter().map(|text| find_run(&shop.layout, text));
            found.collect::<Result<Vec<_>, _>>()?
        }
    };
    for id in &runs {
        let run = read_run(&shop.layout.run(id.as_str())?)?;
        print_gone_sessions(&shop.layout, &run)?;
        wanted.add_run(id.as_str(), &run);
    }
    if args.all {
        wanted.add_others(&shop.layout)?;
    }
    Ok(wanted)
}

/// Returns the sessions that were asked for, each once.
fn wanted_sessions(args: &ExportArgs, shop: &Workshop) -> Result<Vec<(SessionId, SelectedBy)>> {
    let mut wanted = Vec::new();
    for text in &args.session {
        wanted.push((resolve_session(shop, text)?, SelectedBy::ByName));
    }
    let there = shop.layout.sessions()?;
    for text in &args.run {
        let id = find_run(&shop.layout, text)?;
        let run = read_run(&shop.layout.run(id.as_str())?)?;
        let begun = run
            .sessions()
            .into_iter()
            .filter(|session| there.iter().any(|known| known == session.as_str()));
        wanted.extend(begun.map(|session| (session, SelectedBy::WithOthers)));
    }
    if args.session.is_empty() && args.run.is_empty() {
        let all = there.into_iter().map(SessionId::new);
        wanted.extend(all.map(|session| (session, SelectedBy::WithOthers)));
    }
    let mut seen = BTreeSet::new();
    wanted.retain(|(session, _)| seen.insert(session.clone()));
    Ok(wanted)
}
