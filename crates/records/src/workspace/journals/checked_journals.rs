//! Journals that are to be checked, with the lengths that other files record of them.

use crate::workspace::error::{Result, reject};
use crate::workspace::{StoreIndex, journals_of_store, read_runs};
use elenchus_game::debate::SessionId;
#[cfg(doc)]
use elenchus_store::JOURNAL_FOLDERS;
use elenchus_store::{Head, JOURNAL, Layout};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A journal that is to be checked.
pub struct CheckedJournal {
    /// Folder of the store that it lies in, as [`JOURNAL_FOLDERS`] names it; `None` for a file that
    /// was named and lies anywhere: its first line alone can tell what it is.
    pub folder: Option<&'static str>,
    pub path: PathBuf,
    /// What others remember of it.
    pub known: Vec<Head>,
}

/// Folder of deleted sessions: what may be brought back must be whole.
const TRASH: &str = "trash";

/// Returns journals to be checked: those of some files, or of the whole store where none is named.
///
/// # Errors
/// When a file is a folder, or a folder of the store cannot be listed.
pub fn journals_to_check(index: &StoreIndex, files: &[PathBuf]) -> Result<Vec<CheckedJournal>> {
    match files {
        [] => whole_store(index),
        named => named_journals(index, named),
    }
}

/// Returns the heads that run journals and the index remember of sessions.
fn known_heads(index: &StoreIndex) -> Result<BTreeMap<SessionId, Vec<Head>>> {
    let mut heads: BTreeMap<SessionId, Vec<Head>> = BTreeMap::new();
    // Runs that cannot be read are reported when their own turn comes.
    for run in read_runs(index.layout())?.0 {
        for (session, head) in run.session_heads() {
            heads.entry(session).or_default().push(head);
        }
    }
    for (session, head) in index.collect_watermarks() {
        heads.entry(session).or_default().push(head);
    }
    Ok(heads)
}

fn whole_store(index: &StoreIndex) -> Result<Vec<CheckedJournal>> {
    let layout = index.layout();
    let mut heads = known_heads(index)?;
    let mut journals = journals_of_store(layout)?;
    journals.extend(
        layout
            .journals_of(TRASH)?
            .into_iter()
            .map(|path| (TRASH, path)),
    );
    Ok(journals
        .into_iter()
        .map(|(folder, path)| {
            let session = Layout::session_at(&path).map(SessionId::new);
            // What is remembered and gone was deleted, or never came along: its run can be resumed.
            let own_heads = session.and_then(|session| heads.remove(&session));
            CheckedJournal {
                folder: Some(folder),
                path,
                known: own_heads.unwrap_or_default(),
            }
        })
        .collect())
}

/// Returns the journals of files that were named: those of the store as they are checked with the
/// whole store. A copy elsewhere may rightly be older than what is remembered.
fn named_journals(index: &StoreIndex, files: &[PathBuf]) -> Result<Vec<CheckedJournal>> {
    let mut own: BTreeMap<PathBuf, CheckedJournal> = BTreeMap::new();
    for journal in whole_store(index)? {
        own.extend(journal.path.canonicalize().ok().map(|at| (at, journal)));
    }
    let mut journals = Vec::new();
    for path in files {
        if path.is_dir() {
            return reject(format!(
                "{} is a folder; name journals (files ending with {JOURNAL}), or nothing for the whole store",
                path.display()
            ));
        }
        let own = path.canonicalize().ok().and_then(|at| own.remove(&at));
        let (folder, known) = own.map_or((None, Vec::new()), |own| (own.folder, own.known));
        journals.push(CheckedJournal {
            folder,
            path: path.clone(),
            known,
        });
    }
    Ok(journals)
}
