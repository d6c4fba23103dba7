//! Golden set: debate against a single answer on labelled questions, as two runs under one budget
//! (EAAPL-MAG005 §13.3).

use super::engine::{
    ExperimentContext, ExperimentEnd, ItemExperiment, NoExperimentObserver, read_items,
};
use super::run::{PlannedRun, Run};
use super::runs_of_plan::{PlanOfRuns, PlayedRun, RunsOfPlan};
use crate::debate::RunId;
use crate::debate::protocol::Ceilings;
use crate::library::software;
use crate::store::Layout;
use crate::workspace::{ExperimentSummary, ItemPlan, WorkspaceError};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

const FORMAT: u32 = 1;
/// Folder of a store that holds golden sets.
const FOLDER: &str = "experiments/golden";

/// Plan of a golden set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldenPlan {
    pub format: u32,
    pub id: String,
    pub software: String,
    /// The questions, as they were named.
    pub dataset: String,
    /// The run of single answers. It is played first: it is cheap, and what it costs is off the ceiling.
    pub singles: RunId,
    pub debates: RunId,
    /// What both may use up together.
    pub ceilings: Ceilings,
}

impl ItemPlan for GoldenPlan {
    const KIND: &'static str = "golden_set";
    const NAMES: (&'static str, &'static str) = ("golden set", "golden sets");
    const FOLDERS: &'static [&'static str] = &[FOLDER];
    const ITEM_NAMES: (&'static str, &'static str) = ("run", "runs");
    type Outcome = PlayedRun;

    fn id(&self) -> &str {
        &self.id
    }

    fn about(&self) -> String {
        format!("debates and single answers on {}", self.dataset)
    }

    fn items(&self) -> u64 {
        2
    }

    fn item_name(&self, item: u64) -> String {
        let what = match item {
            0 => "single answers",
            _ => "debates",
        };
        format!("{what}, run {}", self.run(item))
    }

    fn ceilings(&self) -> Ceilings {
        self.ceilings
    }

    fn raise(&mut self, given: Ceilings) {
        self.ceilings = self.ceilings.replaced_by(given);
    }
}

impl PlanOfRuns for GoldenPlan {
    fn run(&self, item: u64) -> &RunId {
        match item {
            0 => &self.singles,
            _ => &self.debates,
        }
    }
}

/// A golden set that this process plays.
pub struct GoldenSet {
    items: ItemExperiment<GoldenPlan>,
}

impl GoldenSet {
    /// Begins both runs, then the set: nothing depends on files any more when this returns.
    ///
    /// # Errors
    /// When a journal cannot be written.
    pub async fn begin(
        context: &ExperimentContext,
        dataset: &str,
        [singles, debates]: [PlannedRun; 2],
        ceilings: Ceilings,
    ) -> Result<Self, WorkspaceError> {
        let plan = GoldenPlan {
            format: FORMAT,
            id: context.desk.clock.fresh_id(),
            software: software(),
            dataset: dataset.to_owned(),
            singles: singles.manifest.run.clone(),
            debates: debates.manifest.run.clone(),
            ceilings,
        };
        for run in [singles, debates] {
            Run::begin(context, run).await?;
        }
        Ok(Self {
            items: ItemExperiment::begin(context, plan).await?,
        })
    }

    /// Goes on with a golden set; ceilings that are given replace its own.
    ///
    /// # Errors
    /// When another process plays it, or its journal cannot be read.
    pub async fn resume(
        context: &ExperimentContext,
        id: &str,
        ceilings: Ceilings,
    ) -> Result<Self, WorkspaceError> {
        Ok(Self {
            items: ItemExperiment::resume(context, id, ceilings).await?,
        })
    }

    /// Returns its plan.
    pub fn plan(&self) -> &GoldenPlan {
        &self.items.state().plan
    }

    /// Sums it up.
    pub fn summary(&self) -> ExperimentSummary {
        self.items.summary()
    }

    /// Plays what is missing of both runs, one after the other.
    ///
    /// # Errors
    /// When a journal cannot be written.
    pub async fn play(
        &mut self,
        context: &ExperimentContext,
    ) -> Result<ExperimentEnd, WorkspaceError> {
        let runs = RunsOfPlan {
            observer: Arc::clone(&context.observer),
            concurrency: context.concurrency,
        };
        let context = ExperimentContext {
            observer: Arc::new(NoExperimentObserver),
            concurrency: 1,
            ..context.clone()
        };
        self.items.play(&context, &runs).await
    }
}

/// Reads the plan of a golden set. Blocks.
///
/// # Errors
/// When there is none of that id, or its journal cannot be read.
pub fn read_golden(layout: &Layout, id: &str) -> Result<GoldenPlan, WorkspaceError> {
    let path = layout.journal_in(Path::new(FOLDER), id)?;
    Ok(read_items::<GoldenPlan>(&path)?.plan)
}
