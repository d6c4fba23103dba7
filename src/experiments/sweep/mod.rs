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
mod report;
mod seating;

pub use file::SweepFile;
pub use plan::{MAX_POINTS, PlannedArm, PlannedSweep, SweepContext};
pub use report::{ArmFigures, ArmProgress, SweepReport, sweep_report};
pub use seating::SeatedArm;

use super::engine::ExperimentEnd;
use super::run::{Floor, Run};
use crate::debate::Expense;
use crate::debate::event::CeilingKind;
use crate::debate::protocol::Ceilings;
use crate::engine::cost::Budget;
use crate::store::{JournalWriter, TailNotice};
use crate::workspace::WorkspaceError;
use crate::workspace::resume;
use crate::workspace::run::{RunState, read_run};
use crate::workspace::sweep::{PointStanding, SweepEvent, SweepPoint, SweepState};
use observer::SweepObserver;
use std::path::Path;
use std::sync::Arc;

/// A sweep that this process drives.
pub struct Sweep {
    pub state: SweepState,
    pub notices: Vec<TailNotice>,
    journal: JournalWriter<SweepEvent>,
    met: Option<CeilingKind>,
}

/// Learns which point is played.
pub type PointObserver<'a> = &'a (dyn Fn(usize, &SweepPoint) + Send + Sync);

impl Sweep {
    /// Begins a sweep and the runs of all its points: all are durable when this returns.
    ///
    /// # Errors
    /// When a journal cannot be written.
    pub async fn begin(floor: &Floor, planned: &PlannedSweep) -> Result<Self, WorkspaceError> {
        let manifest = planned.manifest.clone();
        let path = floor.layout.sweep(&manifest.sweep)?;
        let journal = floor.journals().begin(&path)?;
        let at = floor.clock.now();
        let begun = SweepEvent::Begun(Box::new(manifest.clone()));
        journal.append(&at, "engine", &begun).await?;
        let mut sweep = Self {
            state: SweepState::begin(manifest, at),
            notices: Vec::new(),
            journal,
            met: None,
        };
        sweep.begin_runs(floor, planned).await?;
        Ok(sweep)
    }

    /// Opens a sweep to go on with it; ceilings that are given replace its own. Where
    /// [`SweepState::planned`] is not set, [`begin_runs`](Self::begin_runs) comes next.
    ///
    /// # Errors
    /// When another process drives it, or its journal cannot be read.
    pub async fn resume(
        floor: &Floor,
        id: &str,
        ceilings: Ceilings,
    ) -> Result<Self, WorkspaceError> {
        let opened = resume::<SweepEvent>(&floor.journals(), &floor.layout.sweep(id)?)?;
        let mut sweep = Self {
            state: opened.state,
            notices: opened.notices,
            journal: opened.writer,
            met: None,
        };
        sweep
            .note(
                floor,
                SweepEvent::Resumed {
                    budget_usd: ceilings.cost_usd,
                    budget_calls: ceilings.calls,
                    budget_tokens: ceilings.tokens,
                },
            )
            .await?;
        Ok(sweep)
    }

    /// Begins the runs that have not begun yet.
    ///
    /// # Errors
    /// When a run cannot be planned, or a journal cannot be written.
    pub async fn begin_runs(
        &mut self,
        floor: &Floor,
        planned: &PlannedSweep,
    ) -> Result<(), WorkspaceError> {
        let floor = &SweepObserver::around(floor);
        for (number, point) in self.state.manifest.points.iter().enumerate() {
            let path = floor.layout.run(point.run.as_str())?;
            if path.exists() {
                if read_run(&path).is_ok() {
                    continue;
                }
                // It was cut off while it was written: nothing was played of a sweep that is not planned.
                remove(&path)?;
            }
            let run = planned.run(number, &floor.layout, floor.clock)?;
            // Its lock is given back: whoever plays it next opens it.
            drop(Run::begin(floor, run.manifest, run.items, run.game).await?);
        }
        self.note(floor, SweepEvent::Planned {}).await
    }

