//! State of a run: a fold over its journal.

use super::event::{Finished, Manifest, RunEvent, RunItem};
use super::training::{TrainedAdapter, TrainingBegun, TrainingFailed};
use super::whole::WholeRun;
use crate::workspace::error::{Result, WorkspaceError};
use crate::workspace::experiment::{
    ExperimentEvent, ExperimentSummary, ItemCounts, ProgressMark, Standing, fold_experiment,
};
use crate::workspace::journal_kind::{Intake, JournalKind, has_fields};
use elenchus_game::debate::SessionId;
use elenchus_game::debate::event::Participant;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_store::{Head, JournalLine, JournalType};
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
    /// Trainings in the order in which they began.
    pub trainings: Vec<TrainingBegun>,
    /// Those that gave an adapter.
    pub trained: Vec<TrainedAdapter>,
    /// The last training, where it failed and none followed.
    pub training_failure: Option<TrainingFailed>,
    pub paused: Option<String>,
    pub completed: bool,
    pub begun_at: String,
    /// What it was put together from, where it is several shards.
    pub whole: Option<Box<WholeRun>>,
}

impl RunState {
    /// Says whether every debate came to its end.
    pub fn is_over(&self) -> bool {
        self.finished.len() == self.items.len()
    }

    /// Says which parts it is, or is made of, where it is of several: "part 2 of 4", "4 parts",
    /// "parts 1, 3 of 4; 2, 4 are not here".
    pub fn describe_parts(&self) -> Option<String> {
        let shard = self.manifest.shard?;
        let Some(whole) = &self.whole else {
            return Some(format!("part {} of {}", shard.part, shard.of));
        };
        if whole.missing_parts().is_empty() {
            return Some(format!("{} parts", whole.of));
        }
        let here: Vec<String> = whole.parts.keys().map(u32::to_string).collect();
        let name = if here.len() == 1 { "part" } else { "parts" };
        let (here, of, missing) = (here.join(", "), whole.of, whole.describe_missing());
        Some(format!("{name} {here} of {of}; {missing}"))
    }

    /// Returns how many debates were planned, those of parts that are not here included where that is known.
    pub fn count_planned(&self) -> u64 {
        let here = self.items.len() as u64;
        let all = self.whole.as_ref().and_then(|whole| whole.all);
        all.map_or(here, |all| all.max(here))
    }

    /// Returns the heads that the run remembers of its sessions.
    pub fn session_heads(&self) -> impl Iterator<Item = (SessionId, Head)> {
        self.finished.values().filter_map(|done| {
            let head = Head {
                bytes: done.bytes,
                lines: done.lines,
                hash: done.head.parse().ok()?,
            };
            Some((done.session.clone(), head))
        })
    }

    /// Returns the ids of the run's sessions.
    pub fn sessions(&self) -> BTreeSet<SessionId> {
        self.items.iter().map(|item| item.session.clone()).collect()
    }

    /// Returns the sessions of the debates that failed and have not finished since, in the order of the items.
    pub fn list_failed_sessions(&self) -> impl Iterator<Item = &SessionId> {
        let failed = self.items.iter();
        failed
            .filter(|item| self.failed.contains_key(&item.item))
            .map(|item| &item.session)
    }

    /// Returns what its finished debates used at most, in US dollars.
    pub fn committed_usd(&self) -> f64 {
        let costs = self.finished.values().map(|done| done.committed_usd);
        // An empty sum of floats is -0.
        costs.sum::<f64>() + 0.0
    }
}

impl JournalType for RunEvent {
    type Event = Self;
    const KIND: &'static str = "run";
}

impl JournalKind for RunEvent {
    type State = RunState;
    const NAMES: (&'static str, &'static str) = ("run", "runs");
    const FOLDERS: &'static [&'static str] = &["runs"];
    const INTAKE: Intake = Intake::Freely;

    fn is_first(event: &Value) -> bool {
        has_fields(event, "begun", &["run", "casts"])
    }

    fn fold_journal(path: &Path, lines: Vec<JournalLine<Self>>) -> Result<RunState> {
        let state = fold_experiment(path, lines)?;
        let items = state.items.len() as u64;
        if items < state.manifest.items {
            return Err(WorkspaceError::HalfPlanned {
                path: path.display().to_string(),
                items,
                planned: state.manifest.items,
            });
        }
        Ok(state)
    }
}

impl ExperimentEvent for RunEvent {
    fn resume_event(ceilings: Ceilings) -> Self {
        Self::Resumed { ceilings }
    }

    fn pause_event(why: String) -> Self {
        Self::Paused { why }
    }

    fn completion_event() -> Self {
        Self::Completed {}
    }

