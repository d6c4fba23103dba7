//! Observer of a sweep: that of its runs, which counts the debates of all of them and repeats no notice.

use crate::engine::Observer;
use crate::experiments::engine::{EndedItem, ExperimentObserver, ItemEnd};
use elenchus_game::debate::event::Record;
use elenchus_game::debate::{SessionId, State};
use elenchus_records::workspace::ItemCounts;
use elenchus_store::TailNotice;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Watches the runs of a sweep as one.
pub struct SweepObserver {
    inner: Arc<dyn ExperimentObserver>,
    state: Mutex<ObserverState>,
}

#[derive(Debug)]
struct ObserverState {
    notices: BTreeSet<String>,
    counts: ItemCounts,
}

impl SweepObserver {
    /// Reports to `inner` on a sweep of `total` debates, of which `done` are over.
    pub fn new(inner: Arc<dyn ExperimentObserver>, (total, done): (u64, u64)) -> Self {
        Self {
            inner,
            state: Mutex::new(ObserverState {
                notices: BTreeSet::new(),
                counts: ItemCounts {
                    all: Some(total),
                    done,
                    failed: 0,
                },
            }),
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, ObserverState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for SweepObserver {
    fn on_event(&self, session: &SessionId, record: &Record, state: &State) {
        self.inner.on_event(session, record, state);
    }

    fn on_tail_repair(&self, notice: &TailNotice) {
        self.inner.on_tail_repair(notice);
    }

    fn on_notice(&self, notice: &str) {
        let is_new = self.lock_state().notices.insert(notice.to_owned());
        if is_new {
            self.inner.on_notice(notice);
        }
    }
}

impl ExperimentObserver for SweepObserver {
    fn on_item_end(&self, item: &EndedItem<'_>) {
        let counts = {
            let counts = &mut self.lock_state().counts;
            match item.end {
                ItemEnd::Done(()) => counts.done += 1,
                ItemEnd::Failed(_) => counts.failed += 1,
                ItemEnd::Unfinished => {}
            }
            *counts
        };
        self.inner.on_item_end(&EndedItem { counts, ..*item });
    }
}
