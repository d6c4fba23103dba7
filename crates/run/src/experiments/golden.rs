//! Golden set: debate against a single answer on labelled questions, as two runs under one budget
//! (EAAPL-MAG005 §13.3).

use super::engine::{ExperimentContext, ExperimentEnd, ItemExperiment};
use super::run::{PlannedRun, begin_if_missing, build_run_game};
use super::runs_of_plan::{PlanOfRuns, PlayedRun, RunsOfPlan};
use crate::engine::SeatedGame;
use elenchus_game::debate::protocol::{Ceilings, SeatKind};
use elenchus_game::debate::{RunId, Topic};
use elenchus_metrics::MIN_QUESTIONS_PER_TASK_TYPE;
use elenchus_records::library::software_name;
use elenchus_records::workspace::run::{Manifest, RunItem};
use elenchus_records::workspace::{ExperimentSummary, ItemPlan, RepeatKey, Result, reject};
use elenchus_store::Layout;
use elenchus_text::safe_text::{Keep, make_visible};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const FORMAT: u32 = 1;

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
    /// Both runs as they begin, singles first.
    pub runs: Vec<GoldenRun>,
    /// Key under which it was begun, where it was under one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Box<RepeatKey>>,
}

/// Run of a golden set, enough to begin it when files have changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldenRun {
    pub manifest: Manifest,
    pub items: Vec<RunItem>,
}

impl ItemPlan for GoldenPlan {
    const KIND: &'static str = "golden_set";
    const NAMES: (&'static str, &'static str) = ("golden set", "golden sets");
    const FOLDERS: &'static [&'static str] = &["experiments/golden"];
    const ITEM_NAMES: (&'static str, &'static str) = ("run", "runs");
    type Outcome = PlayedRun;

    fn id(&self) -> &str {
        &self.id
    }

    fn describe_subject(&self) -> String {
        format!("debates and single answers on {}", self.dataset)
    }

    fn item_count(&self) -> u64 {
        2
    }

    fn item_name(&self, item: u64) -> String {
        let what = match item {
            0 => "single answers",
            _ => "debates",
        };
        format!("{what}, run {}", self.run_id(item))
    }

    fn ceilings(&self) -> Ceilings {
        self.ceilings
    }

    fn raise_ceilings(&mut self, given: Ceilings) {
        self.ceilings = self.ceilings.with_overrides(given);
    }

    fn list_runs(&self) -> Vec<RunId> {
        vec![self.debates.clone(), self.singles.clone()]
    }

    fn repeat_key(&self) -> Option<&RepeatKey> {
        self.repeat.as_deref()
    }
}

impl PlanOfRuns for GoldenPlan {
    fn run_id(&self, item: u64) -> &RunId {
        match item {
            0 => &self.singles,
            _ => &self.debates,
        }
    }
}

impl GoldenRun {
    fn to_planned_run(&self) -> Result<PlannedRun> {
        Ok(PlannedRun {
            game: build_run_game(&self.manifest)?,
            manifest: self.manifest.clone(),
            items: self.items.clone(),
        })
    }

