//! Plan of a sweep: its arms seated, its topics drawn, its cost estimated. Contacts and creates nothing.

use super::arms::ArmConditions;
use super::file::SweepFile;
use super::seating::{SeatedArm, UsedNames, seat_arm};
use crate::engine::seats::{FileBounds, Seats};
use crate::engine::{PlayDefaults, RunContext, SeatedGame};
use crate::experiments::run::{
    ExpectedTime, LoadedTopics, MemoryRequest, Pace, PlannedRun, RunRequest, TrainingRequest,
};
use elenchus_dataset::DatasetSpec;
use elenchus_game::debate::event::{MemoryLookup, TrainingTexts};
use elenchus_game::debate::{CostEstimate, RunId, Topic};
use elenchus_records::library::software_name;
use elenchus_records::workspace::memory::MemoryKind;
use elenchus_records::workspace::prompts::NOW;
use elenchus_records::workspace::run::{Manifest, TrainingRecipe};
use elenchus_records::workspace::sweep::{SWEEP_FORMAT, SweepArm, SweepManifest, SweepPoint};
use elenchus_records::workspace::{Clock, EarlierLatencies, Result, WorkspaceError, reject};
use elenchus_store::{Hash, Layout};
use std::path::{Path, PathBuf};

/// Points of a sweep at most: each is a run, with a journal of its own.
pub const MAX_POINTS: usize = 500;

/// A sweep that can begin.
pub struct PlannedSweep {
    pub manifest: SweepManifest,
    pub arms: Vec<PlannedArm>,
    /// What was read of the data set, without its topics.
    pub loaded: LoadedTopics,
    pub topics: Vec<Topic>,
    training: TrainingRequest,
    pub(super) file: SweepFile,
}

/// An arm, seated.
pub struct PlannedArm {
    pub name: String,
    pub seated: SeatedArm,
    /// Debates of all its points.
    pub debates: usize,
    /// What they cost; `None` where the game is too large for a dry run.
    pub estimate: Option<CostEstimate>,
    pub kinds: Vec<MemoryKind>,
    /// A run of it, with the first seed.
    first: PlannedRun,
}

impl SweepFile {
    /// Seats every arm, draws the topics and estimates the cost. With `begun`, as that sweep was planned.
    ///
    /// # Errors
    /// When an arm cannot be played, two arms are the same, arms would learn from each other, there are
    /// more points than [`MAX_POINTS`], or something has changed since the sweep began.
    pub fn plan_sweep(
        self,
        run: &RunContext,
        defaults: &PlayDefaults,
        begun: Option<&SweepManifest>,
    ) -> Result<PlannedSweep> {
        let points = self.arms.len().saturating_mul(self.seeds.len());
        if points > MAX_POINTS {
            return reject(format!(
                "{}: {} arms with {} seeds are {points} points, more than the {MAX_POINTS} that a sweep \
                 may have; divide it into several files",
                self.file,
                self.arms.len(),
                self.seeds.len()
            ));
        }
        self.check_memory()?;
        self.check_paths(&run.seats.model_table().bounds)?;
        let (loaded_topics, topics) = self.topics.load_topics(&run.store.layout)?;
        let manifest = match begun {
            Some(begun) => begun.clone(),
            None => SweepManifest {
                guard_examples: run.store.recorded_examples(),
                ..self.build_manifest(&loaded_topics, run.store.clock)
            },
        };
        if loaded_topics.place().sha256 != manifest.dataset.sha256 {
            return reject(format!(
                "{} has changed since sweep {} began, and not all of its runs had begun; {}",
                loaded_topics.place().path,
                manifest.sweep,
                begin_anew(&manifest)
            ));
        }
        let mut sweep_plan = PlannedSweep {
            manifest,
            arms: Vec::new(),
            loaded: loaded_topics,
            topics,
            training: self.build_training(run.training.recipe()),
            file: self,
        };
        sweep_plan.seat_arms(run, defaults)?;
        sweep_plan.check_arms(begun.is_some())?;
        Ok(sweep_plan)
    }

