//! Loop of every experiment: items are opened under one budget while there is room, and performed side
//! by side.

use super::context::ExperimentContext;
use super::end::ExperimentEnd;
use super::log::ExperimentLog;
use super::observer::{EndedItem, ItemEnd};
use crate::engine::cost::{Budget, WorstCase, reply_expense};
use crate::engine::paid_call::{PaidCall, PaidReply};
use crate::engine::seats::ReadyModel;
use elenchus_game::debate::{Expense, Spend};
use elenchus_model::{CallError, CallErrorKind, Reply, Request};
use elenchus_records::workspace::{ExperimentEvent, ItemCounts, JournalKind, Result};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use std::sync::Arc;

/// State that the events of an experiment come to.
pub(in crate::experiments) type StateOf<E> = <E as JournalKind>::State;

/// What a kind of experiment says of itself: its items are opened one at a time, because which follows may
/// depend on the outcome of earlier ones. Its journal is the engine's, which begins, resumes and closes it.
/// (Boxed futures, because those of an `async fn` in a trait are not known to be `Send` for every lifetime.)
pub(in crate::experiments) trait Experiment<'a>: Send {
    /// Events of its journal.
    type Event: ExperimentEvent<State: Send + Sync> + Send + Sync;
    /// What an item comes to.
    type Outcome: Send;

    /// Returns what earlier parts of it used at most.
    ///
    /// # Errors
    /// When that cannot be known.
    fn sum_earlier_expense(
        &self,
        state: &StateOf<Self::Event>,
        context: &ExperimentContext,
    ) -> Result<Expense>;

    /// Returns how many items there are, and how far they are.
    fn count_items(&self, state: &StateOf<Self::Event>) -> ItemCounts {
        Self::Event::summarize(state).items
    }

    /// Opens the next item; `None` where none can begin now. It is asked again once another item has
    /// come to its end, and not at all once the experiment stops. An error of the item ends the whole
    /// experiment.
    ///
    /// # Errors
    /// What ends the whole experiment, as a journal that cannot be written.
    fn open_next_item<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<Self::Event>,
        stage: &'s Stage,
    ) -> OpenedItem<'s, 'a, Self::Outcome>;

    /// Records the outcome of an item, durable when this returns. Returns the item, where that ended it.
    ///
    /// # Errors
    /// As [`open_next_item`](Self::open_next_item).
    fn record_outcome<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<Self::Event>,
        stage: &'s Stage,
        outcome: Self::Outcome,
    ) -> Recorded<'s>;

    /// Returns how many of its items are missing once no more are opened.
    fn count_missing(&self, state: &StateOf<Self::Event>) -> usize;

    /// Returns its end, where more is known of it than what is missing.
    fn adjust_end(&self, _: &StateOf<Self::Event>, end: ExperimentEnd) -> ExperimentEnd {
        end
    }
}

/// What [`Experiment::open_next_item`] returns.
pub(in crate::experiments) type OpenedItem<'s, 'a, O> =
    BoxFuture<'s, Result<Option<BoxFuture<'a, Result<O>>>>>;
/// What [`Experiment::record_outcome`] returns.
pub(in crate::experiments) type Recorded<'s> = BoxFuture<'s, Result<Option<ItemReport>>>;

/// An item that is over, for observers.
#[derive(Debug, Clone)]
pub struct ItemReport {
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

