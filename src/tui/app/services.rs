//! Services: what tasks of screens share with each other.

use super::hands::{IndexTurns, Sights, TakenSessions, Tools};
use crate::debate::SessionId;
use crate::engine::live::LiveEvent;
use crate::tui::screens::prompt_ab::PlayedComparisons;
use crate::workspace::annotations::AnnotationJournal;
use crate::workspace::{Desk, StoreIndex};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Mutex, RwLock};
use tokio_util::sync::CancellationToken;

/// Longest wait for what is paid for when the program ends.
const RESTS_WITHIN: Duration = Duration::from_millis(700);

/// What tasks work with; clones share it.
#[derive(Clone)]
pub struct Services {
    pub(crate) tools: Tools,
    /// Sessions that this process has taken.
    pub(crate) taken: TakenSessions,
    /// Where they report.
    pub(crate) live_tell: UnboundedSender<(SessionId, LiveEvent)>,
    /// Journal of the person's annotations, once it was opened.
    pub(crate) annotations: Arc<Mutex<Option<AnnotationJournal>>>,
    pub(crate) index_turns: IndexTurns,
    /// Prompt comparisons that this process plays.
    pub(crate) comparisons: PlayedComparisons,
    /// Held while what was shown is being recorded: no label is given, and nothing is said to be
    /// blind, before that is durable.
    pub(crate) sights: Sights,
    /// Cancelled when the program ends.
    closing: CancellationToken,
    /// Read by what must come to rest before the program ends.
    under_way: Arc<RwLock<()>>,
}

impl Services {
    pub(super) fn new(tools: Tools, live_tell: UnboundedSender<(SessionId, LiveEvent)>) -> Self {
        Self {
            tools,
            live_tell,
            taken: TakenSessions::default(),
            annotations: Arc::default(),
            index_turns: IndexTurns::new(),
            comparisons: PlayedComparisons::default(),
            sights: Sights::default(),
            closing: CancellationToken::new(),
            under_way: Arc::default(),
        }
    }

    /// Returns the sessions that this process has taken.
    pub(crate) fn in_hand(&self) -> BTreeSet<SessionId> {
        let taken = self.taken.lock();
        let taken = taken.unwrap_or_else(std::sync::PoisonError::into_inner);
        taken.keys().cloned().collect()
    }

    /// Does work that is paid for: when the program ends, `stop` is cancelled and the work is waited for.
    pub(crate) async fn until_closed<T>(
        self,
        stop: CancellationToken,
        work: impl Future<Output = T>,
    ) -> T {
        let _goes_on = self.under_way.read().await;
        let mut work = std::pin::pin!(work);
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = self.closing.cancelled() => stop.cancel(),
        }
        work.await
    }

    /// Stops what is paid for, and waits a moment until it has come to rest.
    pub(super) async fn close(&self) {
        self.closing.cancel();
        let _ = tokio::time::timeout(RESTS_WITHIN, self.under_way.write()).await;
    }

    /// Does work with what is read of the store's index; `None` where that panicked. The index is not held
    /// while the work reads journals.
    pub(crate) async fn with_index<T: Send + 'static>(
        &self,
        read: fn(&Desk) -> StoreIndex,
        work: impl FnOnce(&Tools, &StoreIndex) -> T + Send + 'static,
    ) -> Option<T> {
        let (tools, desk) = (self.tools.clone(), self.tools.desk.clone());
        let work = move |index: &StoreIndex| work(&tools, index);
        self.index_turns.with(desk, read, work).await
    }
}