    fn build_manifest(&self, loaded: &LoadedTopics, clock: Clock) -> SweepManifest {
        let snapshot = self.memory_snapshot.clone();
        let mut points = Vec::new();
        for arm in 0..self.arms.len() {
            for seed in &self.seeds {
                points.push(SweepPoint {
                    arm: u32::try_from(arm).unwrap_or(u32::MAX),
                    seed: *seed,
                    run: RunId::new(clock.fresh_id()),
                });
            }
        }
        SweepManifest {
            format: SWEEP_FORMAT,
            sweep: clock.fresh_id(),
            software: software_name(),
            file: self.file.clone(),
            text: self.text.clone(),
            dataset: loaded.place().clone(),
            seeds: self.seeds.clone(),
            ceilings: self.ceilings,
            // All points read memory as of one moment.
            snapshot: snapshot.map(|when| if when == NOW { clock.now() } else { when }),
            lookup: self
                .arms
                .iter()
                .any(|arm| !arm.memory.is_empty())
                .then_some(self.lookup),
            guard_examples: None,
            arms: Vec::new(),
            points,
            repeat: None,
        }
    }

    fn build_training(&self, recipe: TrainingRecipe) -> TrainingRequest {
        let default = TrainingRequest::default();
        TrainingRequest {
            every: self.train_every.unwrap_or(default.every),
            texts: match self.train_placebo {
                true => TrainingTexts::Placebo,
                false => TrainingTexts::Lessons,
            },
            recipe,
        }
    }

    /// Refuses paths that a project's plan may not name.
    fn check_paths(&self, bounds: &FileBounds) -> Result<()> {
        let benign = self.acceptance.iter().map(|acceptance| &acceptance.benign);
        let datasets = self.topics.datasets.iter().chain(benign);
        let datasets = datasets.filter_map(|named| Some(named.parse::<DatasetSpec>().ok()?.path));
        let protocols = self.arms.iter().filter_map(|arm| arm.protocol.as_ref());
        let protocols = protocols.filter(|name| name.contains('/') || name.ends_with(".toml"));
        let casts = self.arms.iter().filter_map(|arm| arm.cast.as_ref());
        let others = protocols.chain(casts).map(PathBuf::from);
        for path in datasets.chain(others) {
            let check_result = bounds.check_path(Path::new(&self.file), &path);
            check_result.map_err(WorkspaceError::Invalid)?;
        }
        Ok(())
    }

    /// Finds out whether one point could learn from another.
    fn check_memory(&self) -> Result<()> {
        let refuse = |why: String| reject(format!("{}: {why}", self.file));
        let reading = self
            .arms
            .iter()
            .filter(|arm| !arm.memory.is_empty())
            .count();
        let learning = reading.saturating_mul(self.seeds.len());
        let default = MemoryLookup::default();
        for (is_given, key) in [
            (self.memory_namespace.is_some(), "memory_namespace"),
            (self.learn_batch.is_some(), "learn_batch"),
            (self.split.is_some(), "split"),
            (self.placebo.is_some(), "placebo"),
            (self.acceptance.is_some(), "accept_guardrails"),
            (self.lookup.k != default.k, "memory_k"),
            (self.lookup.min_score.is_some(), "memory_min_score"),
            (self.lookup.query != default.query, "memory_query"),
        ] {
            if is_given && reading == 0 {
                return refuse(format!("'{key}' is given, and no arm uses memory"));
            }
        }
        let mut kinds = self.arms.iter().flat_map(|arm| &arm.memory);
        let trains = kinds.any(|kind| *kind == MemoryKind::Continuous);
        for (is_given, key) in [
            (self.train_every.is_some(), "train_every"),
            (self.train_placebo, "train_placebo"),
        ] {
            if is_given && !trains {
                return refuse(format!(
                    "'{key}' is given, and no arm has continuous memory"
                ));
            }
        }
        match (&self.memory_namespace, &self.memory_snapshot) {
            (Some(name), None) if learning > 1 => refuse(format!(
                "{learning} points (arms that use memory × seeds) would read and write the memory \
                 '{name}', and each would learn from those before it; add memory_snapshot = \"now\", \
                 so that it is only read, or leave memory_namespace out: then every point has a memory \
                 of its own"
            )),
            (None, Some(_)) => refuse(
                "memory_snapshot reads a memory as it was: name it with memory_namespace"
                    .to_owned(),
            ),
            (Some(_), _) | (None, None) => Ok(()),
        }
    }
}

