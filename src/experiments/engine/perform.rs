//! Loop of every experiment: items are opened under one budget while there is room, and performed side
//! by side.

use super::context::ExperimentContext;
use super::end::ExperimentEnd;
use super::observer::{ItemEnd, LeftItem};
use crate::debate::{Expense, Spend};
use crate::engine::cost::{Budget, WorstCase};
use crate::engine::paid_call::PaidCall;
use crate::engine::seats::ReadyModel;
use crate::model::Request;
use crate::workspace::{ExperimentSummary, ItemCounts, Result};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use std::sync::Arc;

/// Experiment: items that are opened one at a time, because which follows may depend on the outcome of
/// earlier ones. (Boxed futures, because those of an `async fn` in a trait are not known to be `Send` for
/// every lifetime.) An item comes to an outcome `O`.
pub trait Experiment<'a, O>: Send {
    /// Returns it as lists show it.
    fn summary(&self) -> ExperimentSummary;

    /// Returns what earlier parts of it used at most.
    ///
    /// # Errors
    /// When that cannot be known.
    fn spent(&self, context: &ExperimentContext) -> Result<Expense>;

    /// Returns how many items there are, and how far they are.
    fn counts(&self) -> ItemCounts {
        self.summary().items
    }

    /// Opens the next item; `None` where none can begin now. It is asked again once another item has
    /// come to its end, and not at all once the experiment stops.
    ///
    /// # Errors
    /// What ends the whole experiment, as a journal that cannot be written.
    fn open<'s>(&'s mut self, stage: &'s Stage) -> Opened<'s, 'a, O>;

    /// Records the outcome of an item, durable when this returns.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    fn record<'s>(&'s mut self, stage: &'s Stage, outcome: O) -> Recorded<'s>;

    /// Returns how many of its items are missing once no more are opened.
    fn missing(&self) -> usize;

    /// Returns its end, where more is known of it than what is missing.
    fn end(&self, end: ExperimentEnd) -> ExperimentEnd {
        end
    }

    /// Records its end, durable when this returns.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    fn close<'s>(&'s mut self, end: &'s ExperimentEnd) -> Closed<'s>;
}

/// What [`Experiment::open`] returns.
pub type Opened<'s, 'a, O> = BoxFuture<'s, Result<Option<BoxFuture<'a, O>>>>;
/// What [`Experiment::record`] returns: items that are over, where the outcome ended any.
pub type Recorded<'s> = BoxFuture<'s, Result<Option<ItemLeft>>>;
/// What [`Experiment::close`] returns.
pub type Closed<'s> = BoxFuture<'s, Result<()>>;

/// An item that is over, for observers.
#[derive(Debug, Clone)]
pub struct ItemLeft {
    pub name: String,
    pub end: ItemEnd,
    pub spend: Spend,
}

/// Context and budget under which items are performed.
#[derive(Clone)]
pub struct Stage {
    pub context: Arc<ExperimentContext>,
    pub budget: Arc<Budget>,
}

impl Stage {
    /// Says whether no more items begin: a ceiling is reached, a provider refuses every call, or a
    /// person stopped the experiment.
    pub fn is_stopping(&self) -> bool {
        self.budget.is_exhausted() || self.context.stop.is_set()
    }

    /// Returns a call that the budget pays for and a stop gives up.
    pub(in crate::experiments) fn call<'a>(
        &'a self,
        seat: &'a ReadyModel,
        request: &'a Request,
        worst_case: WorstCase,
    ) -> PaidCall<'a> {
        PaidCall {
            seat,
            request,
            worst_case,
            budget: &self.budget,
            cancel: &self.context.stop.give_up,
        }
    }
}

/// Performs what is missing of an experiment, until nothing is, a ceiling is reached or it is stopped. An
/// item that was begun comes to its end; after an error all others are dropped.
///
/// # Errors
/// As those of the experiment. What was recorded stays.
pub async fn perform<'a, O: Send>(
    experiment: &mut dyn Experiment<'a, O>,
    context: &ExperimentContext,
) -> Result<ExperimentEnd> {
    let stage = Stage {
        budget: match &context.budget {
            Some(whole) => Arc::clone(whole),
            None => {
                let spent = experiment.spent(context)?;
                let budget = Budget::of_many(experiment.summary().ceilings, spent);
                Arc::new(budget.closed_by(context.stop.pause.clone()))
            }
        },
        context: Arc::new(context.clone()),
    };
    tokio::select! {
        performed = perform_items(experiment, &stage) => performed?,
        () = context.stop.give_up_late() => {}
    }
    let end = experiment.end(ExperimentEnd::of(&stage, experiment.missing()));
    experiment.close(&end).await?;
    Ok(end)
}

async fn perform_items<'a, O: Send>(
    experiment: &mut dyn Experiment<'a, O>,
    stage: &Stage,
) -> Result<()> {
    let mut doing: FuturesUnordered<BoxFuture<'a, O>> = FuturesUnordered::new();
    loop {
        while doing.len() < stage.context.concurrency.max(1) && !stage.is_stopping() {
            match experiment.open(stage).await? {
                Some(item) => doing.push(item),
                None => break,
            }
        }
        let Some(outcome) = doing.next().await else {
            return Ok(());
        };
        if let Some(left) = experiment.record(stage, outcome).await? {
            stage.context.observer.left(&LeftItem {
                name: &left.name,
                end: &left.end,
                spend: left.spend,
                counts: experiment.counts(),
            });
        }
    }
}
