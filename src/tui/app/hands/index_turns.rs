//! Turns at the store's index: none before the first frame, one at a time, none cut off by the end of
//! the program.

use super::{Hands, Tools, locked};
use crate::tui::app::told::Told;
use crate::workspace::StoreIndex;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// Whose turn it is; clones share that.
#[derive(Clone)]
pub(super) struct IndexTurns {
    painted: Arc<watch::Sender<bool>>,
    one: Arc<Mutex<()>>,
}

impl IndexTurns {
    pub(super) fn new() -> Self {
        Self {
            painted: Arc::new(watch::Sender::new(false)),
            one: Arc::default(),
        }
    }

    /// Says that a frame was drawn.
    pub(super) fn painted(&self) {
        self.painted
            .send_if_modified(|painted| !std::mem::replace(painted, true));
    }

    /// Reads or writes the index on a thread that may block; `None` where that panicked.
    pub(super) async fn take<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        // This never fails: the sender is here.
        let _ = self.painted.subscribe().wait_for(|painted| *painted).await;
        let one = Arc::clone(&self.one);
        let task = tokio::task::spawn_blocking(move || {
            let _turn = locked(&one);
            work()
        });
        task.await.ok()
    }

    /// Waits for the turn that is being taken.
    pub(super) async fn close(self) {
        let _ = tokio::task::spawn_blocking(move || drop(locked(&self.one))).await;
    }
}

impl Hands {
    /// Does work with what the store's index holds for lists of sessions: that is read in one turn, not
    /// held while the work reads journals, and what these came to is written in another turn.
    pub(super) fn with_index(
        &self,
        work: impl FnOnce(&Tools, &StoreIndex) -> Told + Send + 'static,
    ) {
        let (tools, tell) = (self.tools.clone(), self.tell.clone());
        let turns = self.index_turns.clone();
        tokio::spawn(async move {
            let layout = tools.desk.layout.clone();
            let read = turns.take(move || StoreIndex::read(&layout).0);
            let Some(index) = read.await else { return };
            let done = tokio::task::spawn_blocking(move || {
                let _ = tell.send(work(&tools, &index));
                index
            });
            let Ok(index) = done.await else { return };
            turns.take(move || index.write()).await;
        });
    }
}
