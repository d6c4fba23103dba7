//! Experiments whose items are numbered when they begin: estimated, performed, resumed and summed up by
//! their plan and one function that performs an item.

use super::context::ExperimentContext;
use super::end::ExperimentEnd;
use super::log::{ExperimentJournal, ExperimentLog};
use super::observer::ItemEnd;
use super::perform::{Experiment, ItemReport, OpenedItem, Recorded, Stage, perform_experiment};
use crate::engine::cost::WorstCase;
use crate::engine::seats::ReadyModel;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_game::debate::{CostEstimate, Expense, SessionId, Spend};
use elenchus_model::{Reply, Request};
use elenchus_records::workspace::{
    ItemEvent, ItemPlan, ItemState, JournalKind, Result, WorkspaceError, sort_newest_first,
};
use elenchus_store::{Layout, StoreError};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Experiments that are looked through for one that goes on.
const MAX_COMPARED: usize = 64;

/// Performs the items of a plan.
pub trait ItemPerformer<P: ItemPlan>: Send + Sync {
    /// Returns what an item costs; `None` where that cannot be estimated. Sends nothing.
    fn estimate_item(
        &self,
        context: &ExperimentContext,
        plan: &P,
        item: u64,
    ) -> Option<CostEstimate>;

    /// Performs an item. It may be performed again after a failure, a stop or a kill.
    ///
    /// # Errors
    /// What ends the whole experiment, as a journal that cannot be written.
    fn perform_item<'p>(&'p self, item: OpenItem<P>) -> BoxFuture<'p, Result<ItemEnd<P::Outcome>>>;

    /// Returns what earlier parts used at most. Kinds whose items are experiments or sessions of their own
    /// ask those.
    ///
    /// # Errors
    /// When that cannot be known.
    fn sum_earlier_expense(
        &self,
        _context: &ExperimentContext,
        state: &ItemState<P>,
    ) -> Result<Expense> {
        Ok(state.committed_expense())
    }
}

/// An item that is performed.
pub struct OpenItem<P: ItemPlan> {
    pub stage: Stage,
    pub plan: Arc<P>,
    pub number: u64,
    journal: ExperimentJournal<ItemEvent<P>>,
    used: Arc<Mutex<Spend>>,
}

impl<P: ItemPlan> OpenItem<P> {
    /// Asks a model, once its worst case fits under the ceilings. The reply is paid for: whoever gets it
    /// counts it by returning an outcome that holds what matters of it.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn ask_model(
        &self,
        seat: &ReadyModel,
        request: &Request,
    ) -> Result<ItemEnd<Box<Reply>>> {
        let worst_case = WorstCase::from_request(&seat.settings, request);
        let start_event = async {
            self.journal.record_unsynced(&ItemEvent::CallStarted {
                item: self.number,
                worst_case: worst_case.to_expense(),
            })
        };
        let count_try = |_: &_, _, charge: WorstCase| {
            self.add_spend(Spend {
                in_doubt_usd: charge.to_expense().usd,
                in_doubt_tokens: charge.to_expense().tokens,
                failed_tries: charge.to_expense().calls,
                ..Spend::default()
            })
        };
        let answer = self
            .stage
            .ask_model(seat, request, worst_case, start_event, count_try);
        let answer = answer.await?;
        self.add_spend(answer.spend);
        Ok(answer.end)
    }

    /// Says that the item is played as a session that has begun. Whoever goes on after a kill counts what
    /// that session used.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn record_session(&self, session: &SessionId) -> Result<()> {
        self.journal.record_unsynced(&ItemEvent::Opened {
            item: self.number,
            session: session.clone(),
        })
    }

    /// Counts what the item used otherwise, as the sessions that it played.
    pub fn add_spend(&self, spend: Spend) {
        let mut total = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        *total = total.plus(spend);
    }
}

/// An experiment of numbered items that this process performs.
pub struct ItemExperiment<P: ItemPlan> {
    pub log: ExperimentLog<ItemEvent<P>>,
    /// Whether another process began it.
    pub is_resumed: bool,
}

