//! Kinds of experiments that a store can hold: listed, found and summed up alike.

use super::columns::ListedFigures;
use super::debate_rows::{self, ReadFailed, ReadRows};
use super::engine::{ExperimentContext, ExperimentEnd};
use super::figures::{self, ExperimentFigures, FigureSource, ReadArmRows, ReadFigures};
use super::golden::GoldenPlan;
use super::guardrail_benchmark::BenchmarkPlan;
use super::prompt_ab::AbEvent;
use super::prompt_trial::TrialPlan;
use super::resume_kinds::{self, ResumeExperiment, Resumption};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{RunId, SessionId};
use elenchus_metrics::{DebateRow, Measure};
use elenchus_records::library::ModelFamilies;
use elenchus_records::workspace::pass::PassEvent;
use elenchus_records::workspace::run::{RunEvent, RunState, fold_shards};
use elenchus_records::workspace::sweep::SweepEvent;
use elenchus_records::workspace::{
    ExperimentEvent, ExperimentSummary, ItemEvent, Progress, Result, Standing, StoreIndex,
    Unreadable, WorkspaceError, find_journal, read_progress, read_runs, read_whole_run,
    sort_newest_first,
};
use elenchus_store::{JournalType, Layout, LockHolder, likely_holder};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Every kind of experiment that this version knows.
pub static EXPERIMENT_KINDS: &[ExperimentKind] = &[
    ExperimentKind::from_events::<RunEvent>(&["run", "--resume"])
        .with_figures(figures::read_run_figures)
        .with_rows(debate_rows::read_run_rows)
        .with_failed(debate_rows::list_failed_of_run)
        .with_arm_rows(figures::read_rows_of_run),
    ExperimentKind::from_events::<SweepEvent>(&["sweep", "--resume"])
        .with_figures(figures::read_sweep_figures)
        .with_rows(debate_rows::read_rows_of_points)
        .with_arm_rows(figures::read_rows_of_sweep)
        .with_resumption(|resumption| resume_kinds::resume_sweep(resumption).boxed()),
    ExperimentKind::from_events::<PassEvent>(&["judge", "--resume"])
        .with_figures(figures::read_pass_figures)
        .with_rows(debate_rows::read_pass_rows)
        .with_failed(debate_rows::list_failed_of_pass)
        .with_resumption(|resumption| resume_kinds::resume_pass(resumption).boxed()),
    ExperimentKind::from_events::<AbEvent>(&["prompts", "ab", "--resume"]),
    ExperimentKind::from_events::<ItemEvent<GoldenPlan>>(&["golden", "--resume"])
        .with_figures(figures::read_golden_figures)
        .with_rows(debate_rows::read_golden_rows)
        .with_failed(debate_rows::list_failed_of_golden_set)
        .with_arm_rows(figures::read_rows_of_golden_set)
        .with_resumption(|resumption| resume_kinds::resume_golden_set(resumption).boxed()),
    ExperimentKind::from_events::<ItemEvent<TrialPlan>>(&["prompts", "try", "--resume"])
        .with_resumption(|resumption| resume_kinds::resume_trial(resumption).boxed()),
    ExperimentKind::from_events::<ItemEvent<BenchmarkPlan>>(&[
        "memory",
        "guardrails",
        "test",
        "--resume",
    ]),
];

/// Kind of experiment.
#[derive(Debug)]
pub struct ExperimentKind {
    /// Name in a journal's envelope.
    pub kind: &'static str,
    /// What one of them is called, and several.
    pub names: (&'static str, &'static str),
    /// Words of the command that goes on with one, before its id.
    pub resume: &'static [&'static str],
    /// Folders of a store that hold their journals.
    pub folders: &'static [&'static str],
    read: fn(&Path) -> Result<(ExperimentSummary, Progress)>,
    figures: Option<ReadFigures>,
    rows: Option<ReadRows>,
    failed: Option<ReadFailed>,
    /// Reads its debates, to stand beside others; `None` where it has none of its own.
    pub(super) arm_rows: Option<ReadArmRows>,
    go_on: Option<ResumeExperiment>,
}

