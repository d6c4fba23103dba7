//! Whether a sweep that is there was begun under the same plan: then it need not be played again.

use super::file::SweepFile;
use super::plan::PlannedSweep;
use elenchus_records::workspace::sweep::{SweepManifest, SweepState};
use std::collections::BTreeSet;

impl PlannedSweep {
    /// Returns the sweep of the same plan among those that are there: one that is over if there is one, else the last
    /// one that was begun. What it may use up, and how its arms are called and ordered, do not matter.
    pub fn find_same<'s>(&self, sweeps: &'s [SweepState]) -> Option<&'s SweepState> {
        let same_sweeps = sweeps
            .iter()
            .filter(|sweep| is_same(&self.manifest, &sweep.manifest));
        same_sweeps.max_by_key(|sweep| (sweep.is_over(), sweep.begun_at.clone()))
    }
}

fn is_same(planned: &SweepManifest, known: &SweepManifest) -> bool {
    let arms_of = |manifest: &SweepManifest| -> BTreeSet<String> {
        let arms = manifest.arms.iter();
        arms.map(|arm| arm.sha256.clone()).collect()
    };
    // Hashes of arms say how many debates they play; which topics these are is in the text.
    let topics_of = |manifest: &SweepManifest| {
        let file = SweepFile::parse(&manifest.file, &manifest.text);
        file.ok().map(|file| file.topics)
    };
    planned.dataset.sha256 == known.dataset.sha256
        && planned.seeds == known.seeds
        && planned.snapshot == known.snapshot
        && arms_of(planned) == arms_of(known)
        && topics_of(planned).is_some_and(|topics| Some(topics) == topics_of(known))
}
