//! Sweep: runs of many arms and seeds over one selection of topics, under one plan and one budget.
//!
//! An arm is what differs but for the seed; a point is an arm with a seed, and is a run with a journal of its
//! own. Everything is fixed when the sweep begins: its journal keeps the plan's text and the ids of all runs,
//! then every run begins, and only then is anything played. Points are played one after the other, the debates
//! of a point side by side.

mod arms;
mod file;
mod file_reader;
mod observer;
mod plan;
mod play;
mod report;
mod same_plan;
mod seating;

pub use file::SweepFile;
pub use observer::SweepObserver;
pub use plan::{MAX_POINTS, PlannedArm, PlannedSweep};
pub(super) use report::read_arms_of_sweep;
pub use report::{
    ArmFigures, ArmProgress, SweepReport, SweepRows, compute_sweep_report, read_sweep_rows,
};
pub use seating::SeatedArm;

use super::engine::{ExperimentContext, ExperimentEnd, ExperimentLog, perform_experiment};
use super::run::begin_if_missing;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::Result;
use elenchus_records::workspace::run::read_run;
use elenchus_records::workspace::sweep::{SweepEvent, SweepState};
use elenchus_store::Layout;
use play::OpenPoints;
pub use play::PointCallback;

/// A sweep that this process drives.
pub struct Sweep {
    pub log: ExperimentLog<SweepEvent>,
}

impl Sweep {
    /// Begins a sweep and the runs of all its points: all are durable when this returns.
    ///
    /// # Errors
    /// When a journal cannot be written.
    pub async fn begin(context: &ExperimentContext, planned: &PlannedSweep) -> Result<Self> {
        let store = &context.store;
        let path = store.layout.sweep_path(&planned.manifest.sweep)?;
        let first_event = SweepEvent::Begun(Box::new(planned.manifest.clone()));
        let log = ExperimentLog::begin_journal(store, &path, (first_event, Vec::new())).await?;
        let mut sweep = Self { log };
        sweep.begin_runs(context, planned).await?;
        Ok(sweep)
    }

    /// Opens a sweep to go on with it; ceilings that are given replace its own. Where
    /// [`SweepState::planned`] is not set, [`begin_runs`](Self::begin_runs) comes next.
    ///
    /// # Errors
    /// When another process drives it, or its journal cannot be read.
    pub async fn resume(context: &ExperimentContext, id: &str, ceilings: Ceilings) -> Result<Self> {
        let path = context.store.layout.sweep_path(id)?;
        let log = ExperimentLog::resume_journal(&context.store, &path, ceilings).await?;
        Ok(Self { log })
    }

    /// Begins the runs that have not begun yet.
    ///
    /// # Errors
    /// When a run cannot be planned, or a journal cannot be written.
    pub async fn begin_runs(
        &mut self,
        context: &ExperimentContext,
        planned: &PlannedSweep,
    ) -> Result<()> {
        let layout = &context.store.layout;
        for (number, point) in self.log.state.manifest.points.iter().enumerate() {
            let run = || planned.plan_run(number, layout, context.store.clock);
            begin_if_missing(context, &point.run, run).await?;
        }
        self.log.record_event(SweepEvent::Planned {}).await
    }

    /// Plays every point that is not finished; `tell` learns which one begins.
    ///
    /// # Errors
    /// When a journal or the memory cannot be read or written. A debate that fails is recorded and ends
    /// neither its point nor the sweep.
    pub async fn play_points(
        &mut self,
        context: &ExperimentContext,
        tell: PointCallback<'_>,
    ) -> Result<ExperimentEnd> {
        let mut points = OpenPoints::new(&self.log.state, context, tell);
        perform_experiment(&mut self.log, &mut points, &context.to_whole_context()).await
    }
}

/// Returns the debates of all points that have begun, and how many of them are over.
///
/// # Errors
/// When a run that has begun cannot be read.
pub fn count_sweep_debates(layout: &Layout, state: &SweepState) -> Result<(u64, u64)> {
    let mut counts = (0, 0);
    for point in &state.manifest.points {
        let run = read_run(&layout.run_path(point.run.as_str())?)?;
        counts.0 += run.items.len() as u64;
        counts.1 += run.finished.len() as u64;
    }
    Ok(counts)
}
