//! State of a sweep: a fold over its journal.

use super::event::{SweepEvent, SweepManifest};
use crate::workspace::error::Result;
use crate::workspace::experiment::{
    ExperimentEvent, ExperimentSetup, ExperimentSummary, ItemCounts, ProgressMark, Standing,
    fold_experiment, is_cost_known,
};
use crate::workspace::find::{Unreadable, find_journal, locate_journals, read_each};
use crate::workspace::journal_kind::{Intake, JournalKind, has_fields};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{Expense, RunId};
use elenchus_store::{JournalLine, JournalType, Layout};
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

/// Outcome of a point that was tried.
#[derive(Debug, Clone, PartialEq)]
pub enum PointStanding {
    /// With what it used at most.
    Finished { used: Expense, cost_known: bool },
    /// Debates are missing; the reason is that of the first.
    Failed { debates: u64, why: String },
}

impl SweepState {
    /// Says whether every debate of a point is over.
    pub fn is_finished(&self, point: u32) -> bool {
        match self.tried.get(&point) {
            Some(PointStanding::Finished { .. }) => true,
            Some(PointStanding::Failed { .. }) | None => false,
        }
    }

    /// Says whether every debate of every point is over.
    pub fn is_over(&self) -> bool {
        let mut points = (0..).zip(&self.manifest.points);
        points.all(|(number, _)| self.is_finished(number))
    }

    /// Says whether every point of an arm was tried: its figures wait for that.
    pub fn is_tried(&self, arm: u32) -> bool {
        let points = (0..).zip(&self.manifest.points);
        points
            .filter(|(_, point)| point.arm == arm)
            .all(|(number, _)| self.tried.contains_key(&number))
    }
}

impl JournalType for SweepEvent {
    type Event = Self;
    const KIND: &'static str = "sweep";
}

impl JournalKind for SweepEvent {
    type State = SweepState;
    const NAMES: (&'static str, &'static str) = ("sweep", "sweeps");
    const FOLDERS: &'static [&'static str] = &["sweeps"];
    const INTAKE: Intake = Intake::Freely;
    const BEGINS_WITH_ONE: bool = true;

    fn is_first(event: &Value) -> bool {
        has_fields(event, "begun", &["sweep", "points"])
    }

    fn fold_journal(path: &Path, lines: Vec<JournalLine<Self>>) -> Result<SweepState> {
        fold_experiment(path, lines)
    }
}

impl ExperimentEvent for SweepEvent {
    fn resume_event(ceilings: Ceilings) -> Self {
        Self::Resumed { ceilings }
    }

    fn pause_event(why: String) -> Self {
        Self::Paused { why }
    }

    fn completion_event() -> Self {
        Self::Completed {}
    }

    fn begin_state(&self, at: &str) -> Option<SweepState> {
        let Self::Begun(manifest) = self else {
            return None;
        };
        Some(SweepState {
            manifest: (**manifest).clone(),
            begun_at: at.to_owned(),
            planned: false,
            tried: BTreeMap::new(),
            paused: None,
            completed: false,
        })
    }

    fn apply_event(state: &mut SweepState, _at: &str, event: Self) {
        match event {
            // One begins it; the fold has checked that.
            Self::Begun(_) => {}
            Self::Planned {} => state.planned = true,
            Self::Finished {
                point,
                run: _,
                committed_usd: usd,
                committed_calls: calls,
                committed_tokens: tokens,
                priced,
            } => {
                let used = Expense { usd, calls, tokens };
                let cost_known = is_cost_known(priced, usd);
                let finish = PointStanding::Finished { used, cost_known };
                state.tried.insert(point, finish);
            }
            Self::Failed {
                point,
                run: _,
                debates,
                why,
            } => {
                let failure = PointStanding::Failed { debates, why };
                state.tried.insert(point, failure);
            }
            Self::Paused { why } => state.paused = Some(why),
            Self::Resumed { ceilings } => {
                state.paused = None;
                state.manifest.ceilings = state.manifest.ceilings.with_overrides(ceilings);
            }
            Self::Completed {} => state.completed = true,
        }
    }