    fn has_sessions(&self, layout: &Layout) -> Result<bool> {
        for item in &self.items {
            if layout.session_path(item.session.as_str())?.exists() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A golden set that this process plays.
pub struct GoldenSet {
    items: ItemExperiment<GoldenPlan>,
}

impl GoldenSet {
    /// Begins the set, then both runs: nothing depends on files any more when this returns.
    ///
    /// # Errors
    /// When a journal cannot be written.
    pub async fn begin(
        context: &ExperimentContext,
        dataset: &str,
        [singles, debates]: [PlannedRun; 2],
        ceilings: Ceilings,
        repeat: Option<Box<RepeatKey>>,
    ) -> Result<Self> {
        let plan = GoldenPlan {
            format: FORMAT,
            id: context.store.clock.fresh_id(),
            software: software_name(),
            dataset: dataset.to_owned(),
            singles: singles.manifest.run.clone(),
            debates: debates.manifest.run.clone(),
            ceilings,
            runs: [singles, debates]
                .map(
                    |PlannedRun {
                         manifest, items, ..
                     }| GoldenRun { manifest, items },
                )
                .into(),
            repeat,
        };
        let items = ItemExperiment::begin(context, plan).await?;
        Self { items }.begin_runs(context).await
    }

    /// Begins the runs that have not begun.
    async fn begin_runs(self, context: &ExperimentContext) -> Result<Self> {
        for run in &self.plan().runs {
            // What was played is never replaced, whatever became of the run's journal.
            if !run.has_sessions(&context.store.layout)? {
                begin_if_missing(context, &run.manifest.run, || run.to_planned_run()).await?;
            }
        }
        Ok(self)
    }

    /// Goes on with a golden set; ceilings that are given replace its own.
    ///
    /// # Errors
    /// When another process plays it, or its journal cannot be read.
    pub async fn resume(context: &ExperimentContext, id: &str, ceilings: Ceilings) -> Result<Self> {
        let items = ItemExperiment::resume(context, id, ceilings).await?;
        Self { items }.begin_runs(context).await
    }

    /// Returns its plan.
    pub fn plan(&self) -> &GoldenPlan {
        &self.items.log.state.plan
    }

    /// Sums it up.
    pub fn summarize(&self) -> ExperimentSummary {
        self.items.log.summarize()
    }

    /// Plays what is missing of both runs, one after the other.
    ///
    /// # Errors
    /// When a journal cannot be written.
    pub async fn play_runs(&mut self, context: &ExperimentContext) -> Result<ExperimentEnd> {
        let runs = RunsOfPlan {
            context: context.clone(),
        };
        self.items
            .perform_missing(&context.to_whole_context(), &runs)
            .await
    }
}

/// Returns the model of the debate's first speaker whose turns are graded, or of its first speaker: the same
/// mind, alone.
pub fn find_single_model(debaters: &SeatedGame) -> Option<String> {
    let protocol = &debaters.game.protocol;
    let speaker = |graded: bool| {
        debaters.cast.iter().find_map(|participant| {
            let seat = protocol.find_seat(&participant.chair.seat)?;
            let fits = seat.kind == SeatKind::Speaker && (!graded || protocol.is_judged(&seat.id));
            let player = participant.player.as_model().filter(|_| fits)?;
            Some(player.model.clone())
        })
    };
    speaker(true).or_else(|| speaker(false))
}

/// Finds out before anything is paid for that nothing could be compared afterwards.
///
/// # Errors
/// When a question has no expert answer, an arm has no grader, or both arms are the same.
pub fn check_golden(
    [debaters, answerer]: [&SeatedGame; 2],
    topics: &[Topic],
    dataset: &str,
) -> Result<()> {
    let unlabelled_topics = topics.iter().filter(|topic| topic.reference.is_none());
    if let Some(first) = unlabelled_topics.clone().next() {
        return reject(format!(
            "{} of {} questions of {} have no expert answer, for instance '{}': a golden set needs a \
             'reference' for each",
            unlabelled_topics.count(),
            topics.len(),
            make_visible(dataset, Keep::Nothing),
            make_visible(&first.id, Keep::Nothing)
        ));
    }
    for party in [debaters, answerer] {
        let protocol = &party.game.protocol;
        let mut judging = protocol.judging.iter();
        if !judging.any(|rule| rule.enabled && rule.grader.is_some()) {
            return reject(format!(
                "'{}' compares no answer with the expert's, as it has no grader; 'elenchus protocols \
                 show {}' shows how it is judged",
                protocol.id, protocol.id
            ));
        }
    }
    let (many, one) = (&debaters.game, &answerer.game);
    if many.protocol == one.protocol
        && many.settings == one.settings
        && debaters.cast == answerer.cast
    {
        return reject(format!(
            "both would play '{}' with the same settings and models: there is nothing to compare; \
             name another with --protocol or --single",
            many.protocol.id
        ));
    }
    Ok(())
}

/// Returns the task types that have fewer questions than a golden set asks for, with how many they have.
pub fn find_small_task_types(topics: &[Topic]) -> Vec<(&str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for topic in topics {
        let category = topic.category.as_deref().unwrap_or("(no task type)");
        *counts.entry(category).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.retain(|(_, count)| *count < MIN_QUESTIONS_PER_TASK_TYPE);
    counts
}
