//! Journals of a store, of every kind, and those that are incomplete, missing or copied: figures must not
//! be computed over them in silence.

use super::error::{Result, WorkspaceError};
use super::run::RunState;
use super::store_index::StoreIndex;
use super::whole_runs::WholeRuns;
use elenchus_game::debate::SessionId;
use elenchus_store::{
    Head, JOURNAL_FOLDERS, Layout, ReadLine, StoreError, find_copies, open_lines,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// Returns every journal of a store with its folder, as [`JOURNAL_FOLDERS`] names it; sessions first.
///
/// # Errors
/// When a folder cannot be listed.
pub fn journals_of_store(layout: &Layout) -> Result<Vec<(&'static str, PathBuf)>, StoreError> {
    let mut journals = Vec::new();
    for folder in JOURNAL_FOLDERS {
        let paths = layout.journals_of(folder)?.into_iter();
        journals.extend(paths.map(|path| (*folder, path)));
    }
    Ok(journals)
}

/// Returns the journals of a store and of its tries that are gone.
///
/// # Errors
/// When a folder cannot be listed.
pub fn missing_journals(layout: &Layout) -> Result<Vec<PathBuf>, StoreError> {
    let mut missing = layout.list_missing_journals()?;
    missing.extend(layout.tries_store().list_missing_journals()?);
    Ok(missing)
}

/// A journal that holds less than was acknowledged, is missing, or is there twice.
#[derive(Debug)]
pub struct IncompleteSource {
    pub path: PathBuf,
    pub why: WorkspaceError,
}

/// Finds what figures over this store would lack. One line is read of each journal that the index does
/// not know as it is.
///
/// # Errors
/// When a folder cannot be listed.
pub fn incomplete_sources(index: &StoreIndex) -> Result<Vec<IncompleteSource>> {
    let layout = index.layout();
    index.session_ids()?;
    let here = journals_of_store(layout)?.into_iter().map(|(_, path)| path);
    let here: Vec<PathBuf> = here.collect();
    let missing = missing_journals(layout)?;
    let mut short = Vec::new();
    for path in here.iter().chain(&missing) {
        if let Err(error) = index.check_end(path) {
            let (path, why) = (path.clone(), error.into());
            short.push(IncompleteSource { path, why });
        }
    }
    for (path, of) in copies_among(&here, |path| index.known_end(path)) {
        let why = copy_error(&path, &of);
        short.push(IncompleteSource { path, why });
    }
    Ok(short)
}

/// Returns the sessions that are copies of others, byte for byte, and what is said of each: an id is
/// one file, and is counted once.
///
/// # Errors
/// When a folder cannot be listed.
pub fn find_session_copies(layout: &Layout) -> Result<BTreeMap<SessionId, WorkspaceError>> {
    let ids: Vec<_> = layout
        .list_sessions()?
        .into_iter()
        .map(SessionId::new)
        .collect();
    copies_of(layout, &ids, |_| None)
}

/// As [`find_session_copies`], of all sessions, with debates that several shards of one plan played; a journal that the index knows as it is is not opened.
///
/// # Errors
/// When an id is no name of a file.
pub fn copied_sessions(
    index: &StoreIndex,
    all: &[SessionId],
) -> Result<BTreeMap<SessionId, WorkspaceError>> {
    let mut copies = copies_of(index.layout(), all, |path| index.known_end(path))?;
    // What several shards played of one plan is one debate as well.
    for twice in WholeRuns::read(index)?.list_played_twice() {
        if all.contains(&twice.left_out.1) {
            let why = WorkspaceError::Invalid(twice.describe());
            copies.insert(twice.left_out.1.clone(), why);
        }
    }
    Ok(copies)
}

/// Returns those of some sessions that are copies of others among them, in the order of `ids`; `ends` is
/// as in [`find_copies`].
///
/// Only forks can be: any other session names its own id in its first event.
pub(super) fn copies_of(
    layout: &Layout,
    ids: &[SessionId],
    ends: impl Fn(&Path) -> Option<Head>,
) -> Result<BTreeMap<SessionId, WorkspaceError>> {
    let paths = ids.iter().map(|id| layout.session_path(id.as_str()));
    let paths: Vec<PathBuf> = paths.collect::<Result<_, _>>()?;
    let copied_sessions = copies_among(&paths, ends).into_iter();
    Ok(copied_sessions
        .filter_map(|(path, of)| {
            let id = SessionId::new(Layout::session_at(&path)?);
            Some((id, copy_error(&path, &of)))
        })
        .collect())
}

/// Finds copies as [`find_copies`], but for forks of earlier versions in which nothing has happened yet:
/// two that were begun in one moment have the same bytes, and are two.
fn copies_among(
    paths: &[PathBuf],
    ends: impl Fn(&Path) -> Option<Head>,
) -> Vec<(PathBuf, PathBuf)> {
    let mut copies = find_copies(paths, ends);
    copies.retain(|(path, _)| !is_bare_fork(path));
    copies
}

/// Returns whether a session ends where it left its parent, without saying its own id.
fn is_bare_fork(path: &Path) -> bool {
    let Ok(lines) = open_lines::<Value>(path) else {
        return false;
    };
    let last = lines.last();
    let Some(Ok(ReadLine::Known(line))) = last else {
        return false;
    };
    line.event["type"] == "forked" && line.event["session"].is_null()
}

/// Returns the journals of every kind that are copies of others, byte for byte, with those.
///
/// # Errors
/// When a folder cannot be listed.
pub fn copied_journals(layout: &Layout) -> Result<Vec<(PathBuf, PathBuf)>, StoreError> {
    let all = journals_of_store(layout)?.into_iter().map(|(_, path)| path);
    Ok(copies_among(&all.collect::<Vec<_>>(), |_| None))
}

/// Returns the error for a session that is a copy of another one.
pub fn copy_error(path: &Path, of: &Path) -> WorkspaceError {
    WorkspaceError::Copied {
        path: path.display().to_string(),
        of: of.display().to_string(),
    }
}

/// A session that a run finished and that is not there.
#[derive(Debug)]
pub struct MissingSession {
    pub session: SessionId,
    /// Where it lay.
    pub path: PathBuf,
    /// Its path in the trash.
    trashed: Option<PathBuf>,
}

impl fmt::Display for MissingSession {
    /// The session, and how to get it back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = &self.session;
        match &self.trashed {
            Some(trashed) => write!(
                f,
                "session {id} is in the trash: mv {} {}",
                trashed.display(),
                self.path.display()
            ),
            None => write!(
                f,
                "session {id} is gone: bring it back from a copy, or from the machine that played it"
            ),
        }
    }
}

/// Returns the sessions that a run finished and that are not there.
///
/// # Errors
/// When an id is no name of a file.
pub fn missing_sessions(layout: &Layout, run: &RunState) -> Result<Vec<MissingSession>> {
    missing_among(layout, run.finished.values().map(|done| &done.session))
}

/// As [`missing_sessions`], of the sessions that a run finished.
pub(super) fn missing_among<'a>(
    layout: &Layout,
    finished: impl Iterator<Item = &'a SessionId>,
) -> Result<Vec<MissingSession>> {
    let mut missing = Vec::new();
    for session in finished {
        let path = layout.session_path(session.as_str())?;
        if !path.exists() {
            let trash_path = layout.trash_path(session.as_str())?;
            missing.push(MissingSession {
                session: session.clone(),
                path,
                trashed: trash_path.exists().then_some(trash_path),
            });
        }
    }
    Ok(missing)
}
