//! Whether a sweep that is there was begun under the same plan: then it need not be played again.

use super::plan::PlannedSweep;
use crate::experiments::run::{PlannedRun, SnapshotMoment};
use elenchus_records::workspace::prompts::NOW;
use elenchus_records::workspace::run::RunState;
use elenchus_records::workspace::sweep::SweepState;
use elenchus_records::workspace::{Clock, Result};
use elenchus_store::Layout;

impl PlannedSweep {
    /// Returns the sweep of the same plan among those that are there, whose runs are among `runs`: one that is over if
    /// there is one, else the last one that was begun. What it may use up, what its models cost, and how its arms are
    /// called and ordered do not matter.
    ///
    /// # Errors
    /// When a run of the plan cannot be planned.
    pub fn find_same<'s>(
        &self,
        sweeps: &'s [SweepState],
        runs: &[RunState],
        layout: &Layout,
        clock: Clock,
    ) -> Result<Option<&'s SweepState>> {
        let candidates: Vec<&SweepState> = sweeps
            .iter()
            .filter(|sweep| {
                sweep.manifest.dataset.sha256 == self.manifest.dataset.sha256
                    && sweep.manifest.seeds == self.manifest.seeds
                    && sweep.manifest.points.len() == self.manifest.points.len()
            })
            .collect();
        if candidates.is_empty() {
            return Ok(None);
        }
        let points = 0..self.manifest.points.len();
        let planned_runs = points.map(|point| self.plan_run(point, layout, clock));
        let planned_runs: Vec<PlannedRun> = planned_runs.collect::<Result<_>>()?;
        let same_sweeps = candidates.into_iter().filter(|sweep| {
            let points = &sweep.manifest.points;
            let is_own = |run: &&RunState| {
                let mut points = points.iter();
                points.any(|point| point.run == run.manifest.run)
            };
            let own_runs: Vec<&RunState> = runs.iter().filter(is_own).collect();
            // One that was stopped while its runs began is begun anew.
            own_runs.len() == planned_runs.len()
                && planned_runs
                    .iter()
                    .all(|planned| own_runs.iter().any(|run| self.is_same_run(planned, run)))
        });
        Ok(same_sweeps.max_by_key(|sweep| (sweep.is_over(), sweep.begun_at.clone())))
    }

    fn is_same_run(&self, planned: &PlannedRun, run: &RunState) -> bool {
        let moment = match self.file.memory_snapshot.as_deref() {
            Some(NOW) => SnapshotMoment::Now,
            Some(_) | None => SnapshotMoment::Named,
        };
        let mut planned = planned.clone();
        if self.file.memory_namespace.is_none() {
            // A memory of its own is called by the sweep.
            let namespace = &run.manifest.memory.namespace;
            planned.manifest.memory.namespace.clone_from(namespace);
        }
        planned.is_same(run, moment)
    }
}
