//! Experiments whose items are numbered when they begin: estimated, performed, resumed and summed up by
//! their plan and one function that performs an item.

use super::context::ExperimentContext;
use super::end::ExperimentEnd;
use super::log::{ExperimentJournal, ExperimentLog};
use super::observer::ItemEnd;
use super::perform::{Experiment, ItemLeft, Opened, Recorded, Stage, perform};
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
    fn estimate(&self, context: &ExperimentContext, plan: &P, item: u64) -> Option<CostEstimate>;

    /// Performs an item. It may be performed again after a failure, a stop or a kill.
    ///
    /// # Errors
    /// What ends the whole experiment, as a journal that cannot be written.
    fn perform<'p>(&'p self, item: OpenItem<P>) -> BoxFuture<'p, Result<ItemEnd<P::Outcome>>>;

    /// Returns what earlier parts used at most. Kinds whose items are experiments or sessions of their own
    /// ask those.
    ///
    /// # Errors
    /// When that cannot be known.
    fn spent(&self, _context: &ExperimentContext, state: &ItemState<P>) -> Result<Expense> {
        Ok(state.committed())
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
    pub async fn ask(&self, seat: &ReadyModel, request: &Request) -> Result<ItemEnd<Box<Reply>>> {
        let worst_case = WorstCase::for_request(&seat.settings, request);
        let started = async {
            self.journal.note_soon(&ItemEvent::CallStarted {
                item: self.number,
                worst_case: worst_case.expense(),
            })
        };
        let retried = |_: &_, _, charge: WorstCase| {
            self.count(Spend {
                in_doubt_usd: charge.expense().usd,
                in_doubt_tokens: charge.expense().tokens,
                failed_tries: charge.expense().calls,
                ..Spend::default()
            })
        };
        let asked = self.stage.ask(seat, request, worst_case, started, retried);
        let asked = asked.await?;
        self.count(asked.spend);
        Ok(asked.end)
    }

    /// Says that the item is played as a session that has begun. Whoever goes on after a kill counts what
    /// that session used.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn opened(&self, session: &SessionId) -> Result<()> {
        self.journal.note_soon(&ItemEvent::Opened {
            item: self.number,
            session: session.clone(),
        })
    }

    /// Counts what the item used otherwise, as the sessions that it played.
    pub fn count(&self, spend: Spend) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used = used.plus(spend);
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
    pub fn path(context: &ExperimentContext, id: &str) -> Result<PathBuf> {
        let folder = P::FOLDERS.first().copied().unwrap_or(P::KIND);
        Ok(context.desk.layout.journal_in(Path::new(folder), id)?)
    }

    /// Begins an experiment; its plan is durable when this returns.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn begin(context: &ExperimentContext, plan: P) -> Result<Self> {
        let path = Self::path(context, plan.id())?;
        let plan = Box::new(plan);
        let begun = (ItemEvent::Begun { plan }, Vec::new());
        Ok(Self {
            log: ExperimentLog::begin(&context.desk, &path, begun).await?,
            is_resumed: false,
        })
    }

    /// Goes on with the newest experiment for the same, unless it is complete or another process performs
    /// it; begins the plan otherwise.
    ///
    /// # Errors
    /// As [`begin`](Self::begin) and [`resume`](Self::resume).
    pub async fn go_on_or_begin(
        context: &ExperimentContext,
        plan: P,
        is_same: impl Fn(&P) -> bool,
    ) -> Result<Self> {
        let folder = P::FOLDERS.first().copied().unwrap_or(P::KIND);
        let mut ids = Vec::new();
        for id in context.desk.layout.names(folder)? {
            ids.push((Self::path(context, &id)?, id));
        }
        sort_newest_first(&mut ids, |(path, id)| (id.clone(), path.clone()));
        for (_, id) in ids.iter().take(MAX_COMPARED) {
            // One that cannot be read is nothing to go on with; lists say so.
            let known = read_items::<P>(&Self::path(context, id)?);
            let Some(known) = known.ok().filter(|known| is_same(&known.plan)) else {
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
        let path = Self::path(context, id)?;
        Ok(Self {
            log: ExperimentLog::resume(&context.desk, &path, ceilings).await?,
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
        used: impl Fn(&SessionId) -> Result<(Expense, u64)>,
    ) -> Result<()> {
        for (item, session) in self.log.state.sessions.clone() {
            let (used, unpriced_calls) = used(&session)?;
            let left = ItemEvent::Left {
                item,
                used,
                unpriced_calls,
            };
            self.log.note(left).await?;
        }
        Ok(())
    }

    /// Performs every item that is not done.
    ///
    /// # Errors
    /// When its journal cannot be written.
    pub async fn play(
        &mut self,
        context: &ExperimentContext,
        performer: &dyn ItemPerformer<P>,
    ) -> Result<ExperimentEnd> {
        let mut open = OpenItems {
            waiting: self.log.state.missing().collect(),
            plan: Arc::new(self.log.state.plan.clone()),
            performer,
        };
        perform(&mut self.log, &mut open, context).await
    }
}

/// Returns what items of a plan cost together; `None` where one cannot be estimated.
pub fn estimate_items<P: ItemPlan>(
    context: &ExperimentContext,
    plan: &P,
    items: impl Iterator<Item = u64>,
    performer: &dyn ItemPerformer<P>,
) -> Option<CostEstimate> {
    let estimates = items.map(|item| performer.estimate(context, plan, item));
    estimates.sum()
}

/// Reads the plan of an experiment of a store.
///
/// # Errors
/// As [`read_items`].
pub fn read_plan<P: ItemPlan>(layout: &Layout, id: &str) -> Result<P> {
    let folder = P::FOLDERS.first().copied().unwrap_or(P::KIND);
    Ok(read_items::<P>(&layout.journal_in(Path::new(folder), id)?)?.plan)
}

/// Reads the journal of such an experiment, without its lock. Blocks.
///
/// # Errors
/// When it cannot be read.
pub fn read_items<P: ItemPlan>(path: &Path) -> Result<ItemState<P>> {
    ItemEvent::<P>::read(path)
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
    let log = ExperimentLog::without_journal(&stage.context.desk, &ItemEvent::Begun { plan })?;
    let mut part = ItemExperiment {
        log,
        is_resumed: false,
    };
    let context = stage.context.under(&stage.budget);
    part.play(&context, performer).await?;
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

    fn spent(&self, state: &ItemState<P>, context: &ExperimentContext) -> Result<Expense> {
        self.performer.spent(context, state)
    }

    fn open<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<Self::Event>,
        stage: &'s Stage,
    ) -> Opened<'s, 'a, Self::Outcome> {
        let item = self.waiting.pop_front().map(|number| {
            let used = Arc::new(Mutex::new(Spend::default()));
            let item = OpenItem {
                stage: stage.clone(),
                plan: Arc::clone(&self.plan),
                number,
                journal: log.journal(),
                used: Arc::clone(&used),
            };
            let performer = self.performer;
            async move {
                let end = performer.perform(item).await?;
                let used = *used.lock().unwrap_or_else(PoisonError::into_inner);
                Ok((number, end, used))
            }
            .boxed()
        });
        Box::pin(async move { Ok(item) })
    }

    fn record<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<Self::Event>,
        _: &'s Stage,
        (item, end, spend): Self::Outcome,
    ) -> Recorded<'s> {
        let left = ItemLeft {
            name: self.plan.item_name(item),
            end: end.bare(),
            spend,
        };
        let (used, unpriced_calls) = (spend.expense(), spend.unpriced_calls);
        let event = match end {
            ItemEnd::Done(outcome) => ItemEvent::Done {
                item,
                outcome,
                used,
                unpriced_calls,
            },
            ItemEnd::Failed(why) => ItemEvent::Failed {
                item,
                why,
                used,
                unpriced_calls,
            },
            ItemEnd::Unfinished => ItemEvent::Left {
                item,
                used,
                unpriced_calls,
            },
        };
        Box::pin(async move {
            log.note(event).await?;
            Ok(Some(left))
        })
    }

    fn missing(&self, state: &ItemState<P>) -> usize {
        state.missing().count()
    }
}
