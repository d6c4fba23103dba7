//! Batch of a run: debates that play side by side, each on a task of its own.

use super::item::{PlayedDebate, RunDebate};
use super::{Floor, ItemEnd, Run};
use crate::engine::cost::Budget;
use crate::experiments::engine::{Opened, Work};
use crate::workspace::WorkspaceError;
use crate::workspace::memory::MemoryBook;
use crate::workspace::run::RunItem;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Debates of one batch that are not finished.
pub(super) struct Batch<'w> {
    pub run: &'w mut Run,
    pub floor: &'w Floor,
    pub budget: &'w Arc<Budget>,
    pub memory: Option<&'w Arc<MemoryBook>>,
    pub waiting: std::vec::IntoIter<RunItem>,
    /// A debate of it can be resumed: the ceiling was reached or the run was cancelled.
    pub unfinished: bool,
}

type Left = (RunItem, PlayedDebate);

impl Work<'static, Left> for Batch<'_> {
    fn open(&mut self) -> Opened<'_, 'static, Left> {
        Box::pin(async move {
            if self.budget.is_exhausted() || self.floor.cancel.is_cancelled() {
                return Ok(None);
            }
            let Some(item) = self.waiting.next() else {
                return Ok(None);
            };
            let debate = RunDebate {
                floor: self.floor.clone(),
                game: self.run.game.clone(),
                budget: Arc::clone(self.budget),
                memory: self.memory.cloned(),
                created: self.run.created(&item),
            };
            Ok(Some(play(item, debate).boxed()))
        })
    }

    fn record(&mut self, (item, played): Left) -> BoxFuture<'_, Result<(), WorkspaceError>> {
        Box::pin(async move {
            self.unfinished |= played.end == ItemEnd::Unfinished;
            self.run.note(self.floor, &item, &played).await?;
            let observer = &self.floor.observer;
            observer.left(&item, &played.end, played.spend);
            Ok(())
        })
    }
}

/// Plays a debate on a task of its own, so that debates use all cores; the task ends with this future.
async fn play(item: RunItem, debate: RunDebate) -> Left {
    let mut task = JoinSet::new();
    task.spawn(debate.play());
    let played = match task.join_next().await {
        Some(Ok(played)) => played,
        // An error of one debate does not stop the others.
        Some(Err(error)) => PlayedDebate::failed(format!("its task ended abnormally: {error}")),
        None => PlayedDebate::failed("its task was not begun".to_owned()),
    };
    (item, played)
}