/// What becomes of an experiment, as far as can be seen from this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity<'a> {
    /// A process of this machine performs it.
    GoesOn,
    /// A process of another machine did at last; whether it still does shows by the time of its last line.
    GoesOnAt(&'a str),
    /// Its process was killed.
    BrokenOff,
    /// With the reason.
    Paused(&'a str),
    /// Everything was tried, and some of it failed: that can be tried again.
    EndedWithFailures,
    Completed,
}

/// Experiment of a store.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedExperiment {
    pub kind: &'static ExperimentKind,
    pub summary: ExperimentSummary,
    pub progress: Progress,
    /// The process that performs it now, as far as can be seen from here.
    driven_by: Option<LockHolder>,
    /// Bytes of its journal when it was read, which only grows.
    bytes: u64,
    /// What is gone on with: itself, or of a run in parts the first one that is open; `None` where none is.
    open_id: Option<String>,
}

impl ListedExperiment {
    /// Returns the command that goes on with it: by its answers, where calls wait for them.
    pub fn resume_command(&self) -> String {
        let words = self.kind.resume.join(" ");
        let id = self.open_id.as_ref().unwrap_or(&self.summary.id);
        let answers = match self.summary.in_batch {
            0 => "",
            1.. => " --batch-in FILE",
        };
        format!("elenchus {words} {id}{answers}")
    }