    fn begin_state(&self, at: &str) -> Option<RunState> {
        let Self::Begun(manifest) = self else {
            return None;
        };
        Some(RunState {
            manifest: (**manifest).clone(),
            items: Vec::new(),
            finished: BTreeMap::new(),
            failed: BTreeMap::new(),
            trainings: Vec::new(),
            trained: Vec::new(),
            training_failure: None,
            paused: None,
            completed: false,
            begun_at: at.to_owned(),
            whole: None,
        })
    }

    fn apply_event(state: &mut RunState, _at: &str, event: Self) {
        match event {
            // One begins it; the fold has checked that.
            Self::Begun(_) => {}
            Self::Planned(item) => state.items.push(*item),
            Self::Finished(done) => {
                state.failed.remove(&done.item);
                state.finished.insert(done.item, done);
            }
            Self::Failed { item, why, .. } => {
                state.failed.insert(item, why);
            }
            Self::TrainingBegun(begun) => {
                state.training_failure = None;
                state.trainings.push(*begun);
            }
            Self::Trained(adapter) => state.trained.push(*adapter),
            Self::TrainingFailed(failed) => state.training_failure = Some(*failed),
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
            Self::Finished(_) => Some(ProgressMark::FinishesItem),
            Self::Failed { .. } => Some(ProgressMark::FailsItem),
            Self::Planned(_)
            | Self::TrainingBegun(_)
            | Self::Trained(_)
            | Self::TrainingFailed(_)
            | Self::Paused { .. }
            | Self::Completed {} => None,
        }
    }

    fn summarize(state: &RunState) -> ExperimentSummary {
        let manifest = &state.manifest;
        let topic_of = |item: &u64| {
            let mut items = state.items.iter();
            let item = items.find(|known| known.item == *item);
            item.map_or_else(String::new, |item| item.topic.id.clone())
        };
        // What debates used that are not over is in their own journals.
        let is_over = state.is_over();
        let costs = state.finished.values().map(|done| done.committed_usd);
        let lacks_prices = |one: &Participant| {
            let model = one.player.as_model();
            model.is_some_and(|model| !model.simulated && !has_prices(&model.settings))
        };
        // Also before a debate has ended: what was called until then is not known from here.
        let has_unknown_costs = manifest.casts.iter().flatten().any(lacks_prices);
        // An empty sum of floats is -0.
        let ended_usd = (!has_unknown_costs).then(|| costs.sum::<f64>() + 0.0);
        ExperimentSummary {
            kind: match manifest.ablation {
                Some(_) => "ablation",
                None => "run",
            },
            id: manifest.run.to_string(),
            about: match &manifest.ablation {
                Some(about) => format!("{} without the entry {}", about.session, about.entry),
                None => {
                    let parts = state.describe_parts();
                    let parts = parts.map_or_else(String::new, |parts| format!(" ({parts})"));
                    let (game, dataset) = (&manifest.protocol.id, &manifest.dataset.path);
                    format!("{game}{parts} on {dataset}")
                }
            },
            begun_at: state.begun_at.clone(),
            items: ItemCounts {
                all: Some(state.count_planned()),
                done: state.finished.len() as u64,
                failed: state.failed.len() as u64,
            },
            item_names: ("debate", "debates"),
            standing: Standing::from_journal(state.paused.as_ref(), state.completed),
            ceilings: manifest.ceilings,
            committed_usd: ended_usd.filter(|_| is_over),
            ended_usd,
            filtered: state.finished.values().map(|done| done.filtered).sum(),
            failures: state
                .failed
                .iter()
                .map(|(item, why)| (topic_of(item), why.clone()))
                .collect(),
            setup: Some(manifest.describe_setup()),
            runs: Vec::new(),
            in_batch: 0,
            is_shard: manifest.shard.is_some(),
            repeat: manifest.repeat.clone(),
        }
    }
}

/// Reads a run without its lock.
///
/// # Errors
/// When the journal cannot be read.
pub fn read_run(path: &Path) -> Result<RunState> {
    RunEvent::read_state(path)
}

/// Reads a run that a sweep which is being planned may not have begun; `None` where its journal is not there, or was cut
/// off while its beginning was written.
///
/// # Errors
/// When the journal is there and cannot be read: that is no sign that it has not begun.
pub fn read_begun_run(path: &Path) -> Result<Option<RunState>> {
    match read_run(path) {
        Ok(run) => Ok(Some(run)),
        Err(WorkspaceError::Empty { .. } | WorkspaceError::HalfPlanned { .. }) => Ok(None),
        Err(_) if !path.exists() => Ok(None),
        Err(why) => Err(why),
    }
}

/// Says whether recorded settings of a model hold its prices.
fn has_prices(settings: &Value) -> bool {
    let prices = ["price_in_usd_per_mtok", "price_out_usd_per_mtok"];
    let model = ["server", "recorded"].iter();
    let mut model = model.filter_map(|way| settings.get(way)?.get("model"));
    model.any(|model| prices.iter().all(|price| model[*price].is_number()))
}
