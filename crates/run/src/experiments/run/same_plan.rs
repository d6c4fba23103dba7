//! Whether a run that is there was begun under the same plan: then it need not be played again.

use super::plan::PlannedRun;
use elenchus_game::debate::SessionId;
use elenchus_game::debate::event::MemoryUse;
use elenchus_records::workspace::run::{Manifest, RunItem, RunState};
use serde_json::Value;

/// When memory is read that a plan says is read as of a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotMoment {
    /// The plan names the moment, or none.
    Named,
    /// The plan says *now*, which is another moment each time that it is made.
    Now,
}

impl PlannedRun {
    /// Returns the run of the same plan among those that are there: one that is over if there is one, else the last
    /// one that was begun. What it may use up, what its models cost and which version of the program began it do not
    /// matter; what its debates are played with, their topics, casts and seeds do.
    pub fn find_same<'r>(
        &self,
        runs: &'r [RunState],
        moment: SnapshotMoment,
    ) -> Option<&'r RunState> {
        let same_runs = runs.iter().filter(|run| self.is_same(run, moment));
        same_runs.max_by_key(|run| (run.is_over(), run.begun_at.clone()))
    }

    /// Names what of the plan of a run that is there is another here; empty where it is of the same plan.
    pub fn list_differences(&self, run: &RunState, moment: SnapshotMoment) -> Vec<String> {
        let [before, now] = [
            to_comparable(&run.manifest, &run.items, moment),
            to_comparable(&self.manifest, &self.items, moment),
        ];
        // Manifests are written as JSON: they can be.
        let to_fields = |plan: &ComparablePlan| serde_json::to_value(&plan.manifest);
        let (Ok(Value::Object(old)), Ok(Value::Object(new))) =
            (to_fields(&before), to_fields(&now))
        else {
            return Vec::new();
        };
        let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
        names.sort();
        names.dedup();
        names.retain(|name| old.get(*name) != new.get(*name));
        let mut differences: Vec<String> = names.into_iter().map(|name| name_field(name)).collect();
        if differences.is_empty() && before != now {
            differences.push("topics".to_owned());
        }
        differences
    }

    /// Says whether a run that is there is of the same plan.
    pub(in crate::experiments) fn is_same(&self, run: &RunState, moment: SnapshotMoment) -> bool {
        // Most runs differ in what is compared quickly.
        run.manifest.protocol == self.manifest.protocol
            && run.items.len() == self.items.len()
            && to_comparable(&run.manifest, &run.items, moment)
                == to_comparable(&self.manifest, &self.items, moment)
    }
}

/// Returns what a field of a manifest holds, in words.
fn name_field(name: &str) -> String {
    match name {
        "protocol" => "the game".to_owned(),
        "templates" => "prompts".to_owned(),
        "casts" => "who plays".to_owned(),
        "dataset" => "the data set".to_owned(),
        "items" => "how many debates there are".to_owned(),
        name => name.replace('_', " "),
    }
}

/// What two runs of one plan have in common.
#[derive(PartialEq)]
struct ComparablePlan {
    manifest: Manifest,
    items: Vec<RunItem>,
}

fn to_comparable(manifest: &Manifest, items: &[RunItem], moment: SnapshotMoment) -> ComparablePlan {
    let as_of = match moment {
        SnapshotMoment::Named => manifest.memory.as_of.clone(),
        SnapshotMoment::Now => manifest.memory.as_of.as_ref().map(|_| String::new()),
    };
    let manifest = Manifest {
        memory: MemoryUse {
            as_of,
            ..manifest.memory.clone()
        },
        ..manifest.to_comparable()
    };
    let items = items.iter().map(|item| RunItem {
        session: SessionId::new(""),
        ..item.clone()
    });
    ComparablePlan {
        manifest,
        items: items.collect(),
    }
}