    /// Returns what becomes of it now.
    pub fn activity(&self) -> Activity<'_> {
        match (&self.summary.standing, &self.driven_by) {
            (Standing::Completed, _) => Activity::Completed,
            (Standing::Paused(_), _) if self.summary.items.are_all_tried() => {
                Activity::EndedWithFailures
            }
            (Standing::Paused(why), _) => Activity::Paused(why),
            (Standing::Unfinished, Some(holder)) if holder.is_on_this_machine() => Activity::GoesOn,
            (Standing::Unfinished, Some(holder)) => Activity::GoesOnAt(&holder.host),
            (Standing::Unfinished, None) => Activity::BrokenOff,
        }
    }

    /// Returns what becomes of it in a word or two.
    pub fn activity_word(&self) -> &'static str {
        let (_, items) = self.summary.item_names;
        match self.activity() {
            Activity::GoesOn | Activity::GoesOnAt(_) => match items {
                "debates" | "points" | "runs" => "playing",
                _ => "running",
            },
            Activity::BrokenOff => "broken off",
            Activity::Paused(_) => "paused",
            Activity::EndedWithFailures => "over",
            Activity::Completed => "completed",
        }
    }

    /// Says whether a process performs it now.
    pub fn goes_on(&self) -> bool {
        matches!(self.activity(), Activity::GoesOn | Activity::GoesOnAt(_))
    }

    /// Says whether something of it is left to do: it did not end, or some of it failed.
    pub fn can_resume(&self) -> bool {
        let is_over =
            self.summary.standing == Standing::Completed && self.summary.failures.is_empty();
        self.open_id.is_some() && !is_over
    }

    /// Performs what is left of it, under the ceilings that it has, or that are given in their place; `None`
    /// where its command alone can: also where calls wait in a batch file, which would be asked twice.
    pub fn resume_experiment(
        &self,
        context: ExperimentContext,
        given: Ceilings,
    ) -> Option<BoxFuture<'static, Result<ExperimentEnd>>> {
        let context = context.with_ceilings(self.summary.ceilings.with_overrides(given));
        let go_on = self.kind.go_on.filter(|_| self.summary.in_batch == 0)?;
        Some(go_on(Resumption {
            context,
            id: self.open_id.clone()?,
            given,
        }))
    }

    /// Returns the run that it is; `None` where it is another kind.
    pub fn run_id(&self) -> Option<RunId> {
        (self.kind.kind == RunEvent::KIND).then(|| RunId::new(&self.summary.id))
    }

    /// Says whether it has debates of its own, which can stand beside those of others.
    pub fn has_debates(&self) -> bool {
        self.kind.arm_rows.is_some()
    }

    /// Says whether its debates are of several arms.
    pub fn has_arms(&self) -> bool {
        self.has_debates() && !self.summary.runs.is_empty()
    }

    /// Says whether it compares prompts.
    pub fn is_prompt_comparison(&self) -> bool {
        self.kind.kind == AbEvent::KIND
    }

    /// Computes what it found so far; `None` where its kind has no figures. Blocks: journals are read where the
    /// index, read for rows, does not know them as they are.
    ///
    /// # Errors
    /// When a session cannot be read, or nothing that was found can be counted.
    pub fn compute_figures(
        &self,
        index: &StoreIndex,
        families: &ModelFamilies,
    ) -> Result<Option<ExperimentFigures>> {
        let source = self.figure_source(index, families);
        self.kind.figures.map(|read| read(source)).transpose()
    }

    /// Reads the rows of its debates so far; `None` where its kind plays none of its own. Blocks as
    /// [`compute_figures`](Self::compute_figures).
    ///
    /// # Errors
    /// When a session cannot be read.
    pub fn read_rows(
        &self,
        index: &StoreIndex,
        families: &ModelFamilies,
    ) -> Result<Option<Vec<DebateRow>>> {
        let source = self.figure_source(index, families);
        self.kind.rows.map(|read| read(source)).transpose()
    }

    /// Says whether its debates can be looked at one by one.
    pub fn has_rows(&self) -> bool {
        self.kind.rows.is_some()
    }

    /// Reads which of its sessions failed for one of some reasons; none where its kind has no debates. Blocks.
    ///
    /// # Errors
    /// When its journal, or that of a run of it, cannot be read.
    pub fn read_failed_sessions(
        &self,
        layout: &Layout,
        reasons: &BTreeSet<String>,
    ) -> Result<Vec<SessionId>> {
        let read = self
            .kind
            .failed
            .map(|read| read(layout, &self.summary.id, reasons));
        read.unwrap_or_else(|| Ok(Vec::new()))
    }

    fn figure_source<'a>(
        &'a self,
        index: &'a StoreIndex,
        families: &'a ModelFamilies,
    ) -> FigureSource<'a> {
        FigureSource {
            index,
            families,
            id: &self.summary.id,
        }
    }
}

impl ListedExperiment {
    /// Computes what its debates come to so far, for a list: the headline, and the measures that are asked for;
    /// `None` where it is no run. Blocks, as [`ListedExperiment::compute_figures`].
    ///
    /// # Errors
    /// When a session cannot be read, or nothing that was found can be counted.
    pub fn compute_listed_figures(
        &self,
        index: &StoreIndex,
        families: &ModelFamilies,
        asked: &[Measure],
    ) -> Result<Option<ListedFigures>> {
        let source = self.figure_source(index, families);
        let run = self.run_id();
        run.map(|_| figures::read_listed_figures(source, asked))
            .transpose()
    }
}

