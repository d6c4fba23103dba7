//! `elenchus import`: journals of another store, all of them or none.
//!
//! Every chain is checked before anything is taken. An id that is there with other content is
//! refused: chains are never merged.

use super::common::{
    BundleCounts, BundledContent, ExistingCopy, JOURNAL, JournalCopy, WholeJournal, Workshop,
    compare, folder_in_store, heads_of, inspect, output, publish_all, session_id, stem,
    there_already,
};
use crate::annotation::RegisteredKind;
use crate::debate::SessionId;
use crate::debate::event::Event;
use crate::store::{Head, JOURNAL_FOLDERS, Layout, read_exactly, verify_journal};
use crate::workspace::prompts::copy_kept_texts;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A journal that may be taken.
struct Arrival {
    kind: &'static RegisteredKind,
    /// Folder of the store that it belongs in.
    folder: PathBuf,
    id: String,
    from: PathBuf,
    head: Head,
}

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
    let files = files(&args.path)?;
    let arrivals = arrivals(&files).context("nothing was imported")?;
    // Names come from the files: all are checked before the store is touched.
    for arrival in &arrivals {
        let place = shop.layout.journal_in(&arrival.folder, &arrival.id);
        place.with_context(|| format!("nothing was imported: {}", arrival.from.display()))?;
    }
    shop.layout.create()?;
    let mut copies = Vec::new();
    let mut counts = BundleCounts::default();
    let mut same = 0;
    for arrival in &arrivals {
        let path = shop.layout.journal_in(&arrival.folder, &arrival.id)?;
        let content = read_exactly(&arrival.from, arrival.head.bytes)?;
        match compare(&path, &content)? {
            ExistingCopy::Nothing => {
                copies.push(JournalCopy::write(&path, &content, arrival.head)?);
                counts.add(arrival.kind);
            }
            ExistingCopy::Same => same += 1,
            other => bail!("{}", refusal(arrival, &path, other)),
        }
    }
    // Before the journals that name them: a text that nothing names does no harm.
    for folder in args.path.iter().filter(|path| path.is_dir()) {
        copy_kept_texts(&Layout::at(folder), &shop.layout)?;
    }
    publish_all(&copies)?;
    let now = shop.clock.now();
    copies.iter().try_for_each(|copy| copy.begin_head(&now))?;
    output::notice(&format!("imported {counts}{}", there_already(same),));
    Ok(())
}

fn refusal(arrival: &Arrival, there: &Path, how: ExistingCopy) -> String {
    let relation = match how {
        ExistingCopy::Shorter => {
            "the one here ends earlier; if it is not continued here, move it to another place and import again"
        }
        ExistingCopy::Longer => "the one here goes further; nothing is to be gained",
        ExistingCopy::Different => {
            "the two went different ways; chains are never merged, keep them in two stores"
        }
        ExistingCopy::Nothing | ExistingCopy::Same => "they do not differ",
    };
    format!(
        "nothing was imported: {} '{}' of {} is here already as {} and differs: {relation}",
        arrival.kind.names.0,
        arrival.id,
        arrival.from.display(),
        there.display(),
    )
}

/// Collects the journals among paths: files as they are, folders as `export` writes them.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            if !path.exists() {
                bail!("there is no file or folder {}", path.display());
            }
            stem(path)?;
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        files.extend(journals_in(path)?);
        let store = Layout::at(path);
        for folder in JOURNAL_FOLDERS {
            for folder in store.folders_of(folder)? {
                files.extend(journals_in(&path.join(folder))?);
            }
        }
        if files.len() == before {
            bail!(
                "{} holds no journals: neither it nor a folder of a store in it ('sessions', 'runs' …) has files ending with {JOURNAL}",
                path.display()
            );
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

fn journals_in(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let cannot = || format!("the folder {} cannot be listed", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(cannot)? {
        let path = entry.with_context(cannot)?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if name.ends_with(JOURNAL) && !name.starts_with('.') && path.is_file() {
            found.push(path);
        }
    }
    Ok(found)
}

fn arrivals(files: &[PathBuf]) -> Result<Vec<Arrival>> {
    let mut arrivals = Vec::new();
    let mut remembered: Vec<(SessionId, Head)> = Vec::new();
    for file in files {
        let WholeJournal {
            kind,
            head,
            content,
        } = inspect(file, &[])?;
        let id = match &content {
            BundledContent::Session(state) => session_id(file, state)?.to_string(),
            BundledContent::Run(run) => {
                remembered.extend(heads_of(run));
                run.manifest.run.to_string()
            }
            BundledContent::Other => stem(file)?.to_owned(),
        };
        let folder = folder_in_store(kind, file).with_context(|| {
            format!(
                "{}: where a {} belongs is seen by its folder; leave it in {}",
                file.display(),
                kind.names.0,
                kind.folders.join(" or ")
            )
        })?;
        let size = std::fs::metadata(file).map_or(head.bytes, |meta| meta.len());
        if size > head.bytes {
            output::notice(&format!(
                "notice: {}: an incomplete last line is left behind; it was never acknowledged",
                file.display()
            ));
        }
        arrivals.push(Arrival {
            kind,
            folder,
            id,
            from: file.clone(),
            head,
        });
    }
    check_twins(&arrivals)?;
    // What a run remembers shows whether the end of a session was cut off on the way.
    for (session, head) in remembered {
        let known = arrivals
            .iter()
            .find(|arrival| arrival.kind.is::<Event>() && arrival.id == session.as_str());
        if let Some(arrival) = known
            && let Some(lost) = verify_journal(&arrival.from, &[head])?.lost.first()
        {
            bail!("{lost}");
        }
    }
    Ok(arrivals)
}

/// Refuses two different journals of one id.
fn check_twins(arrivals: &[Arrival]) -> Result<()> {
    let mut seen: BTreeMap<(&Path, &str), &Arrival> = BTreeMap::new();
    for arrival in arrivals {
        if let Some(twin) = seen.insert((&arrival.folder, &arrival.id), arrival) {
            bail!(
                "{} and {} are both {} '{}'; name one of them",
                twin.from.display(),
                arrival.from.display(),
                arrival.kind.names.0,
                arrival.id
            );
        }
    }
    Ok(())
}
