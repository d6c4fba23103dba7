//! State of a run: a fold over its journal.

use super::event::{Finished, Manifest, RunEvent, RunItem};
use crate::debate::SessionId;
use crate::debate::protocol::Ceilings;
use crate::store::{JournalEvent, JournalLine};
use crate::workspace::error::WorkspaceError;
use crate::workspace::journal_kind::{JournalKind, has_fields};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// State of a run from its journal.
#[derive(Debug, Clone)]
pub struct RunState {
    pub manifest: Manifest,
    pub items: Vec<RunItem>,
    pub finished: BTreeMap<u64, Finished>,
    /// The last failure of each item that has not finished since.
    pub failed: BTreeMap<u64, String>,
    pub paused: Option<String>,
    pub completed: bool,
    pub begun_at: String,
}

impl RunState {
    /// Returns the ids of the run's sessions.
    pub fn sessions(&self) -> BTreeSet<SessionId> {
        self.items.iter().map(|item| item.session.clone()).collect()
    }
}

impl JournalEvent for RunEvent {
    const KIND: &'static str = "run";
}

impl JournalKind for RunEvent {
    type State = RunState;
    const NAMES: (&'static str, &'static str) = ("run", "runs");
    const FOLDERS: &'static [&'static str] = &["runs"];

    fn is_first(event: &Value) -> bool {
        has_fields(event, "begun", &["run", "casts"])
    }

    fn fold(path: &Path, lines: Vec<JournalLine<Self>>) -> Result<RunState, WorkspaceError> {
        fold(path, lines)
    }
}

/// Reads a run without its lock.
///
/// # Errors
/// When the journal cannot be read.
pub fn read_run(path: &Path) -> Result<RunState, WorkspaceError> {
    RunEvent::read(path)
}

fn fold(path: &Path, lines: Vec<JournalLine<RunEvent>>) -> Result<RunState, WorkspaceError> {
    let mut state: Option<RunState> = None;
    for line in lines {
        match (line.event, &mut state) {
            (RunEvent::Begun(manifest), None) => {
                state = Some(RunState {
                    manifest: *manifest,
                    items: Vec::new(),
                    finished: BTreeMap::new(),
                    failed: BTreeMap::new(),
                    paused: None,
                    completed: false,
                    begun_at: line.at,
                });
            }
            (RunEvent::Planned(item), Some(state)) => state.items.push(*item),
            (RunEvent::Finished(done), Some(state)) => {
                state.failed.remove(&done.item);
                state.finished.insert(done.item, done);
            }
            (RunEvent::Failed { item, why, .. }, Some(state)) => {
                state.failed.insert(item, why);
            }
            (RunEvent::Paused { why }, Some(state)) => state.paused = Some(why),
            (
                RunEvent::Resumed {
                    budget_usd: cost_usd,
                    budget_calls: calls,
                    budget_tokens: tokens,
                },
                Some(state),
            ) => {
                state.paused = None;
                state.manifest.raise(Ceilings {
                    cost_usd,
                    calls,
                    tokens,
                });
            }
            (RunEvent::Completed {}, Some(state)) => state.completed = true,
            (_, None) | (RunEvent::Begun(_), Some(_)) => {
                return Err(WorkspaceError::Invalid(format!(
                    "{}: a run's journal must begin with one manifest",
                    path.display()
                )));
            }
        }
    }
    let state = state.ok_or_else(|| WorkspaceError::Empty {
        path: path.display().to_string(),
    })?;
    if (state.items.len() as u64) < state.manifest.items {
        return Err(WorkspaceError::Invalid(format!(
            "{}: the run was cut off while it was planned ({} of {} items); begin it again",
            path.display(),
            state.items.len(),
            state.manifest.items
        )));
    }
    Ok(state)
}
