//! Turns at the store's index: none before a program has shown something, one at a time, none cut off by
//! the end of the program.

use super::{StoreContext, StoreIndex};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Whose turn it is; clones share that.
#[derive(Clone, Default)]
pub struct IndexTurns {
    begun: Arc<watch::Sender<bool>>,
    one: Arc<Mutex<()>>,
}

impl IndexTurns {
    /// Says that something was shown: turns begin.
    pub fn start_turns(&self) {
        self.begun
            .send_if_modified(|begun| !std::mem::replace(begun, true));
    }

    /// Reads or writes the index on a thread that may block; `None` where that panicked.
    pub async fn take_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        // This never fails: the sender is here.
        let _ = self.begun.subscribe().wait_for(|begun| *begun).await;
        let one = Arc::clone(&self.one);
        let task = tokio::task::spawn_blocking(move || {
            let _turn = lock_turns(&one);
            work()
        });
        task.await.ok()
    }

    /// Does work with what is read of the store's index in one turn. It is not held while the work reads
    /// journals; what these came to is written in another turn, which is not waited for.
    pub async fn with_index<T: Send + 'static>(
        &self,
        store: StoreContext,
        read: fn(&StoreContext) -> StoreIndex,
        work: impl FnOnce(&StoreIndex) -> T + Send + 'static,
    ) -> Option<T> {
        let index = self.take_turn(move || read(&store)).await?;
        let task = tokio::task::spawn_blocking(move || (work(&index), index));
        let (done, index) = task.await.ok()?;
        let turns = self.clone();
        tokio::spawn(async move { turns.take_turn(move || index.write_changes()).await });
        Some(done)
    }

    /// Waits for the turn that is being taken.
    pub async fn close(self) {
        let _ = tokio::task::spawn_blocking(move || drop(lock_turns(&self.one))).await;
    }
}

fn lock_turns(one: &Mutex<()>) -> MutexGuard<'_, ()> {
    one.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads what the index holds for rows of debates.
pub fn read_rows_index(store: &StoreContext) -> StoreIndex {
    StoreIndex::read_rows(&store.layout).0
}

/// Reads what the index holds for rows of debates and the texts of their topics.
pub fn read_topics_index(store: &StoreContext) -> StoreIndex {
    StoreIndex::read_rows_and_topics(&store.layout).0
}

/// Reads what the index holds for the validation of evaluators.
pub fn read_validation_index(store: &StoreContext) -> StoreIndex {
    StoreIndex::read_findings(&store.layout).0
}

/// Reads what the index holds for lists of sessions.
pub fn read_sessions_index(store: &StoreContext) -> StoreIndex {
    StoreIndex::read_overviews(&store.layout).0
}
