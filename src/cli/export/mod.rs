//! `elenchus export`: journals, byte for byte, into a folder.
//!
//! A journal is the format; `--record` writes round records instead, `--turns` a table of turns. A
//! journal that is being written to is copied up to its last complete line.

mod args;
mod record;
mod turns;

use super::common::{
    Workshop, output, print_gone_sessions, print_missing_journals, resolve_session, there_already,
};
use crate::annotation::JOURNAL_KINDS;
use crate::debate::SessionId;
use crate::store::{Head, Layout, read_exactly};
use crate::workspace::journals::{
    ExistingCopy, JournalCopy, JournalCounts, WholeJournal, compare, inspect, publish_all, stem,
};
use crate::workspace::prompts::copy_kept_texts;
use crate::workspace::run::read_run;
use crate::workspace::{find_run, journals_of_store};
use anyhow::{Context, Result, bail};
pub(crate) use args::ExportArgs;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Folders of sessions and of runs, in a store and in an export alike.
const SESSIONS: &str = "sessions";
const RUNS: &str = "runs";

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

/// What is to be exported, with the heads that runs remember.
#[derive(Default)]
struct WantedJournals {
    /// With the folder of each in a store.
    journals: BTreeSet<(PathBuf, String)>,
    heads: BTreeMap<SessionId, Vec<Head>>,
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
        return turns::run(args, shop, file);
    }
    let output = args.output.as_deref().context("give --output")?;
    if args.record {
        return record::run(args, shop, output);
    }
    let wanted = wanted(args, shop)?;
    if wanted.journals.is_empty() {
        bail!("there is nothing to export; 'elenchus ls' lists what there is");
    }
    let mut copies = Vec::new();
    let mut counts = JournalCounts::default();
    let mut same = 0;
    for (folder, id) in &wanted.journals {
        let path = shop.layout.journal_in(folder, id)?;
        let known = wanted.heads.get(&SessionId::new(id.clone()));
        let known = known
            .filter(|_| folder == Path::new(SESSIONS))
            .map_or(&[][..], Vec::as_slice);
        let WholeJournal { kind, head, .. } =
            inspect(&path, known, JOURNAL_KINDS).context("nothing was exported")?;
        let content = read_exactly(&path, head.bytes)?;
        let target = Layout::at(output).journal_in(folder, id)?;
        match compare(&target, &content)? {
            ExistingCopy::Nothing => {
                copies.push(JournalCopy::write(&target, &content, head)?);
                counts.add(kind);
            }
            ExistingCopy::Same => same += 1,
            ExistingCopy::Shorter | ExistingCopy::Longer | ExistingCopy::Different => bail!(
                "{} is there already and differs; nothing was exported: choose another folder",
                target.display()
            ),
        }
    }
    publish_all(&copies)?;
    if args.all {
        copy_kept_texts(&shop.layout, &Layout::at(output))?;
    }
    output::notice(&format!(
        "exported {counts} to {}{}",
        output.display(),
        there_already(same),
    ));
    Ok(())
}

fn wanted(args: &ExportArgs, shop: &Workshop) -> Result<WantedJournals> {
    let mut wanted = WantedJournals::default();
    if args.session.is_empty() && args.run.is_empty() {
        for id in shop.layout.sessions()? {
            wanted.journals.insert((SESSIONS.into(), id));
        }
        for id in shop.layout.runs()? {
            add_run(shop, &id, &mut wanted)?;
        }
        if args.all {
            add_others(shop, &mut wanted)?;
        }
        return Ok(wanted);
    }
    for text in &args.session {
        let id = resolve_session(shop, text)?;
        wanted.journals.insert((SESSIONS.into(), id.to_string()));
    }
    for text in &args.run {
        let id = find_run(&shop.layout, text)?;
        add_run(shop, id.as_str(), &mut wanted)?;
    }
    Ok(wanted)
}

fn add_run(shop: &Workshop, id: &str, wanted: &mut WantedJournals) -> Result<()> {
    let run = read_run(&shop.layout.run(id)?)?;
    print_gone_sessions(shop, &run)?;
    wanted.journals.insert((RUNS.into(), id.to_owned()));
    let there: BTreeSet<String> = shop.layout.sessions()?.into_iter().collect();
    for session in run.sessions() {
        // Items that were not begun have no journal yet.
        if there.contains(session.as_str()) {
            wanted
                .journals
                .insert((SESSIONS.into(), session.to_string()));
        }
    }
    for (session, head) in run.session_heads() {
        wanted.heads.entry(session).or_default().push(head);
    }
    Ok(())
}

/// Adds the journals of all other kinds.
fn add_others(shop: &Workshop, wanted: &mut WantedJournals) -> Result<()> {
    for (folder, path) in journals_of_store(&shop.layout)? {
        if let (false, Some(parent)) = ([SESSIONS, RUNS].contains(&folder), path.parent()) {
            let parent = parent.strip_prefix(shop.layout.root())?.to_owned();
            wanted.journals.insert((parent, stem(&path)?.to_owned()));
        }
    }
    Ok(())
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
