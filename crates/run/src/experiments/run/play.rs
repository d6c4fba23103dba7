//! Play of a run: debates side by side, batch by batch where debates learn from earlier ones.

use super::guardrail_acceptance::GuardrailAcceptance;
use super::item::{DebateEnd, PlayedDebate, RunDebate};
use super::placebo::{OthersRewards, find_others_rewards};
use super::training::Adapters;
use crate::engine::cost::Estimator;
use crate::experiments::engine::{
    Experiment, ExperimentContext, ExperimentEnd, ExperimentLog, ItemEnd, ItemReport, OpenedItem,
    PauseCause, Recorded, Stage,
};
use elenchus_game::debate::Expense;
use elenchus_records::library::Game;
use elenchus_records::workspace::memory::MemoryBook;
use elenchus_records::workspace::run::{RunEvent, RunItem, RunState};
use elenchus_records::workspace::{Result, WorkspaceError};
use futures_util::FutureExt;
use std::collections::VecDeque;
use std::sync::Arc;

/// Debates of a run that are not finished.
pub(super) struct OpenDebates<'r> {
    game: &'r Game,
    estimator: &'r mut Estimator,
    memory: Option<Arc<MemoryBook>>,
    /// In the order of their batches.
    waiting: VecDeque<RunItem>,
    /// Debates of the batch whose lessons are written from the rewards of the others.
    without_lessons: VecDeque<RunItem>,
    /// All debates of the batch were played as far as they go: the rewards that there are, are known.
    swaps_rewards: bool,
    batch: Batch,
    under_way: usize,
    /// A debate can be resumed, so that a later batch must not begin.
    has_unfinished: bool,
    adapters: Adapters,
}

/// Batch of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Batch {
    /// An earlier process played it, and may have been stopped before what it proposed was accepted.
    Before(Option<u32>),
    Played(Option<u32>),
}

impl<'r> OpenDebates<'r> {
    pub(super) fn new(
        state: &RunState,
        (game, estimator): (&'r Game, &'r mut Estimator),
        memory: Option<Arc<MemoryBook>>,
    ) -> Self {
        let items = state.items.iter();
        let open = items.filter(|item| !state.finished.contains_key(&item.item));
        let mut open: Vec<RunItem> = open.cloned().collect();
        open.sort_by_key(|item| item.batch);
        let before = match open.first() {
            Some(first) => first.batch.and_then(|first| first.checked_sub(1)),
            None => state.items.iter().filter_map(|item| item.batch).max(),
        };
        Self {
            batch: Batch::Before(before),
            game,
            estimator,
            memory,
            waiting: open.into(),
            without_lessons: VecDeque::new(),
            swaps_rewards: false,
            under_way: 0,
            has_unfinished: false,
            adapters: Adapters::default(),
        }
    }

    /// Takes the next debate of the batch that is played. A later batch learns from this one, so it begins
    /// when this one is over; a debate that failed teaches nothing and delays no other.
    async fn take_next_item(
        &mut self,
        log: &mut ExperimentLog<RunEvent>,
        stage: &Stage,
    ) -> Result<Option<(RunItem, OthersRewards)>> {
        loop {
            let next = self.waiting.front().map(|next| Batch::Played(next.batch));
            if next == Some(self.batch) {
                let item = self.waiting.pop_front();
                return Ok(item.map(|item| (item, OthersRewards::NotAsked)));
            }
            if self.swaps_rewards
                && !stage.is_stopping()
                && let Some(item) = self.without_lessons.pop_front()
            {
                let layout = &stage.context.store.layout;
                let rewards = find_others_rewards(&log.state, layout, &item)?;
                return Ok(Some((item, OthersRewards::Asked(rewards))));
            }
            if self.under_way > 0 || self.has_unfinished || self.adapters.failure().is_some() {
                return Ok(None);
            }
            if !self.without_lessons.is_empty() {
                if stage.is_stopping() {
                    return Ok(None);
                }
                self.swaps_rewards = true;
                continue;
            }
            self.swaps_rewards = false;
            let (Batch::Before(over) | Batch::Played(over)) = self.batch;
            self.accept_guardrails(&log.state, stage, over).await?;
            match next {
                Some(next) if !stage.is_stopping() => {
                    if !self.train_adapters(next, log, stage).await? {
                        return Ok(None);
                    }
                    self.batch = next;
                }
                Some(_) | None => return Ok(None),
            }
        }
    }