impl<P: ItemPlan> ItemExperiment<P> {
    /// Returns the journal of an experiment of this kind.
    ///
    /// # Errors
    /// When the id cannot name one.
    pub fn journal_path(context: &ExperimentContext, id: &str) -> Result<PathBuf> {
        let folder = P::FOLDERS.first().copied().unwrap_or(P::KIND);
        Ok(context.store.layout.journal_in(Path::new(folder), id)?)
    }

    /// Begins an experiment; its plan is durable when this returns.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn begin(context: &ExperimentContext, plan: P) -> Result<Self> {
        let path = Self::journal_path(context, plan.id())?;
        let plan = Box::new(plan);
        let first_events = (ItemEvent::Begun { plan }, Vec::new());
        Ok(Self {
            log: ExperimentLog::begin_journal(&context.store, &path, first_events).await?,
            is_resumed: false,
        })
    }

    /// Goes on with the newest experiment for the same, unless it is complete or another process performs
    /// it; begins the plan otherwise.
    ///
    /// # Errors
    /// As [`begin`](Self::begin) and [`resume`](Self::resume).
    pub async fn resume_or_begin(
        context: &ExperimentContext,
        plan: P,
        is_same: impl Fn(&P) -> bool,
    ) -> Result<Self> {
        let folder = P::FOLDERS.first().copied().unwrap_or(P::KIND);
        let mut ids = Vec::new();
        for id in context.store.layout.list_names(folder)? {
            ids.push((Self::journal_path(context, &id)?, id));
        }
        sort_newest_first(&mut ids, |(path, id)| (id.clone(), path.clone()));
        for (_, id) in ids.iter().take(MAX_COMPARED) {
            // One that cannot be read is nothing to go on with; lists say so.
            let state = read_items::<P>(&Self::journal_path(context, id)?);
            let Some(known) = state.ok().filter(|known| is_same(&known.plan)) else {
                continue;
            };
            if known.completed {
                break;
            }
            match Self::resume(context, id, plan.ceilings()).await {
                Err(WorkspaceError::Store(StoreError::Locked { .. })) => break,
                resumed => return resumed,
            }
        }
        Self::begin(context, plan).await
    }

    /// Goes on with an experiment: what is done is not performed again. Ceilings that are given replace
    /// its own.
    ///
    /// # Errors
    /// When another process performs it, or its journal cannot be read.
    pub async fn resume(context: &ExperimentContext, id: &str, ceilings: Ceilings) -> Result<Self> {
        let path = Self::journal_path(context, id)?;
        Ok(Self {
            log: ExperimentLog::resume_journal(&context.store, &path, ceilings).await?,
            is_resumed: true,
        })
    }

    /// Counts what sessions used that were played when a process was killed, and their calls of models
    /// without prices.
    ///
    /// # Errors
    /// As those of `used`, and when the journal cannot be written.
    pub(in crate::experiments) async fn settle_sessions(
        &mut self,
        read_use: impl Fn(&SessionId) -> Result<(Expense, u64)>,
    ) -> Result<()> {
        for (item, session) in self.log.state.sessions.clone() {
            let (expense, unpriced_calls) = read_use(&session)?;
            let event = ItemEvent::Left {
                item,
                used: expense,
                unpriced_calls,
            };
            self.log.record_event(event).await?;
        }
        Ok(())
    }

    /// Performs every item that is not done.
    ///
    /// # Errors
    /// When its journal cannot be written.
    pub async fn perform_missing(
        &mut self,
        context: &ExperimentContext,
        performer: &dyn ItemPerformer<P>,
    ) -> Result<ExperimentEnd> {
        let mut open = OpenItems {
            waiting: self.log.state.missing_items().collect(),
            plan: Arc::new(self.log.state.plan.clone()),
            performer,
        };
        perform_experiment(&mut self.log, &mut open, context).await
    }
}

/// Returns what items of a plan cost together; `None` where one cannot be estimated.
pub fn estimate_items<P: ItemPlan>(
    context: &ExperimentContext,
    plan: &P,
    items: impl Iterator<Item = u64>,
    performer: &dyn ItemPerformer<P>,
) -> Option<CostEstimate> {
    let estimates = items.map(|item| performer.estimate_item(context, plan, item));
    estimates.sum()
}

/// Reads the plan of an experiment of a store.
///
/// # Errors
/// As [`read_items`].
pub fn read_plan<P: ItemPlan>(layout: &Layout, id: &str) -> Result<P> {
    Ok(read_state::<P>(layout, id)?.plan)
}

