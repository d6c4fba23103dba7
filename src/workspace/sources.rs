//! Journals of a store, of every kind, and those that are incomplete, missing or copied: figures must not
//! be computed over them in silence.

use super::error::WorkspaceError;
use super::journal_kind::JournalKind;
use super::run::RunState;
use crate::debate::SessionId;
use crate::store::{Layout, StoreError, check_head, find_copies};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// Folder of a journal, which decides its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum JournalFolder {
    /// In the folder of a store that holds journals of this kind.
    Store(JournalKind),
    /// Among the samples of tried prompts, which are sessions.
    Tries(JournalKind),
}

impl JournalFolder {
    /// Returns the kind of the journals in the folder.
    pub fn kind(self) -> JournalKind {
        match self {
            JournalFolder::Store(kind) | JournalFolder::Tries(kind) => kind,
        }
    }
}

/// Returns every journal of a store, its sessions first.
///
/// # Errors
/// When a folder cannot be listed.
pub fn journals_of_store(layout: &Layout) -> Result<Vec<(JournalFolder, PathBuf)>, StoreError> {
    let mut found = Vec::new();
    let mut add = |kind, path| found.push((JournalFolder::Store(kind), path));
    for id in layout.sessions()? {
        add(JournalKind::Session, layout.session(&id)?);
    }
    for id in layout.runs()? {
        add(JournalKind::Run, layout.run(&id)?);
    }
    for name in layout.queues()? {
        add(JournalKind::Queue, layout.queue(&name)?);
    }
    for namespace in layout.namespaces()? {
        for (kind, paths) in [
            (JournalKind::Lessons, layout.memory_journals(&namespace)?),
            (JournalKind::Guardrails, layout.guard_journals(&namespace)?),
            (
                JournalKind::GuardrailTest,
                layout.trial_journals(&namespace)?,
            ),
        ] {
            let here = paths.into_iter().filter(|path| path.exists());
            here.for_each(|path| add(kind, path));
        }
    }
    for annotator in layout.annotators()? {
        add(JournalKind::Notes, layout.notes(&annotator)?);
    }
    for annotator in layout.all_sights()? {
        add(JournalKind::Notes, layout.sights(&annotator)?);
    }
    for pass in layout.passes()? {
        add(JournalKind::Pass, layout.pass(&pass)?);
    }
    for person in layout.prompt_books()? {
        add(JournalKind::PromptVersions, layout.prompt_book(&person)?);
    }
    for session in layout.sheets()? {
        add(JournalKind::Sheet, layout.sheet(&session)?);
    }
    for pack in layout.packs()? {
        add(JournalKind::Pack, layout.pack(&pack)?);
    }
    let tries = layout.tries();
    for id in tries.sessions()? {
        found.push((
            JournalFolder::Tries(JournalKind::Session),
            tries.session(&id)?,
        ));
    }
    for id in tries.comparisons()? {
        found.push((
            JournalFolder::Tries(JournalKind::Comparison),
            tries.comparison(&id)?,
        ));
    }
    Ok(found)
}

/// Returns the journals of a store and of its tries that are gone.
///
/// # Errors
/// When a folder cannot be listed.
pub fn missing_journals(layout: &Layout) -> Result<Vec<PathBuf>, StoreError> {
    let mut gone = layout.gone()?;
    gone.extend(layout.tries().gone()?);
    Ok(gone)
}

/// A journal that holds less than was acknowledged, is missing, or is there twice.
#[derive(Debug)]
pub struct IncompleteSource {
    pub path: PathBuf,
    pub why: WorkspaceError,
}

/// Finds what figures over this store would lack. One line of each journal is read.
///
/// # Errors
/// When a folder cannot be listed.
pub fn incomplete_sources(layout: &Layout) -> Result<Vec<IncompleteSource>, WorkspaceError> {
    let here = journals_of_store(layout)?.into_iter().map(|(_, path)| path);
    let mut short: Vec<IncompleteSource> = here
        .chain(missing_journals(layout)?)
        .filter_map(|path| {
            let why = check_head(&path).err()?.into();
            Some(IncompleteSource { path, why })
        })
        .collect();
    for (path, of) in copied_journals(layout)? {
        let why = copied(&path, &of);
        short.push(IncompleteSource { path, why });
    }
    Ok(short)
}

/// Returns the sessions that are copies of others, byte for byte, and what is said of each: an id is
/// one file, and is counted once.
///
/// # Errors
/// When a folder cannot be listed.
pub fn copies(layout: &Layout) -> Result<BTreeMap<SessionId, WorkspaceError>, WorkspaceError> {
    let mut all = BTreeMap::new();
    for (id, of) in layout.copied_sessions()? {
        let why = copied(&layout.session(&id)?, &layout.session(&of)?);
        all.insert(SessionId::new(id), why);
    }
    Ok(all)
}

/// Returns the journals of every kind that are copies of others, byte for byte, with those.
///
/// # Errors
/// When a folder cannot be listed.
pub fn copied_journals(layout: &Layout) -> Result<Vec<(PathBuf, PathBuf)>, StoreError> {
    let all = journals_of_store(layout)?.into_iter().map(|(_, path)| path);
    Ok(find_copies(&all.collect::<Vec<_>>()))
}

/// Returns the error for a session that is a copy of another one.
pub fn copied(path: &Path, of: &Path) -> WorkspaceError {
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
pub fn missing_sessions(
    layout: &Layout,
    run: &RunState,
) -> Result<Vec<MissingSession>, WorkspaceError> {
    let mut gone = Vec::new();
    for done in run.finished.values() {
        let (path, trashed) = (
            layout.session(done.session.as_str())?,
            layout.trashed(done.session.as_str())?,
        );
        if !path.exists() {
            gone.push(MissingSession {
                session: done.session.clone(),
                path,
                trashed: trashed.exists().then_some(trashed),
            });
        }
    }
    Ok(gone)
}
