//! Run: many debates over a dataset, with one manifest.

mod form;
mod guardrail_acceptance;
mod item;
mod memory;
mod models;
mod placebo;
mod plan;
mod play;
mod same_plan;
mod time;
mod topic_count;
mod topic_criterion;
mod topics;
mod training;

use crate::engine::cost::Estimator;
use crate::experiments::engine::{
    ExperimentContext, ExperimentEnd, ExperimentLog, perform_experiment,
};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{CostEstimate, Expense, RunId};
use elenchus_records::library::{Game, GameParts};
use elenchus_records::workspace::run::{Manifest, RunEvent, RunItem, RunState, read_run};
use elenchus_records::workspace::sweep::sweep_of_run;
use elenchus_records::workspace::{Result, WorkspaceError, read_session, reject};
pub use form::{PreparedRun, RunPlan, human_seat_error};
use memory::{check_memory, open_run_memory, read_memory_state};
pub use models::check_run_models;
pub(super) use plan::build_plain_manifest;
use plan::estimate_items;
pub use plan::{
    AcceptanceRequest, Casts, Duplicates, MemoryRequest, PlannedRun, RunRequest, TrainingRequest,
};
use play::OpenDebates;
pub use same_plan::SnapshotMoment;
use std::collections::BTreeMap;
use std::sync::Arc;
pub use time::{ExpectedTime, Pace, UnknownTime};
pub use topic_count::TopicCount;
pub use topic_criterion::TopicCriterion;
pub use topics::{LoadedTopics, TopicRequest};
pub use training::check_trainer;

/// A run that this process drives.
pub struct Run {
    pub game: Game,
    pub log: ExperimentLog<RunEvent>,
    estimator: Estimator,
}

impl Run {
    /// Begins a run: manifest and items are durable when this returns.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn begin(context: &ExperimentContext, planned: PlannedRun) -> Result<Self> {
        let PlannedRun {
            game,
            mut manifest,
            items,
        } = planned;
        check_trainer(&manifest, context)?;
        let store = &context.store;
        let path = store.layout.run_path(manifest.run.as_str())?;
        let at = store.clock.now();
        manifest.memory_read = read_memory_state(&manifest, context, &at).await?;
        let item_events = items.into_iter();
        let item_events = item_events.map(|item| RunEvent::Planned(Box::new(item)));
        let first_event = RunEvent::Begun(Box::new(manifest));
        Ok(Self {
            game,
            log: ExperimentLog::begin_journal(store, &path, (first_event, item_events.collect()))
                .await?,
            estimator: Estimator::default(),
        })
    }

    /// Opens a run to go on with it; ceilings that are given replace its own.
    ///
    /// # Errors
    /// When another process drives it, its journal cannot be read, the embedder that it began with is
    /// not here, or it is a point of a sweep that is not over: the sweep alone counts what all its
    /// points used.
    pub async fn resume(
        context: &ExperimentContext,
        id: &RunId,
        ceilings: Ceilings,
    ) -> Result<Self> {
        let sweep = sweep_of_run(&context.store.layout, id)?;
        if let Some(sweep) = sweep.filter(|sweep| !sweep.completed) {
            let sweep = &sweep.manifest.sweep;
            return reject(format!(
                "run {id} is a point of sweep {sweep}, which alone counts what all its points used; go \
                 on with: elenchus sweep --resume {sweep}"
            ));
        }
        Self::resume_point(context, id, ceilings).await
    }

    /// Opens a run as [`resume`](Self::resume) does, be it a point of a sweep or not.
    ///
    /// # Errors
    /// As [`resume`](Self::resume), but for sweeps.
    pub(in crate::experiments) async fn resume_point(
        context: &ExperimentContext,
        id: &RunId,
        ceilings: Ceilings,
    ) -> Result<Self> {
        let path = context.store.layout.run_path(id.as_str())?;
        let mut log = ExperimentLog::<RunEvent>::open_journal(&context.store, &path)?;
        check_trainer(&log.state.manifest, context)?;
        check_memory(&log.state, context).await?;
        log.record_resume(ceilings).await?;
        Ok(Self {
            game: build_run_game(&log.state.manifest)?,
            log,
            estimator: Estimator::default(),
        })
    }

    /// Returns what the debates that are not finished cost together; `None` where one cannot be
    /// estimated.
    pub fn estimate_open_items(&mut self) -> Option<CostEstimate> {
        let state = &self.log.state;
        let is_open = |item: &&RunItem| !state.finished.contains_key(&item.item);
        let open = state.items.iter().filter(is_open);
        estimate_items(&state.manifest, open, &self.game, &mut self.estimator)
    }

    /// Plays every item that is not finished, several side by side.
    ///
    /// # Errors
    /// When the run's own journal or the memory cannot be written. A debate that fails is
    /// recorded and never ends the run.
    pub async fn play_debates(&mut self, context: &ExperimentContext) -> Result<ExperimentEnd> {
        let memory = open_run_memory(&self.log.state, context)?.map(Arc::new);
        let cast = (&self.game, &mut self.estimator);
        let mut debates = OpenDebates::new(&self.log.state, cast, memory);
        perform_experiment(&mut self.log, &mut debates, context).await
    }
}

