//! Journals that `elenchus verify` checks, with the lengths that other files record of them.

use super::args::VerifyArgs;
use crate::cli::common::{JOURNAL, Workshop, heads_of};
use crate::debate::SessionId;
#[cfg(doc)]
use crate::store::JOURNAL_FOLDERS;
use crate::store::{Head, Layout};
use crate::workspace::{StoreIndex, journals_of_store, runs};
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A journal that is to be checked.
pub(super) struct CheckedJournal {
    /// Folder of the store that it lies in, as [`JOURNAL_FOLDERS`] names it; `None` for a file that
    /// was named and lies anywhere: its first line alone can tell what it is.
    pub(crate) folder: Option<&'static str>,
    pub(crate) path: PathBuf,
    /// What others remember of it.
    pub(crate) known: Vec<Head>,
}

/// Folder of deleted sessions: what may be brought back must be whole.
const TRASH: &str = "trash";

/// Returns the journals that are meant.
pub(super) fn journals(
    args: &VerifyArgs,
    shop: &Workshop,
    index: &StoreIndex,
) -> Result<Vec<CheckedJournal>> {
    if args.file.is_empty() {
        whole_store(shop, index)
    } else {
        named(shop, index, &args.file)
    }
}

/// Returns the heads that run journals and the index remember of sessions.
fn known_heads(shop: &Workshop, index: &StoreIndex) -> Result<BTreeMap<SessionId, Vec<Head>>> {
    let mut known: BTreeMap<SessionId, Vec<Head>> = BTreeMap::new();
    // Runs that cannot be read are reported when their own turn comes.
    for run in runs(&shop.layout)?.0 {
        for (session, head) in heads_of(&run) {
            known.entry(session).or_default().push(head);
        }
    }
    for (session, head) in index.watermarks() {
        known.entry(session).or_default().push(head);
    }
    Ok(known)
}

fn whole_store(shop: &Workshop, index: &StoreIndex) -> Result<Vec<CheckedJournal>> {
    let mut known = known_heads(shop, index)?;
    let mut journals = journals_of_store(&shop.layout)?;
    journals.extend(
        shop.layout
            .journals_of(TRASH)?
            .into_iter()
            .map(|path| (TRASH, path)),
    );
    Ok(journals
        .into_iter()
        .map(|(folder, path)| {
            let session = Layout::session_at(&path).map(SessionId::new);
            // What is remembered and gone was deleted, or never came along: its run can be resumed.
            let known = session.and_then(|session| known.remove(&session));
            CheckedJournal {
                folder: Some(folder),
                path,
                known: known.unwrap_or_default(),
            }
        })
        .collect())
}

/// Returns the journals of files that were named: those of the store as they are checked with the
/// whole store. A copy elsewhere may rightly be older than what is remembered.
fn named(shop: &Workshop, index: &StoreIndex, files: &[PathBuf]) -> Result<Vec<CheckedJournal>> {
    let mut own: BTreeMap<PathBuf, CheckedJournal> = BTreeMap::new();
    for journal in whole_store(shop, index)? {
        own.extend(journal.path.canonicalize().ok().map(|at| (at, journal)));
    }
    let mut journals = Vec::new();
    for path in files {
        if path.is_dir() {
            bail!(
                "{} is a folder; name journals (files ending with {JOURNAL}), or nothing for the whole store",
                path.display()
            );
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
