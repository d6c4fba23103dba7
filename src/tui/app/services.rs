//! Services: what tasks of screens share with each other.

use super::hands::{IndexTurns, Sights, TakenSessions, Tools};
use crate::debate::SessionId;
use crate::engine::live::LiveEvent;
use crate::workspace::annotations::AnnotationJournal;
use crate::workspace::{Desk, StoreIndex};
use std::sync::Arc;
use tokio::sync::Mutex;
use tokio::sync::mpsc::UnboundedSender;

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
    /// Held while what was shown is being recorded: no label is given, and nothing is said to be
    /// blind, before that is durable.
    pub(crate) sights: Sights,
}

impl Services {
    pub(super) fn new(tools: Tools, live_tell: UnboundedSender<(SessionId, LiveEvent)>) -> Self {
        Self {
            tools,
            live_tell,
            taken: TakenSessions::default(),
            annotations: Arc::default(),
            index_turns: IndexTurns::new(),
            sights: Sights::default(),
        }
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