    /// Plays every point that is not finished.
    ///
    /// # Errors
    /// When a journal or the memory cannot be read or written. A debate that fails is recorded and ends
    /// neither its point nor the sweep.
    pub async fn play(
        &mut self,
        floor: &Floor,
        at_once: usize,
        observer: PointObserver<'_>,
    ) -> Result<ExperimentEnd, WorkspaceError> {
        let floor = &SweepObserver::around(floor);
        let ceilings = self.state.manifest.ceilings();
        let budget = Budget::of_many(ceilings, self.spent_so_far(floor)?);
        let budget = Arc::new(budget.closed_by(floor.pause.clone()));
        let points = self.state.manifest.points.clone();
        for (number, point) in points.iter().enumerate() {
            let id = u32::try_from(number).unwrap_or(u32::MAX);
            if self.state.is_finished(id) {
                continue;
            }
            if budget.is_exhausted() || floor.cancel.is_cancelled() {
                break;
            }
            observer(number, point);
            let mut run = Run::resume(floor, &point.run, ceilings).await?;
            let end = run.play_under(floor, at_once, &budget).await?;
            let run_id = point.run.clone();
            match end {
                ExperimentEnd::Completed => {
                    let used = run.used_so_far(floor)?;
                    let finished = SweepEvent::finished(id, run_id, used);
                    self.note(floor, finished).await?;
                }
                ExperimentEnd::WithFailures(missing) => {
                    let debates = missing as u64;
                    let failed = SweepEvent::Failed {
                        point: id,
                        run: run_id,
                        debates,
                    };
                    self.note(floor, failed).await?;
                }
                ExperimentEnd::Paused(why) => {
                    return self.close(floor, &budget, ExperimentEnd::Paused(why)).await;
                }
            }
        }
        let missing = (0..points.len()).filter(|number| {
            let number = u32::try_from(*number).unwrap_or(u32::MAX);
            !self.state.is_finished(number)
        });
        let end = match missing.count() {
            0 => ExperimentEnd::Completed,
            missing => ExperimentEnd::of(&budget, floor.cancel.is_cancelled(), missing),
        };
        self.close(floor, &budget, end).await
    }

    /// Returns which of its ceilings paused the sweep, if one did.
    pub fn met(&self) -> Option<CeilingKind> {
        self.met
    }

    async fn close(
        &mut self,
        floor: &Floor,
        budget: &Budget,
        end: ExperimentEnd,
    ) -> Result<ExperimentEnd, WorkspaceError> {
        let event = match &end {
            ExperimentEnd::Completed => SweepEvent::Completed {},
            ExperimentEnd::WithFailures(points) => SweepEvent::Paused {
                why: format!("every point was tried, and debates of {points} failed"),
            },
            ExperimentEnd::Paused(why) => {
                self.met = budget.met().map(|met| met.kind);
                SweepEvent::Paused { why: why.clone() }
            }
        };
        self.note(floor, event).await?;
        Ok(end)
    }

    async fn note(&mut self, floor: &Floor, event: SweepEvent) -> Result<(), WorkspaceError> {
        let at = floor.clock.now();
        self.journal.append(&at, "engine", &event).await?;
        self.state.apply(&event);
        Ok(())
    }

    /// What its points used at most.
    fn spent_so_far(&self, floor: &Floor) -> Result<Expense, WorkspaceError> {
        let mut spent = Expense::default();
        for (number, point) in (0..).zip(&self.state.manifest.points) {
            let used = match self.state.tried.get(&number) {
                Some(PointStanding::Finished(used)) => *used,
                Some(PointStanding::Failed(_)) | None => {
                    let run = read_run(&floor.layout.run(point.run.as_str())?)?;
                    super::run::used_so_far(&run, floor)?
                }
            };
            spent = spent.plus(used);
        }
        Ok(spent)
    }
}

fn remove(path: &Path) -> Result<(), WorkspaceError> {
    std::fs::remove_file(path).map_err(|error| {
        WorkspaceError::Invalid(format!(
            "cannot replace the incomplete {}: {error}",
            path.display()
        ))
    })
}

/// Returns the debates of all points, and how many of them are over.
///
/// # Errors
/// When a run that has begun cannot be read.
pub fn sweep_debates(
    layout: &crate::store::Layout,
    state: &SweepState,
) -> Result<(u64, u64), WorkspaceError> {
    let mut counts = (0, 0);
    for point in &state.manifest.points {
        let path = layout.run(point.run.as_str())?;
        if !state.planned && !path.exists() {
            continue;
        }
        let run: RunState = read_run(&path)?;
        counts.0 += run.items.len() as u64;
        counts.1 += run.finished.len() as u64;
    }
    Ok(counts)
}