    /// Asks a model, once the worst case of that fits under the ceilings; a stop gives it up. `started` is
    /// awaited before it is sent, `retried` is called with each failed try.
    ///
    /// # Errors
    /// When `started` does.
    pub(in crate::experiments) async fn ask_model(
        &self,
        seat: &ReadyModel,
        request: &Request,
        worst_case: WorstCase,
        start_event: impl Future<Output = Result<()>>,
        on_retry: impl Fn(&CallError, u64, WorstCase) + Send + Sync,
    ) -> Result<Asked> {
        let call = PaidCall {
            seat,
            request,
            worst_case,
            budget: &self.budget,
            cancel: &self.context.stop.give_up,
        };
        let mut is_filtered = false;
        let (end, charge) = match call.send(start_event, on_retry).await? {
            PaidReply::Replied(reply) => {
                let reply_use = reply_expense(&seat.settings, &reply);
                let is_unpriced = seat.settings.cost_usd(&reply).is_none();
                return Ok(Asked {
                    end: ItemEnd::Done(reply),
                    spend: Spend {
                        calls: reply_use.calls,
                        input_tokens: reply_use.tokens,
                        cost_usd: reply_use.usd,
                        unpriced_calls: u64::from(is_unpriced),
                        ..Spend::default()
                    },
                    charge: WorstCase::NOTHING,
                    filtered: is_filtered,
                });
            }
            PaidReply::Failed { error, charge } => {
                is_filtered = error.kind == CallErrorKind::ContentFilter;
                match error.kind {
                    CallErrorKind::Cancelled => (ItemEnd::Unfinished, charge),
                    _ => (ItemEnd::Failed(error.to_string()), charge),
                }
            }
            PaidReply::Refused | PaidReply::NotSent => (ItemEnd::Unfinished, WorstCase::NOTHING),
        };
        let doubt = charge.to_expense();
        Ok(Asked {
            end,
            spend: Spend {
                in_doubt_usd: doubt.usd,
                in_doubt_calls: doubt.calls,
                in_doubt_tokens: doubt.tokens,
                ..Spend::default()
            },
            charge,
            filtered: is_filtered,
        })
    }
}

/// What came of a call.
pub(in crate::experiments) struct Asked {
    pub end: ItemEnd<Box<Reply>>,
    /// What it used; a call that failed counts by what it may have used.
    pub spend: Spend,
    /// What a call that failed may have used.
    pub charge: WorstCase,
    /// Whether the provider's filter refused it.
    pub filtered: bool,
}

/// Performs what is missing of an experiment, until nothing is, a ceiling is reached or it is stopped. An
/// item that was begun comes to its end; after an error all others are dropped.
///
/// # Errors
/// As those of the experiment. What was recorded stays.
pub(in crate::experiments) fn perform_experiment<'p, 'a: 'p, X: Experiment<'a>>(
    log: &'p mut ExperimentLog<X::Event>,
    experiment: &'p mut X,
    context: &'p ExperimentContext,
) -> BoxFuture<'p, Result<ExperimentEnd>> {
    Box::pin(perform_under_budget(log, experiment, context))
}

async fn perform_under_budget<'a, X: Experiment<'a>>(
    log: &mut ExperimentLog<X::Event>,
    experiment: &mut X,
    context: &ExperimentContext,
) -> Result<ExperimentEnd> {
    let stage = Stage {
        budget: match &context.budget {
            Some(whole) => Arc::clone(whole),
            None => {
                let earlier_expense = experiment.sum_earlier_expense(&log.state, context)?;
                let budget = Budget::new_unattended(log.summarize().ceilings, earlier_expense);
                Arc::new(budget.with_pause(context.stop.pause.clone()))
            }
        },
        context: Arc::new(context.clone()),
    };
    tokio::select! {
        performed = perform_items(log, experiment, &stage) => performed?,
        () = context.stop.give_up_after_wait() => {}
    }
    let end = ExperimentEnd::from_stage(&stage, experiment.count_missing(&log.state));
    let end = experiment.adjust_end(&log.state, end);
    log.record_end(&end).await?;
    Ok(end)
}

async fn perform_items<'a, X: Experiment<'a>>(
    log: &mut ExperimentLog<X::Event>,
    experiment: &mut X,
    stage: &Stage,
) -> Result<()> {
    let mut running_items = FuturesUnordered::new();
    loop {
        while running_items.len() < stage.context.concurrency.max(1) && !stage.is_stopping() {
            match experiment.open_next_item(log, stage).await? {
                Some(item) => running_items.push(item),
                None => break,
            }
        }
        let Some(outcome) = running_items.next().await else {
            return Ok(());
        };
        if let Some(item_left) = experiment.record_outcome(log, stage, outcome?).await? {
            stage.context.observer.on_item_end(&EndedItem {
                name: &item_left.name,
                end: &item_left.end,
                spend: item_left.spend,
                counts: experiment.count_items(&log.state),
            });
        }
    }
}