impl ExperimentKind {
    /// Returns the kind of these events; `resume` are the words of the command that goes on.
    pub const fn from_events<E: ExperimentEvent>(resume: &'static [&'static str]) -> Self {
        Self {
            kind: E::KIND,
            names: E::NAMES,
            resume,
            folders: E::FOLDERS,
            read: read_progress::<E>,
            figures: None,
            rows: None,
            failed: None,
            arm_rows: None,
            go_on: None,
        }
    }

    const fn with_figures(self, figures: ReadFigures) -> Self {
        Self {
            figures: Some(figures),
            ..self
        }
    }

    const fn with_arm_rows(self, arm_rows: ReadArmRows) -> Self {
        Self {
            arm_rows: Some(arm_rows),
            ..self
        }
    }

    const fn with_rows(self, rows: ReadRows) -> Self {
        Self {
            rows: Some(rows),
            ..self
        }
    }

    const fn with_failed(self, failed: ReadFailed) -> Self {
        Self {
            failed: Some(failed),
            ..self
        }
    }

    const fn with_resumption(self, go_on: ResumeExperiment) -> Self {
        Self {
            go_on: Some(go_on),
            ..self
        }
    }

    /// Returns the journals of this kind, by id. Blocks.
    fn list_journals(&self, layout: &Layout) -> Result<Vec<(String, PathBuf)>> {
        let mut journals = Vec::new();
        for folder in self.folders {
            for id in layout.list_names(folder)? {
                let path = layout.journal_in(Path::new(folder), &id)?;
                journals.push((id, path));
            }
        }
        Ok(journals)
    }

    /// Sums up the experiment of a journal of this kind. Blocks.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read_summary(&self, path: &Path) -> Result<ExperimentSummary> {
        Ok((self.read)(path)?.0)
    }

    /// Reads the experiment of a journal of this kind. Blocks.
    fn read_experiment(&'static self, path: &Path) -> Result<ListedExperiment> {
        let bytes = journal_size(path);
        let (summary, progress) = (self.read)(path)?;
        Ok(ListedExperiment {
            driven_by: find_driver(&summary, path),
            kind: self,
            open_id: Some(summary.id.clone()),
            summary,
            progress,
            bytes,
        })
    }
}

/// Returns the process that performs an experiment: nobody does where it ended or paused.
fn find_driver(summary: &ExperimentSummary, path: &Path) -> Option<LockHolder> {
    match summary.standing {
        Standing::Unfinished => likely_holder(path),
        Standing::Paused(_) | Standing::Completed => None,
    }
}

/// Reads every experiment of a store, the newest first, parts of a run as one; of those that are known already, the ones whose
/// journals have grown. Blocks.
///
/// # Errors
/// When a folder cannot be listed.
pub fn list_experiments(
    layout: &Layout,
    known: &[ListedExperiment],
) -> Result<(Vec<ListedExperiment>, Vec<Unreadable>)> {
    let (experiments, unreadable) = read_experiments(layout, known)?;
    Ok((fold_parts(layout, experiments)?, unreadable))
}

/// Reads every experiment, each journal by itself.
fn read_experiments(
    layout: &Layout,
    known: &[ListedExperiment],
) -> Result<(Vec<ListedExperiment>, Vec<Unreadable>)> {
    let known_by_id: HashMap<&str, &ListedExperiment> = known
        .iter()
        .map(|one| (one.summary.id.as_str(), one))
        .collect();
    let (mut experiments, mut unreadable) = (Vec::new(), Vec::new());
    for kind in EXPERIMENT_KINDS {
        for (id, path) in kind.list_journals(layout)? {
            let bytes = journal_size(&path);
            let same = known_by_id
                .get(id.as_str())
                .filter(|one| one.bytes == bytes && one.kind.kind == kind.kind);
            match same {
                Some(one) => {
                    // Its process may be gone although nothing was written since.
                    let experiment = ListedExperiment {
                        driven_by: find_driver(&one.summary, &path),
                        ..(*one).clone()
                    };
                    experiments.push((experiment, path));
                }
                None => match kind.read_experiment(&path) {
                    Ok(experiment) => experiments.push((experiment, path)),
                    Err(error) => unreadable.push(Unreadable { path, error }),
                },
            }
        }
    }
    sort_newest_first(&mut experiments, |(one, path)| {
        (one.summary.id.clone(), path.clone())
    });
    let experiments = experiments.into_iter().map(|(one, _)| one).collect();
    Ok((experiments, unreadable))
}

/// Finds what was begun under a key: the newest, where several stores were taken in. A part of a run has a key of its
/// own. Blocks.
///
/// # Errors
/// When a folder cannot be listed.
pub fn find_by_key(layout: &Layout, key: &str) -> Result<Option<ListedExperiment>> {
    let (experiments, _) = read_experiments(layout, &[])?;
    Ok(experiments.into_iter().find(|one| {
        let repeat = one.summary.repeat.as_ref();
        repeat.is_some_and(|repeat| repeat.name == key)
    }))
}