    fn progress_mark(&self) -> Option<ProgressMark> {
        match self {
            Self::Begun(_) | Self::Resumed { .. } => Some(ProgressMark::Begins),
            Self::Finished { .. } => Some(ProgressMark::FinishesItem),
            Self::Failed { .. } => Some(ProgressMark::FailsItem),
            Self::Planned {} | Self::Paused { .. } | Self::Completed {} => None,
        }
    }

    fn summarize(state: &SweepState) -> ExperimentSummary {
        let manifest = &state.manifest;
        let mut committed_usd = Some(0.0);
        let mut finish_count = 0;
        let mut failures = Vec::new();
        for (number, standing) in &state.tried {
            match standing {
                PointStanding::Finished { used, cost_known } => {
                    finish_count += 1;
                    let known_cost = committed_usd.filter(|_| *cost_known);
                    committed_usd = known_cost.map(|sum: f64| sum + used.usd);
                }
                PointStanding::Failed { debates, why } => {
                    let point = manifest.points.get(*number as usize);
                    let name = point.map_or_else(String::new, |point| manifest.name_of(point));
                    failures.push((name, format!("{debates} debates failed; {why}")));
                }
            }
        }
        ExperimentSummary {
            kind: "sweep",
            id: manifest.sweep.clone(),
            about: format!("{} on {}", manifest.file, manifest.dataset.path),
            begun_at: state.begun_at.clone(),
            items: ItemCounts {
                all: Some(manifest.points.len() as u64),
                done: finish_count,
                failed: failures.len() as u64,
            },
            item_names: ("point", "points"),
            standing: Standing::from_journal(state.paused.as_ref(), state.completed),
            ceilings: manifest.ceilings,
            // What points used that are not over is in their runs.
            committed_usd: committed_usd.filter(|_| finish_count == manifest.points.len() as u64),
            ended_usd: committed_usd,
            // Its runs say it.
            filtered: 0,
            failures,
            setup: Some(ExperimentSetup {
                arm: match manifest.arms.len() {
                    1 => "1 arm".to_owned(),
                    count => format!("{count} arms"),
                },
                ..ExperimentSetup::default()
            }),
            runs: manifest
                .points
                .iter()
                .map(|point| point.run.clone())
                .collect(),
            in_batch: 0,
            is_shard: false,
            repeat: manifest.repeat.clone(),
        }
    }
}

/// Reads a sweep without its lock.
///
/// # Errors
/// When the journal cannot be read.
pub fn read_sweep(layout: &Layout, id: &str) -> Result<SweepState> {
    SweepEvent::read_state(&layout.sweep_path(id)?)
}

/// Reads every sweep, the oldest first.
///
/// # Errors
/// When the folder of sweeps cannot be listed.
pub fn read_sweeps(layout: &Layout) -> Result<(Vec<SweepState>, Vec<Unreadable>)> {
    read_each(
        layout.list_sweeps()?,
        |id| layout.sweep_path(id),
        SweepEvent::read_state,
    )
}

/// Finds the sweep that an id, its beginning, its end, or `last` names.
///
/// # Errors
/// When none or several do.
pub fn find_sweep(layout: &Layout, text: &str) -> Result<String> {
    let journals = locate_journals(layout.list_sweeps()?, |id| layout.sweep_path(id))?;
    find_journal(journals, text, "sweep", "elenchus sweep --list")
}

/// Returns the sweep that a run is a point of; none where it is a run of its own.
///
/// # Errors
/// When the folder of sweeps cannot be listed.
pub fn sweep_of_run(layout: &Layout, run: &RunId) -> Result<Option<SweepState>> {
    let (all, _) = read_sweeps(layout)?;
    let holds = |sweep: &SweepState| sweep.manifest.points.iter().any(|point| &point.run == run);
    Ok(all.into_iter().find(holds))
}
