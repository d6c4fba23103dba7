//! Export of journals into a folder that is laid out as a store: all of them or none.
//!
//! A journal that is being written to is copied up to its last complete line.

use super::registry::JournalRegistry;
use super::transfer::{
    ExistingCopy, JournalCopy, JournalCounts, compare_file, inspect_journal, journal_stem,
    publish_all,
};
use crate::workspace::error::{Result, WorkspaceError, reject};
use crate::workspace::journals_of_store;
use crate::workspace::run::RunState;
use elenchus_game::debate::SessionId;
use elenchus_store::{Head, Layout, read_exactly};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Folders of sessions and of runs, in a store and in an export alike.
const SESSIONS: &str = "sessions";
const RUNS: &str = "runs";
const SWEEPS: &str = "sweeps";

/// Journals that are to be exported, with the heads that runs remember.
#[derive(Debug, Default)]
pub struct JournalExport {
    /// With the folder of each in a store.
    journals: BTreeSet<(PathBuf, String)>,
    heads: BTreeMap<SessionId, Vec<Head>>,
}

/// Journals that were exported.
pub struct ExportedJournals {
    pub counts: JournalCounts,
    /// How many were there already.
    pub there: usize,
}

impl JournalExport {
    /// Says whether there is nothing to export.
    pub fn is_empty(&self) -> bool {
        self.journals.is_empty()
    }

    /// Adds a session.
    pub fn add_session(&mut self, session: &SessionId) {
        self.journals.insert((SESSIONS.into(), session.to_string()));
    }

    /// Adds the journal of a run, and what it remembers of its sessions.
    pub fn add_run(&mut self, id: &str, run: &RunState) {
        self.journals.insert((RUNS.into(), id.to_owned()));
        for (session, head) in run.session_heads() {
            self.heads.entry(session).or_default().push(head);
        }
    }

    /// Adds the journal of a sweep.
    pub fn add_sweep(&mut self, id: &str) {
        self.journals.insert((SWEEPS.into(), id.to_owned()));
    }

    /// Adds the journals of all other kinds.
    ///
    /// # Errors
    /// When a folder cannot be listed.
    pub fn add_others(&mut self, layout: &Layout) -> Result<()> {
        for (folder, path) in journals_of_store(layout)? {
            if [SESSIONS, RUNS].contains(&folder) {
                continue;
            }
            let inside = path
                .parent()
                .and_then(|parent| parent.strip_prefix(layout.root()).ok());
            let folder = inside.ok_or_else(|| {
                WorkspaceError::Invalid(format!("{} is not in the store", path.display()))
            })?;
            let id = journal_stem(&path)?.to_owned();
            self.journals.insert((folder.to_owned(), id));
        }
        Ok(())
    }

    /// Copies the journals of a store into a folder; nothing is written unless all of them can be. Blocks.
    ///
    /// # Errors
    /// When a journal is broken, or a different file of its name is in the folder.
    pub fn copy_journals(
        &self,
        layout: &Layout,
        output: &Path,
        kinds: JournalRegistry,
    ) -> Result<ExportedJournals> {
        let output = Layout::new(output);
        let mut copies = Vec::new();
        let mut result = ExportedJournals {
            counts: JournalCounts::default(),
            there: 0,
        };
        for (folder, id) in &self.journals {
            let path = layout.journal_in(folder, id)?;
            let heads = self.heads.get(&SessionId::new(id.clone()));
            let heads = heads.filter(|_| folder == Path::new(SESSIONS));
            let journal = inspect_journal(&path, heads.map_or(&[], Vec::as_slice), kinds);
            let journal = journal.map_err(|error| {
                WorkspaceError::Invalid(format!("nothing was exported: {error}"))
            })?;
            let content = read_exactly(&path, journal.head.bytes)?;
            let target = output.journal_in(folder, id)?;
            match compare_file(&target, &content)? {
                ExistingCopy::Nothing => {
                    copies.push(JournalCopy::write_hidden(&target, &content, journal.head)?);
                    result.counts.count_journal(journal.kind);
                }
                ExistingCopy::Same => result.there += 1,
                ExistingCopy::Shorter | ExistingCopy::Longer | ExistingCopy::Different => {
                    return reject(format!(
                        "{} is there already and differs; nothing was exported: choose another folder",
                        target.display()
                    ));
                }
            }
        }
        publish_all(&copies)?;
        Ok(result)
    }
}