/// Puts the parts of each run that is played in parts together, in place of the newest of them.
fn fold_parts(
    layout: &Layout,
    mut experiments: Vec<ListedExperiment>,
) -> Result<Vec<ListedExperiment>> {
    if !experiments.iter().any(|one| one.summary.is_shard) {
        return Ok(experiments);
    }
    // A journal that cannot be read is named beside the list.
    let (runs, _) = read_runs(layout)?;
    for whole in fold_shards(runs) {
        let Some(parts) = &whole.whole else { continue };
        let is_part =
            |one: &ListedExperiment| parts.runs().any(|run| run.as_str() == one.summary.id);
        let Some(at) = experiments.iter().position(is_part) else {
            continue;
        };
        let listed: Vec<ListedExperiment> =
            experiments.extract_if(.., |one| is_part(one)).collect();
        let folded = fold_listed(&whole, &listed);
        experiments.splice(at..at, folded);
    }
    Ok(experiments)
}

/// Sums up a run by its parts.
fn fold_listed(whole: &RunState, parts: &[ListedExperiment]) -> Option<ListedExperiment> {
    let summary = RunEvent::summarize(whole);
    let newest = parts.iter().max_by_key(|one| &one.progress.last_line_at)?;
    let open = parts.iter().find(|one| one.can_resume());
    Some(ListedExperiment {
        progress: newest.progress.clone(),
        driven_by: parts.iter().find_map(|one| one.driven_by.clone()),
        bytes: parts.iter().map(|one| one.bytes).sum(),
        open_id: open.map(|open| open.summary.id.clone()),
        kind: newest.kind,
        summary,
    })
}

/// As [`find_experiment`]; of a part of a run, the whole run as far as it is here. Blocks.
///
/// # Errors
/// As [`find_experiment`].
pub fn find_whole_experiment(layout: &Layout, text: &str) -> Result<ListedExperiment> {
    let experiment = find_experiment(layout, text)?;
    let Some(run) = experiment.run_id().filter(|_| experiment.summary.is_shard) else {
        return Ok(experiment);
    };
    let whole = read_whole_run(layout, &run)?;
    let Some(parts) = &whole.whole else {
        return Ok(experiment);
    };
    let listed = parts
        .runs()
        .map(|run| find_experiment(layout, run.as_str()));
    let listed: Vec<ListedExperiment> = listed.collect::<Result<_>>()?;
    Ok(fold_listed(&whole, &listed).unwrap_or(experiment))
}

/// Returns the length of a journal; 0 where that cannot be had, which no journal has.
fn journal_size(path: &Path) -> u64 {
    path.metadata().map_or(0, |journal| journal.len())
}

/// Finds the experiment that an id, its beginning, its end, or `last` names, and reads it. Blocks.
///
/// # Errors
/// When none or several do, or its journal cannot be read.
pub fn find_experiment(layout: &Layout, text: &str) -> Result<ListedExperiment> {
    let mut all = Vec::new();
    for kind in EXPERIMENT_KINDS {
        let journals = kind.list_journals(layout)?.into_iter();
        all.extend(journals.map(|(id, path)| (kind, id, path)));
    }
    let journals = all.iter().map(|(_, id, path)| (id.clone(), path.clone()));
    let id = find_journal(
        journals.collect(),
        text,
        "experiment",
        "elenchus experiments list",
    )?;
    let entry = all.into_iter().find(|(_, known, _)| *known == id);
    let Some((kind, _, path)) = entry else {
        return Err(WorkspaceError::NoSuch {
            what: "experiment",
            id,
            list: "elenchus experiments list",
        });
    };
    kind.read_experiment(&path)
}

impl PartialEq for ExperimentKind {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}