fn begin_anew(manifest: &SweepManifest) -> String {
    format!("begin a new one: elenchus sweep {}", manifest.file)
}

impl PlannedSweep {
    /// Returns the number of debates of all arms.
    pub fn count_debates(&self) -> usize {
        self.arms.iter().map(|arm| arm.debates).sum()
    }

    fn seat_arms(&mut self, run: &RunContext, defaults: &PlayDefaults) -> Result<()> {
        let conditions = std::mem::take(&mut self.file.arms);
        let mut used_names = UsedNames::default();
        for (number, arm) in conditions.iter().enumerate() {
            let seat_result = self.plan_arm((number, arm), run, defaults, &mut used_names);
            let seat_result = seat_result.map_err(|error| match error {
                // Of these a caller makes more.
                WorkspaceError::Cast(_) => error,
                error => WorkspaceError::Invalid(format!(
                    "{}: arm '{}': {error}",
                    self.format_place(arm),
                    arm.name
                )),
            })?;
            self.arms.push(seat_result);
        }
        if let Some(why) = used_names.describe_unused(&conditions) {
            let file = &self.file.file;
            return reject(format!("{file}: {why}"));
        }
        self.file.arms = conditions;
        Ok(())
    }

    fn format_place(&self, arm: &ArmConditions) -> String {
        match arm.line {
            0 => self.file.file.clone(),
            line => format!("{}:{line}", self.file.file),
        }
    }

    fn plan_arm(
        &self,
        (number, arm): (usize, &ArmConditions),
        run: &RunContext,
        defaults: &PlayDefaults,
        used: &mut UsedNames,
    ) -> Result<PlannedArm> {
        let seating = seat_arm(
            arm,
            &self.file.file,
            (run, defaults),
            self.manifest.ceilings.cost_usd,
            used,
        )?;
        let of_arm = |point: &&SweepPoint| point.arm as usize == number;
        let Some(point) = self.manifest.points.iter().find(of_arm) else {
            return reject("an arm has no point");
        };
        let (layout, clock) = (&run.store.layout, run.store.clock);
        let first = self.plan_point(point, &seating.party, &arm.memory, layout, clock)?;
        let seeds = self.manifest.seeds.len();
        Ok(PlannedArm {
            name: arm.name.clone(),
            debates: first.items.len() * seeds,
            estimate: std::iter::repeat_n(first.estimate_cost(), seeds).sum(),
            seated: seating,
            kinds: arm.memory.clone(),
            first,
        })
    }

