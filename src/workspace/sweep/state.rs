//! State of a sweep: a fold over its journal.

use super::event::{SweepEvent, SweepManifest};
use crate::debate::protocol::Ceilings;
use crate::debate::{Expense, RunId};
use crate::store::{JournalEvent, JournalLine, Layout};
use crate::workspace::error::WorkspaceError;
use crate::workspace::find::{Unreadable, find};
use crate::workspace::journal_kind::{JournalKind, has_fields};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// State of a sweep from its journal.
#[derive(Debug, Clone)]
pub struct SweepState {
    pub manifest: SweepManifest,
    pub begun_at: String,
    /// The runs of all points have begun.
    pub planned: bool,
    /// Points that were tried, by their number.
    pub tried: BTreeMap<u32, PointStanding>,
    pub paused: Option<String>,
    pub completed: bool,
}

/// What came of a point that was tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PointStanding {
    /// With what it used at most.
    Finished(Expense),
    /// This number of its debates is missing.
    Failed(u64),
}

impl SweepState {
    /// Returns the state of a sweep that begins.
    pub fn begin(manifest: SweepManifest, begun_at: String) -> Self {
        Self {
            manifest,
            begun_at,
            planned: false,
            tried: BTreeMap::new(),
            paused: None,
            completed: false,
        }
    }

    /// Says whether every debate of a point is over.
    pub fn is_finished(&self, point: u32) -> bool {
        match self.tried.get(&point) {
            Some(PointStanding::Finished(_)) => true,
            Some(PointStanding::Failed(_)) | None => false,
        }
    }

    /// Says whether every point of an arm was tried: its figures wait for that.
    pub fn is_tried(&self, arm: u32) -> bool {
        let points = (0..).zip(&self.manifest.points);
        points
            .filter(|(_, point)| point.arm == arm)
            .all(|(number, _)| self.tried.contains_key(&number))
    }

    /// Takes a later event in; a second beginning changes nothing.
    pub fn apply(&mut self, event: &SweepEvent) {
        match event {
            SweepEvent::Begun(_) => {}
            SweepEvent::Planned {} => self.planned = true,
            SweepEvent::Finished {
                point,
                run: _,
                committed_usd: usd,
                committed_calls: calls,
                committed_tokens: tokens,
            } => {
                let used = Expense {
                    usd: *usd,
                    calls: *calls,
                    tokens: *tokens,
                };
                self.tried.insert(*point, PointStanding::Finished(used));
            }
            SweepEvent::Failed { point, debates, .. } => {
                self.tried.insert(*point, PointStanding::Failed(*debates));
            }
            SweepEvent::Paused { why } => self.paused = Some(why.clone()),
            SweepEvent::Resumed {
                budget_usd: cost_usd,
                budget_calls: calls,
                budget_tokens: tokens,
            } => {
                self.paused = None;
                self.manifest.raise(Ceilings {
                    cost_usd: *cost_usd,
                    calls: *calls,
                    tokens: *tokens,
                });
            }
            SweepEvent::Completed {} => self.completed = true,
        }
    }
}

impl JournalEvent for SweepEvent {
    const KIND: &'static str = "sweep";
}

impl JournalKind for SweepEvent {
    type State = SweepState;
    const NAMES: (&'static str, &'static str) = ("sweep", "sweeps");
    const FOLDERS: &'static [&'static str] = &["sweeps"];
    const BEGINS_WITH_ONE: bool = true;

    fn is_first(event: &Value) -> bool {
        has_fields(event, "begun", &["sweep", "points"])
    }

    fn fold(path: &Path, lines: Vec<JournalLine<Self>>) -> Result<SweepState, WorkspaceError> {
        let mut lines = lines.into_iter();
        let first = lines.next().ok_or_else(|| WorkspaceError::Empty {
            path: path.display().to_string(),
        })?;
        let two_or_none = || {
            WorkspaceError::Invalid(format!(
                "{}: a sweep's journal must begin with one plan; it is kept as it is",
                path.display()
            ))
        };
        let SweepEvent::Begun(manifest) = first.event else {
            return Err(two_or_none());
        };
        let mut state = SweepState::begin(*manifest, first.at);
        for line in lines {
            if let SweepEvent::Begun(_) = line.event {
                return Err(two_or_none());
            }
            state.apply(&line.event);
        }
        Ok(state)
    }
}

/// Reads a sweep without its lock.
///
/// # Errors
/// When the journal cannot be read.
pub fn read_sweep(layout: &Layout, id: &str) -> Result<SweepState, WorkspaceError> {
    SweepEvent::read(&layout.sweep(id)?)
}

/// Reads every sweep, the oldest first.
///
/// # Errors
/// When the folder of sweeps cannot be listed.
pub fn sweeps(layout: &Layout) -> Result<(Vec<SweepState>, Vec<Unreadable>), WorkspaceError> {
    let mut found = Vec::new();
    let mut unreadable = Vec::new();
    for id in layout.sweeps()? {
        match read_sweep(layout, &id) {
            Ok(sweep) => found.push(sweep),
            Err(error) => unreadable.push(Unreadable {
                path: layout.sweep(&id)?,
                error,
            }),
        }
    }
    Ok((found, unreadable))
}

/// Finds the sweep that an id, its beginning or its end, names.
///
/// # Errors
/// When none or several do.
pub fn find_sweep(layout: &Layout, text: &str) -> Result<String, WorkspaceError> {
    find(layout.sweeps()?, text, "sweep", "elenchus sweep --list")
}

/// Returns the sweep that a run is a point of; none where it is a run of its own.
///
/// # Errors
/// When the folder of sweeps cannot be listed.
pub fn sweep_of_run(layout: &Layout, run: &RunId) -> Result<Option<SweepState>, WorkspaceError> {
    let (all, _) = sweeps(layout)?;
    let holds = |sweep: &SweepState| sweep.manifest.points.iter().any(|point| &point.run == run);
    Ok(all.into_iter().find(holds))
}
