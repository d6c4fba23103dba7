//! Sessions and runs of a store, found by their ids, the beginning or end of one, or as the last of all.

use super::arrival::newest_first;
use super::error::{Result, WorkspaceError, reject};
use super::run::{RunState, read_run};
use elenchus_game::debate::{RunId, SessionId};
use elenchus_store::{Layout, StoreError, has_begun};
use std::path::{Path, PathBuf};

/// Names the journal of its kind that was begun or imported last, wherever one is asked for.
pub const LAST: &str = "last";
/// Journals that are looked at before all are, where the newest was killed before its first line.
const FEW: usize = 20;

/// A journal that could not be read.
#[derive(Debug)]
pub struct Unreadable {
    pub path: PathBuf,
    pub error: WorkspaceError,
}

/// Reads every run.
///
/// # Errors
/// When the folder of runs cannot be listed.
pub fn read_runs(layout: &Layout) -> Result<(Vec<RunState>, Vec<Unreadable>)> {
    read_each(layout.list_runs()?, |id| layout.run_path(id), read_run)
}

/// Reads the journals of these ids, and those that cannot be read apart.
///
/// # Errors
/// When an id is no name of a journal.
pub(super) fn read_each<T>(
    ids: Vec<String>,
    path: impl Fn(&str) -> Result<PathBuf, StoreError>,
    read: impl Fn(&Path) -> Result<T>,
) -> Result<(Vec<T>, Vec<Unreadable>)> {
    let (mut found, mut unreadable) = (Vec::new(), Vec::new());
    for id in ids {
        let path = path(&id)?;
        match read(&path) {
            Ok(one) => found.push(one),
            Err(error) => unreadable.push(Unreadable { path, error }),
        }
    }
    Ok((found, unreadable))
}

/// Finds the session that an id, its beginning, its end, or `last` names.
///
/// # Errors
/// When none or several do.
pub fn find_session(layout: &Layout, text: &str) -> Result<SessionId> {
    // A whole id needs no list of all.
    if layout.session_path(text).is_ok_and(|path| path.is_file()) {
        return Ok(SessionId::new(text));
    }
    let journals = locate_journals(layout.list_sessions()?, |id| layout.session_path(id))?;
    let id = find_journal(journals, text, "session", "elenchus ls")?;
    Ok(SessionId::new(id))
}

/// Finds the run that an id, its beginning, its end, or `last` names.
///
/// # Errors
/// When none or several do.
pub fn find_run(layout: &Layout, text: &str) -> Result<RunId> {
    let journals = locate_journals(layout.list_runs()?, |id| layout.run_path(id))?;
    let id = find_journal(journals, text, "run", "elenchus ls --runs")?;
    Ok(RunId::new(id))
}

/// Puts the path of its journal beside each id.
///
/// # Errors
/// When an id is no name of a journal.
pub(super) fn locate_journals(
    ids: Vec<String>,
    path: impl Fn(&str) -> Result<PathBuf, StoreError>,
) -> Result<Vec<(String, PathBuf)>> {
    let located = ids.into_iter().map(|id| Ok((path(&id)?, id)));
    let located = located.map(|one| one.map(|(path, id): (PathBuf, String)| (id, path)));
    located.collect()
}

/// Finds the journal that an id, its beginning, its end, or `last` names: the one that was begun or imported last.
///
/// # Errors
/// When none or several do.
pub fn find_journal(
    journals: Vec<(String, PathBuf)>,
    text: &str,
    what: &'static str,
    list: &'static str,
) -> Result<String> {
    let ids = journals.iter().map(|(id, _)| id.clone()).collect();
    match text.trim() {
        LAST => match find_last_journal(journals)? {
            Some(id) => Ok(id),
            None => reject(match what {
                "session" | "run" => format!("there is no {what} yet; 'elenchus run' plays one"),
                _ => format!("there is no {what} yet"),
            }),
        },
        _ => find_id(ids, text, what, list),
    }
}

/// Finds the journal that was begun or imported last. One that was killed before its first line is none.
fn find_last_journal(journals: Vec<(String, PathBuf)>) -> Result<Option<String>> {
    let mut looked_at = 0;
    for at_most in [1, FEW, usize::MAX] {
        for id in newest_first(journals.clone(), at_most)
            .into_iter()
            .skip(looked_at)
        {
            let path = journals.iter().find(|(one, _)| *one == id);
            if path.is_some_and(|(_, path)| has_begun(path).unwrap_or(true)) {
                return Ok(Some(id));
            }
            looked_at += 1;
        }
    }
    Ok(None)
}

/// Finds the id that a text is, begins or ends.
///
/// # Errors
/// When none or several do.
fn find_id(ids: Vec<String>, text: &str, what: &'static str, list: &'static str) -> Result<String> {
    let text = text.trim().to_lowercase();
    if ids.contains(&text) {
        return Ok(text);
    }
    // An id's beginning is a time: recent ids differ at their end, so both ends are accepted.
    let mut fitting: Vec<String> = ids
        .into_iter()
        .filter(|id| !text.is_empty() && (id.starts_with(&text) || id.ends_with(&text)))
        .collect();
    match fitting.len() {
        1 => Ok(fitting.remove(0)),
        0 => Err(WorkspaceError::NoSuch {
            what,
            id: text,
            list,
        }),
        count => Err(WorkspaceError::Ambiguous {
            what,
            id: text,
            count,
        }),
    }
}

/// Refuses a new name that another one equals but for case: file systems that fold case would give both
/// one file.
///
/// # Errors
/// Names the other.
pub fn refuse_case_twin(what: &str, name: &str, there: &[String]) -> Result<()> {
    if there.iter().any(|other| other == name) {
        return Ok(());
    }
    match there.iter().find(|other| other.eq_ignore_ascii_case(name)) {
        Some(other) => Err(WorkspaceError::Invalid(format!(
            "{what} '{name}' differs from '{other}' in case alone, and some file systems would keep \
             both in one file; use '{other}', or choose another name"
        ))),
        None => Ok(()),
    }
}