    fn plan_point(
        &self,
        point: &SweepPoint,
        party: &SeatedGame,
        kinds: &[MemoryKind],
        layout: &Layout,
        clock: Clock,
    ) -> Result<PlannedRun> {
        let file = &self.file;
        let reads = !kinds.is_empty();
        let has_guardrails = kinds.contains(&MemoryKind::Guardrails);
        let own_namespace = format!(
            "sweep-{}-{}-{}",
            self.manifest.sweep,
            point.arm + 1,
            point.seed
        );
        let namespace = file.memory_namespace.clone().filter(|_| reads);
        let request = RunRequest {
            seed: point.seed,
            rollouts: file.rollouts,
            shard: None,
            casts: file.casts,
            ceilings: self.manifest.ceilings,
            memory: MemoryRequest {
                kinds: kinds.to_vec(),
                namespace: namespace.unwrap_or(own_namespace),
                snapshot: self.manifest.snapshot.clone().filter(|_| reads),
                duplicates: file.duplicates,
                lookup: self.manifest.lookup,
                guard_examples: self.manifest.guard_examples,
            },
            learn_batch: file.learn_batch.filter(|_| reads),
            split: file.split.filter(|_| reads),
            placebo: file.placebo.filter(|_| reads),
            acceptance: file.acceptance.clone().filter(|_| has_guardrails),
            training: self.training,
        };
        let topics = (&self.loaded, self.topics.clone());
        let mut run_plan = request.plan_run(party, topics, layout, clock)?;
        run_plan.manifest.run = point.run.clone();
        Ok(run_plan)
    }

    /// Returns the run of a point.
    ///
    /// # Errors
    /// When there is no such point, or its run cannot be planned.
    pub fn plan_run(&self, point: usize, layout: &Layout, clock: Clock) -> Result<PlannedRun> {
        let point = self.manifest.points.get(point);
        let point_and_arm =
            point.and_then(|point| Some((point, self.arms.get(point.arm as usize)?)));
        let Some((point, arm)) = point_and_arm else {
            return reject("there is no such point");
        };
        self.plan_point(point, &arm.seated.party, &arm.kinds, layout, clock)
    }

    /// Finds out whether arms differ, and whether they are what they were.
    fn check_arms(&mut self, has_begun: bool) -> Result<()> {
        let arms = self.arms.iter().map(|arm| SweepArm {
            name: arm.name.clone(),
            sha256: compute_fingerprint(&arm.first.manifest),
        });
        let arms: Vec<SweepArm> = arms.collect();
        for (at, arm) in arms.iter().enumerate() {
            let same = arms[..at].iter().find(|other| other.sha256 == arm.sha256);
            if let Some(same) = same {
                return reject(format!(
                    "{}: the arms '{}' and '{}' would play the same: nothing differs between them",
                    self.file.file, same.name, arm.name
                ));
            }
        }
        if !has_begun {
            self.manifest.arms = arms;
            return Ok(());
        }
        let both = arms.iter().zip(&self.manifest.arms);
        let mut changes = both.filter(|(now, then)| now != then);
        match changes.next() {
            None if arms.len() == self.manifest.arms.len() => Ok(()),
            found => reject(format!(
                "arm '{}' would no longer be played as when sweep {} began: its protocol, its prompts \
                 or its models have changed, and not all runs had begun; {}",
                found.map_or("?", |(now, _)| now.name.as_str()),
                self.manifest.sweep,
                begin_anew(&self.manifest)
            )),
        }
    }

    /// Returns how long all points take, one after the other.
    pub fn estimate_time(
        &self,
        seats: &Seats,
        earlier: &EarlierLatencies,
        at_once: usize,
    ) -> ExpectedTime {
        let of_arms = self.arms.iter().map(|arm| {
            let first = &arm.first;
            let pace = Pace {
                game: &first.game,
                seats,
                earlier,
                at_once,
            };
            pace.estimate_run_time(&first.manifest, &first.items)
                .times(self.manifest.seeds.len())
        });
        let whole = of_arms.reduce(ExpectedTime::then);
        whole.unwrap_or_else(ExpectedTime::nothing)
    }
}

/// Returns the hash of everything that the debates of an arm are played with, but for their seed.
fn compute_fingerprint(manifest: &Manifest) -> String {
    let mut common = manifest.clone();
    common.run = RunId::new("");
    common.seed = 0;
    common.software = String::new();
    if common.memory.as_of.is_none() {
        common.memory.namespace = String::new();
    }
    // A manifest is data: it can always be written.
    let text = serde_json::to_vec(&common).unwrap_or_default();
    Hash::digest(&text).to_string()
}
