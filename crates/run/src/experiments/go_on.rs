//! Going on with experiments of any kind, as they were begun: for whoever does not know the kinds.

use super::engine::{ExperimentContext, ExperimentEnd};
use super::golden::GoldenSet;
use super::prompt_trial::PromptTrial;
use super::rejudge::RejudgingPass;
use super::run::check_run_models;
use super::sweep::{Sweep, SweepObserver, sweep_debates};
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::run::read_run;
use elenchus_records::workspace::sweep::read_sweep;
use elenchus_records::workspace::{Result, invalid};
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
pub(super) type GoOn = fn(Resumption) -> BoxFuture<'static, Result<ExperimentEnd>>;

/// Plays the points of a sweep that are left.
pub(super) async fn with_sweep(it: Resumption) -> Result<ExperimentEnd> {
    let Resumption { context, id, given } = it;
    let layout = &context.desk.layout;
    let known = read_sweep(layout, &id)?;
    if !known.planned {
        return invalid(format!(
            "its runs have not all begun: 'elenchus sweep --resume {id}' reads its plan again and begins them"
        ));
    }
    let ceilings = known.manifest.ceilings.replaced_by(given);
    for point in &known.manifest.points {
        let run = read_run(&layout.run(point.run.as_str())?)?;
        check_run_models(&run.manifest, &context.seats, ceilings)?;
    }
    let debates = sweep_debates(layout, &known)?;
    let observer = SweepObserver::new(Arc::clone(&context.observer), debates);
    let context = ExperimentContext {
        observer: Arc::new(observer),
        ..context
    };
    let mut sweep = Sweep::resume(&context, &id, given).await?;
    sweep.play(&context, &|_| {}).await
}

/// Asks for the verdicts of a pass that are missing.
pub(super) async fn with_pass(it: Resumption) -> Result<ExperimentEnd> {
    let mut pass = RejudgingPass::resume(&it.context, &it.id, it.given).await?;
    // Every verdict is in its journal before it is told.
    let (tell, _) = unbounded_channel();
    pass.play(&it.context, tell).await
}

/// Plays what is left of both runs of a golden set.
pub(super) async fn with_golden_set(it: Resumption) -> Result<ExperimentEnd> {
    let mut set = GoldenSet::resume(&it.context, &it.id, it.given).await?;
    set.play(&it.context).await
}

/// Plays the samples of a trial that are missing.
pub(super) async fn with_trial(it: Resumption) -> Result<ExperimentEnd> {
    let mut trial = PromptTrial::resume(&it.context, &it.id, it.given).await?;
    let (tell, _) = unbounded_channel();
    let (end, _) = trial.play(&it.context, tell).await?;
    Ok(end)
}