    /// Trains what is due before a batch; returns whether it can begin.
    async fn train_adapters(
        &mut self,
        next: Batch,
        log: &mut ExperimentLog<RunEvent>,
        stage: &Stage,
    ) -> Result<bool> {
        let (Batch::Before(next) | Batch::Played(next)) = next;
        let (Some(next), Some(memory)) = (next, &self.memory) else {
            return Ok(true);
        };
        self.adapters.train_before(next, (log, stage), memory).await
    }

    /// Accepts what batches up to this one proposed, where the run has a threshold for that.
    async fn accept_guardrails(
        &self,
        state: &RunState,
        stage: &Stage,
        up_to: Option<u32>,
    ) -> Result<()> {
        let (Some(rule), Some(first), Some(memory), Some(_)) = (
            &state.manifest.accept,
            state.items.first(),
            &self.memory,
            up_to,
        ) else {
            return Ok(());
        };
        let acceptance = GuardrailAcceptance {
            stage,
            memory,
            rule,
            created: state.manifest.build_first_event(first),
            up_to,
        };
        match acceptance.test_and_accept().await {
            Err(WorkspaceError::Retrieve(error)) => {
                stage.budget.note_lost_search(&error);
                match stage.is_stopping() {
                    true => Ok(()),
                    false => Err(error.into()),
                }
            }
            // What could not be tested stays proposed; the run pauses by its own rules.
            Err(_) if stage.is_stopping() => Ok(()),
            came => came,
        }
    }
}

impl Experiment<'static> for OpenDebates<'_> {
    type Event = RunEvent;
    type Outcome = PlayedDebate;

    fn sum_earlier_expense(
        &self,
        state: &RunState,
        context: &ExperimentContext,
    ) -> Result<Expense> {
        super::sum_run_expense(state, context)
    }

    fn open_next_item<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<RunEvent>,
        stage: &'s Stage,
    ) -> OpenedItem<'s, 'static, PlayedDebate> {
        Box::pin(async move {
            let next = self.take_next_item(log, stage).await?;
            let Some((item, others_rewards)) = next else {
                return Ok(None);
            };
            self.under_way += 1;
            let mut created = log.state.build_first_event(&item);
            let memory = self.memory.as_deref();
            self.adapters
                .note_known_topic(&mut created, &log.state, memory);
            self.estimator
                .add_estimate(&mut created, self.game, item.cast);
            let debate = RunDebate {
                stage: stage.clone(),
                game: self.game.clone(),
                memory: self.memory.clone(),
                created,
                item,
                others_rewards,
            };
            Ok(Some(debate.play_on_task().boxed()))
        })
    }

    fn record_outcome<'s>(
        &'s mut self,
        log: &'s mut ExperimentLog<RunEvent>,
        _: &'s Stage,
        PlayedDebate { item, end, spend }: PlayedDebate,
    ) -> Recorded<'s> {
        self.under_way -= 1;
        let end = match end {
            DebateEnd::Left(end) => end,
            DebateEnd::AwaitsRewards => {
                // What it cost until now counts, whether or not the run comes to its lessons.
                let item_left = ItemReport {
                    name: item.topic.id.clone(),
                    end: ItemEnd::Unfinished,
                    spend,
                };
                self.without_lessons.push_back(item);
                return Box::pin(async { Ok(Some(item_left)) });
            }
        };
        let item_left = ItemReport {
            name: item.topic.id,
            end: end.to_plain_end(),
            spend,
        };
        Box::pin(async move {
            match end {
                ItemEnd::Unfinished => self.has_unfinished = true,
                ItemEnd::Failed(why) => {
                    let (item, session) = (item.item, item.session);
                    log.record_event(RunEvent::Failed { item, session, why })
                        .await?;
                }
                ItemEnd::Done(finished) => log.record_event(RunEvent::Finished(finished)).await?,
            }
            Ok(Some(item_left))
        })
    }

    fn count_missing(&self, state: &RunState) -> usize {
        state.items.len() - state.finished.len()
    }

    fn adjust_end(&self, state: &RunState, end: ExperimentEnd) -> ExperimentEnd {
        let has_untried = self.count_missing(state) > state.failed.len();
        if let Some(why) = self.adapters.failure() {
            return ExperimentEnd::Paused(PauseCause::TrainingFailed(why.to_owned()));
        }
        match end {
            // A person left their debate.
            ExperimentEnd::WithFailures(_) if has_untried => ExperimentEnd::from_stop(),
            end => end,
        }
    }
}