/// Reads how far such an experiment is, without its lock. Blocks.
///
/// # Errors
/// As [`read_items`].
pub(in crate::experiments) fn read_state<P: ItemPlan>(
    layout: &Layout,
    id: &str,
) -> Result<ItemState<P>> {
    read_items::<P>(&plan_path::<P>(layout, id)?)
}

/// Returns the journal of such an experiment.
///
/// # Errors
/// When no journal can have this id.
pub fn plan_path<P: ItemPlan>(layout: &Layout, id: &str) -> Result<PathBuf> {
    let folder = P::FOLDERS.first().copied().unwrap_or(P::KIND);
    Ok(layout.journal_in(Path::new(folder), id)?)
}

/// Reads the journal of such an experiment, without its lock. Blocks.
///
/// # Errors
/// When it cannot be read.
pub fn read_items<P: ItemPlan>(path: &Path) -> Result<ItemState<P>> {
    ItemEvent::<P>::read_state(path)
}

/// Performs every item of a plan as a part of another experiment, which keeps what came of it and whose budget
/// is used.
///
/// # Errors
/// As those of the items.
pub(in crate::experiments) async fn perform_part<P: ItemPlan>(
    plan: P,
    stage: &Stage,
    performer: &dyn ItemPerformer<P>,
) -> Result<ItemState<P>> {
    let plan = Box::new(plan);
    let log = ExperimentLog::new_part(&stage.context.store, &ItemEvent::Begun { plan })?;
    let mut part = ItemExperiment {
        log,
        is_resumed: false,
    };
    let context = stage.context.with_budget(&stage.budget);
    part.perform_missing(&context, performer).await?;
    Ok(part.log.state)
}

/// Items that are to be performed.
struct OpenItems<'a, P: ItemPlan> {
    plan: Arc<P>,
    performer: &'a dyn ItemPerformer<P>,
    waiting: VecDeque<u64>,
}

impl<'a, P: ItemPlan> Experiment<'a> for OpenItems<'a, P> {
    type Event = ItemEvent<P>;
    type Outcome = (u64, ItemEnd<P::Outcome>, Spend);

    fn sum_earlier_expense(
        &self,
        state: &ItemState<P>,
        context: &ExperimentContext,
    ) -> Result<Expense> {
        self.performer.sum_earlier_expense(context, state)
    }

    fn open_next_item<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<Self::Event>,
        stage: &'s Stage,
    ) -> OpenedItem<'s, 'a, Self::Outcome> {
        let item = self.waiting.pop_front().map(|number| {
            let item_spend = Arc::new(Mutex::new(Spend::default()));
            let item = OpenItem {
                stage: stage.clone(),
                plan: Arc::clone(&self.plan),
                number,
                journal: log.journal(),
                used: Arc::clone(&item_spend),
            };
            let performer = self.performer;
            async move {
                let end = performer.perform_item(item).await?;
                let item_spend = *item_spend.lock().unwrap_or_else(PoisonError::into_inner);
                Ok((number, end, item_spend))
            }
            .boxed()
        });
        Box::pin(async move { Ok(item) })
    }

    fn record_outcome<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<Self::Event>,
        _: &'s Stage,
        (item, end, spend): Self::Outcome,
    ) -> Recorded<'s> {
        let item_left = ItemReport {
            name: self.plan.item_name(item),
            end: end.to_plain_end(),
            spend,
        };
        let (expense, unpriced_calls) = (spend.to_expense(), spend.unpriced_calls);
        let event = match end {
            ItemEnd::Done(outcome) => ItemEvent::Done {
                item,
                outcome,
                used: expense,
                unpriced_calls,
            },
            ItemEnd::Failed(why) => ItemEvent::Failed {
                item,
                why,
                used: expense,
                unpriced_calls,
            },
            ItemEnd::Unfinished => ItemEvent::Left {
                item,
                used: expense,
                unpriced_calls,
            },
        };
        Box::pin(async move {
            log.record_event(event).await?;
            Ok(Some(item_left))
        })
    }

    fn count_missing(&self, state: &ItemState<P>) -> usize {
        state.missing_items().count()
    }
}