/// Begins a run of another experiment unless it has begun, and gives its lock back. One that was cut off
/// while it was written is begun anew: nothing was played of it.
pub(in crate::experiments) async fn begin_if_missing(
    context: &ExperimentContext,
    id: &RunId,
    plan_run: impl FnOnce() -> Result<PlannedRun>,
) -> Result<()> {
    let path = context.store.layout.run_path(id.as_str())?;
    if path.exists() {
        if read_run(&path).is_ok() {
            return Ok(());
        }
        std::fs::remove_file(&path).map_err(|error| {
            WorkspaceError::Invalid(format!(
                "cannot replace the incomplete {}: {error}",
                path.display()
            ))
        })?;
    }
    drop(Run::begin(context, plan_run()?).await?);
    Ok(())
}

/// Returns the game of a run as its manifest keeps it.
pub(in crate::experiments) fn build_run_game(manifest: &Manifest) -> Result<Game> {
    let rubrics = manifest.rubrics.iter().map(|(name, text)| {
        let rubric = elenchus_game::judge::Rubric::parse(name, text);
        rubric.map(|rubric| (name.clone(), rubric))
    });
    let rubrics = rubrics.collect::<Result<_, _>>();
    let parts = GameParts {
        templates: manifest.templates.clone(),
        files: BTreeMap::new(),
        more_files: Vec::new(),
        rubric_texts: manifest.rubrics.clone(),
        rubrics: rubrics.map_err(elenchus_records::library::GameError::from)?,
        lists: manifest.lists.clone(),
    };
    let (protocol, settings) = (manifest.protocol.clone(), manifest.settings.clone());
    Ok(Game::new(protocol, settings, parts)?)
}

/// Returns what a run used at most, guardrails that it derived included.
///
/// # Errors
/// When memory or, under a ceiling, a session cannot be read.
pub(in crate::experiments) fn sum_run_expense(
    run: &RunState,
    context: &ExperimentContext,
) -> Result<Expense> {
    let debates = sum_debate_expenses(run, context)?;
    if !run.manifest.memory.guards {
        return Ok(debates);
    }
    let memory = open_run_memory(run, context)?;
    let derivation_expense = memory.map(|book| book.sum_derivations()).transpose()?;
    Ok(debates.plus(derivation_expense.unwrap_or_default()))
}

/// What earlier parts of a run used at most, sessions that were cut off included.
fn sum_debate_expenses(run: &RunState, context: &ExperimentContext) -> Result<Expense> {
    let ceilings = run.manifest.ceilings;
    let counts = ceilings.calls.is_some() || ceilings.tokens.is_some();
    let mut expense = Expense::default();
    for item in &run.items {
        if let Some(result) = run.finished.get(&item.item) {
            let debate_expense = result.committed_expense();
            if let Some(known) =
                debate_expense.or((!counts).then(|| Expense::from_usd(result.committed_usd)))
            {
                expense = expense.plus(known);
                continue;
            }
            // A run of an earlier version kept its cost alone: its session has the rest.
        }
        let path = context.store.layout.session_path(item.session.as_str())?;
        if !path.exists() {
            continue;
        }
        match read_session(&path) {
            Ok(state) => expense = expense.plus(state.committed_expense()),
            Err(WorkspaceError::Empty { .. }) => {}
            // Under a ceiling, what cannot be read cannot be taken for free.
            Err(error) if ceilings != Ceilings::default() => return Err(error),
            Err(_) => {}
        }
    }
    Ok(expense)
}
