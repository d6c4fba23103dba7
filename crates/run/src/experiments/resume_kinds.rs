//! Going on with experiments of any kind, as they were begun: for whoever does not know the kinds.

use super::engine::{ExperimentContext, ExperimentEnd};
use super::golden::GoldenSet;
use super::prompt_trial::PromptTrial;
use super::rejudge::RejudgingPass;
use super::run::check_run_models;
use super::sweep::{Sweep, SweepObserver, count_sweep_debates};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::run::read_run;
use elenchus_records::workspace::sweep::read_sweep;
use elenchus_records::workspace::{Result, reject};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::sync::mpsc::unbounded_channel;

/// An experiment that is gone on with; ceilings that are given replace its own.
pub(super) struct Resumption {
    pub context: ExperimentContext,
    pub id: String,
    pub given: Ceilings,
}

/// Performs what is left of an experiment.
pub(super) type ResumeExperiment = fn(Resumption) -> BoxFuture<'static, Result<ExperimentEnd>>;

/// Plays the points of a sweep that are left.
pub(super) async fn resume_sweep(resumption: Resumption) -> Result<ExperimentEnd> {
    let Resumption { context, id, given } = resumption;
    let layout = &context.store.layout;
    let sweep_state = read_sweep(layout, &id)?;
    if !sweep_state.planned {
        return reject(format!(
            "its runs have not all begun: 'elenchus sweep --resume {id}' reads its plan again and begins them"
        ));
    }
    let ceilings = sweep_state.manifest.ceilings.with_overrides(given);
    for point in &sweep_state.manifest.points {
        let run = read_run(&layout.run_path(point.run.as_str())?)?;
        check_run_models(&run.manifest, &context.seats, ceilings)?;
    }
    let debates = count_sweep_debates(layout, &sweep_state)?;
    let observer = SweepObserver::new(Arc::clone(&context.observer), debates);
    let context = ExperimentContext {
        observer: Arc::new(observer),
        ..context
    };
    let mut sweep = Sweep::resume(&context, &id, given).await?;
    sweep.play_points(&context, &|_| {}).await
}

/// Asks for the verdicts of a pass that are missing.
pub(super) async fn resume_pass(resumption: Resumption) -> Result<ExperimentEnd> {
    let mut pass =
        RejudgingPass::resume(&resumption.context, &resumption.id, resumption.given).await?;
    // Every verdict is in its journal before it is told.
    let (updates, _) = unbounded_channel();
    pass.judge_missing(&resumption.context, updates).await
}

/// Plays what is left of both runs of a golden set.
pub(super) async fn resume_golden_set(resumption: Resumption) -> Result<ExperimentEnd> {
    let mut set = GoldenSet::resume(&resumption.context, &resumption.id, resumption.given).await?;
    set.play_runs(&resumption.context).await
}

/// Plays the samples of a trial that are missing.
pub(super) async fn resume_trial(resumption: Resumption) -> Result<ExperimentEnd> {
    let mut trial =
        PromptTrial::resume(&resumption.context, &resumption.id, resumption.given).await?;
    let (updates, _) = unbounded_channel();
    let (end, _) = trial.play_samples(&resumption.context, updates).await?;
    Ok(end)
}
