//! Runs as items of another experiment: begun with it, played one after the other under its budget.

use super::engine::{ExperimentContext, ExperimentEnd, ItemEnd, ItemPerformer, OpenItem};
use super::run::{Run, sum_run_expense};
use elenchus_game::debate::{CostEstimate, Expense, RunId, Spend};
use elenchus_records::workspace::run::read_run;
use elenchus_records::workspace::{ItemPlan, ItemState, Result};
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

/// Plan whose items are runs.
pub(super) trait PlanOfRuns: ItemPlan<Outcome = PlayedRun> {
    /// Returns the run of an item; it has begun.
    fn run_id(&self, item: u64) -> &RunId;
}

/// What a run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedRun {
    /// Debates that are over.
    pub debates: u64,
}

/// Plays the runs of a plan.
pub(super) struct RunsOfPlan {
    /// What the runs are played with.
    pub context: ExperimentContext,
}

impl RunsOfPlan {
    async fn play_run<P: PlanOfRuns>(&self, item: &OpenItem<P>) -> Result<ItemEnd<PlayedRun>> {
        let context = self.context.with_budget(&item.stage.budget);
        let id = item.plan.run_id(item.number);
        let mut run = Run::resume(&context, id, item.plan.ceilings()).await?;
        let before = sum_run_expense(&run.log.state, &context)?;
        let end = run.play_debates(&context).await?;
        let expense = sum_run_expense(&run.log.state, &context)?.minus(before);
        item.add_spend(Spend {
            calls: expense.calls,
            input_tokens: expense.tokens,
            cost_usd: expense.usd,
            // Of a run that is not over that is not known yet.
            unpriced_calls: match (&end, run.log.summarize().committed_usd) {
                (ExperimentEnd::Completed, None) => expense.calls,
                _ => 0,
            },
            ..Spend::default()
        });
        Ok(match end {
            ExperimentEnd::Completed => ItemEnd::Done(PlayedRun {
                debates: run.log.state.finished.len() as u64,
            }),
            ExperimentEnd::WithFailures(missing) => ItemEnd::Failed(format!(
                "{missing} of {} debates could not be had: elenchus run --resume {id}",
                run.log.state.items.len()
            )),
            ExperimentEnd::Paused { .. } => ItemEnd::Unfinished,
        })
    }
}

impl<P: PlanOfRuns> ItemPerformer<P> for RunsOfPlan {
    /// Runs are estimated by their own plans, before they begin.
    fn estimate_item(&self, _: &ExperimentContext, _: &P, _: u64) -> Option<CostEstimate> {
        None
    }

    fn perform_item<'p>(&'p self, item: OpenItem<P>) -> BoxFuture<'p, Result<ItemEnd<PlayedRun>>> {
        Box::pin(async move { self.play_run(&item).await })
    }

    /// The debates know what they used, calls that were cut off included.
    fn sum_earlier_expense(
        &self,
        context: &ExperimentContext,
        state: &ItemState<P>,
    ) -> Result<Expense> {
        let mut sum = Expense::default();
        for item in 0..state.plan.item_count() {
            let run = state.plan.run_id(item);
            let run = read_run(&context.store.layout.run_path(run.as_str())?)?;
            sum = sum.plus(sum_run_expense(&run, context)?);
        }
        Ok(sum)
    }
}
