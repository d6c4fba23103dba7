//! Observer of a sweep: that of its runs, without the notices that every run repeats.

use crate::debate::event::Record;
use crate::debate::{SessionId, Spend, State};
use crate::engine::Observer;
use crate::experiments::run::{Floor, ItemEnd, RunObserver};
use crate::store::TailNotice;
use crate::workspace::run::RunItem;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) struct SweepObserver {
    inner: Arc<dyn RunObserver>,
    said: Mutex<BTreeSet<String>>,
}

impl SweepObserver {
    /// Returns the same context in which each notice is given once.
    pub fn around(floor: &Floor) -> Floor {
        let inner = Arc::clone(&floor.observer);
        Floor {
            observer: Arc::new(Self {
                inner,
                said: Mutex::default(),
            }),
            ..floor.clone()
        }
    }
}

impl Observer for SweepObserver {
    fn happened(&self, session: &SessionId, record: &Record, state: &State) {
        self.inner.happened(session, record, state);
    }

    fn mended(&self, notice: &TailNotice) {
        self.inner.mended(notice);
    }

    fn noticed(&self, notice: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.insert(notice.to_owned()) {
            self.inner.noticed(notice);
        }
    }
}

impl RunObserver for SweepObserver {
    fn left(&self, item: &RunItem, how: &ItemEnd, spend: Spend) {
        self.inner.left(item, how, spend);
    }

    fn as_observer(&self) -> &dyn Observer {
        self
    }
}
