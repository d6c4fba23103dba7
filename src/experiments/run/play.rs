//! Play of a run: debates side by side, batch by batch where debates learn from earlier ones.

use super::Run;
use super::guardrail_acceptance::GuardrailAcceptance;
use super::item::{DebateEnd, PlayedDebate, RunDebate};
use crate::debate::Expense;
use crate::experiments::engine::{
    Closed, Experiment, ExperimentContext, ExperimentEnd, ItemEnd, ItemLeft, Opened, Recorded,
    Stage,
};
use crate::workspace::memory::MemoryBook;
use crate::workspace::run::{RunEvent, RunItem};
use crate::workspace::{ExperimentEvent, ExperimentSummary, Result};
use futures_util::FutureExt;
use std::collections::VecDeque;
use std::sync::Arc;

/// Debates of a run that are not finished.
pub(super) struct OpenDebates<'r> {
    run: &'r mut Run,
    memory: Option<Arc<MemoryBook>>,
    /// In the order of their batches.
    waiting: VecDeque<RunItem>,
    batch: Batch,
    under_way: usize,
    /// A debate can be resumed, so that a later batch must not begin.
    unfinished: bool,
}

/// Batch of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Batch {
    /// An earlier process played it, and may have been stopped before what it proposed was accepted.
    Before(Option<u32>),
    Played(Option<u32>),
}

impl<'r> OpenDebates<'r> {
    pub(super) fn new(run: &'r mut Run, memory: Option<Arc<MemoryBook>>) -> Self {
        let state = &run.log.state;
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
            run,
            memory,
            waiting: open.into(),
            under_way: 0,
            unfinished: false,
        }
    }

    /// Takes the next debate of the batch that is played. A later batch learns from this one, so it begins
    /// when this one is over; a debate that failed teaches nothing and delays no other.
    async fn next(&mut self, stage: &Stage) -> Result<Option<RunItem>> {
        loop {
            let next = self.waiting.front().map(|next| Batch::Played(next.batch));
            if next == Some(self.batch) {
                return Ok(self.waiting.pop_front());
            }
            if self.under_way > 0 || self.unfinished {
                return Ok(None);
            }
            let (Batch::Before(over) | Batch::Played(over)) = self.batch;
            self.accept_guardrails(stage, over).await?;
            match next {
                Some(next) if !stage.is_stopping() => self.batch = next,
                Some(_) | None => return Ok(None),
            }
        }
    }

    /// Accepts what batches up to this one proposed, where the run has a threshold for that.
    async fn accept_guardrails(&self, stage: &Stage, up_to: Option<u32>) -> Result<()> {
        let state = &self.run.log.state;
        let (Some(rule), Some(first), Some(memory), Some(_)) = (
            &state.manifest.accept,
            state.items.first(),
            &self.memory,
            up_to,
        ) else {
            return Ok(());
        };
        let accepting = GuardrailAcceptance {
            stage,
            memory,
            rule,
            created: state.manifest.created(first),
            up_to,
        };
        match accepting.test_and_accept().await {
            // What could not be tested stays proposed; the run pauses by its own rules.
            Err(_) if stage.is_stopping() => Ok(()),
            came => came,
        }
    }
}

impl Experiment<'static, PlayedDebate> for OpenDebates<'_> {
    fn summary(&self) -> ExperimentSummary {
        RunEvent::summary(&self.run.log.state)
    }

    fn spent(&self, context: &ExperimentContext) -> Result<Expense> {
        super::spent(&self.run.log.state, context)
    }

    fn open<'s>(&'s mut self, stage: &'s Stage) -> Opened<'s, 'static, PlayedDebate> {
        Box::pin(async move {
            let Some(item) = self.next(stage).await? else {
                return Ok(None);
            };
            self.under_way += 1;
            let debate = RunDebate {
                stage: stage.clone(),
                game: self.run.game.clone(),
                memory: self.memory.clone(),
                created: self.run.created(&item),
                item,
            };
            Ok(Some(debate.play().boxed()))
        })
    }

    fn record<'s>(&'s mut self, _: &'s Stage, played: PlayedDebate) -> Recorded<'s> {
        Box::pin(async move {
            self.under_way -= 1;
            let item = played.item;
            let (end, event) = match played.end {
                DebateEnd::Unfinished => {
                    self.unfinished = true;
                    (ItemEnd::Unfinished, None)
                }
                DebateEnd::Failed(why) => {
                    let event = RunEvent::Failed {
                        item: item.item,
                        session: item.session.clone(),
                        why: why.clone(),
                    };
                    (ItemEnd::Failed(why), Some(event))
                }
                DebateEnd::Done(finished) => (ItemEnd::Done, Some(RunEvent::Finished(finished))),
            };
            if let Some(event) = event {
                self.run.log.note(event).await?;
            }
            Ok(Some(ItemLeft {
                name: item.topic.id,
                end,
                spend: played.spend,
            }))
        })
    }

    fn missing(&self) -> usize {
        let state = &self.run.log.state;
        state.items.len() - state.finished.len()
    }

    fn end(&self, end: ExperimentEnd) -> ExperimentEnd {
        let untried = self.missing() > self.run.log.state.failed.len();
        match end {
            // A person left their debate.
            ExperimentEnd::WithFailures(_) if untried => ExperimentEnd::stopped(),
            end => end,
        }
    }

    fn close<'s>(&'s mut self, end: &'s ExperimentEnd) -> Closed<'s> {
        Box::pin(self.run.log.close(end))
    }
}
