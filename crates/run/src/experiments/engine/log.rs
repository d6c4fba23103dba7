//! Journal of an experiment that this process performs: begun, resumed, noted, closed.

use super::end::ExperimentEnd;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::{
    Clock, ExperimentEvent, ExperimentSummary, Result, StoreContext, reject, resume_journal,
};
use elenchus_store::{JournalWriter, TailNotice};
use std::path::Path;
use std::sync::Arc;

/// Author of an experiment's events.
const BY: &str = "engine";

/// State of an experiment with its journal, whose lock it holds.
pub struct ExperimentLog<E: ExperimentEvent> {
    pub state: E::State,
    /// Repairs made when it was opened.
    pub notices: Vec<TailNotice>,
    journal: ExperimentJournal<E>,
}

/// Writer of an experiment's events; clones write to the same journal.
pub(in crate::experiments) struct ExperimentJournal<E> {
    /// `None` for a part of another experiment, which keeps what came of it.
    writer: Option<Arc<JournalWriter<E>>>,
    clock: Clock,
}

impl<E> Clone for ExperimentJournal<E> {
    fn clone(&self) -> Self {
        Self {
            writer: self.writer.clone(),
            clock: self.clock,
        }
    }
}

impl<E: ExperimentEvent> ExperimentJournal<E> {
    /// Writes an event without waiting for the disk, and without applying it: what must be in the
    /// journal before a call is sent.
    pub(in crate::experiments) fn record_unsynced(&self, event: &E) -> Result<()> {
        if let Some(writer) = &self.writer {
            writer.append_without_sync(&self.clock.now(), BY, event)?;
        }
        Ok(())
    }
}

impl<E: ExperimentEvent> ExperimentLog<E> {
    /// Begins a journal with its first events; all are durable when this returns.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub(in crate::experiments) async fn begin_journal(
        store: &StoreContext,
        path: &Path,
        (first, more): (E, Vec<E>),
    ) -> Result<Self> {
        let writer = Arc::new(store.journals().begin_journal(path)?);
        let at = store.clock.now();
        let mut log = Self::from_first_event(store, &first, Some(Arc::clone(&writer)))?;
        log.journal.record_unsynced(&first)?;
        for event in more {
            log.journal.record_unsynced(&event)?;
            E::apply_event(&mut log.state, &at, event);
        }
        writer.sync().await?;
        Ok(log)
    }

    /// Begins a part of another experiment, which keeps what came of it.
    ///
    /// # Errors
    /// When the event begins nothing.
    pub(in crate::experiments) fn new_part(store: &StoreContext, first: &E) -> Result<Self> {
        Self::from_first_event(store, first, None)
    }

    fn from_first_event(
        store: &StoreContext,
        first: &E,
        writer: Option<Arc<JournalWriter<E>>>,
    ) -> Result<Self> {
        let clock = store.clock;
        let Some(state) = first.begin_state(&clock.now()) else {
            let (one, _) = E::NAMES;
            return reject(format!("no event begins the {one}"));
        };
        Ok(Self {
            state,
            notices: Vec::new(),
            journal: ExperimentJournal { writer, clock },
        })
    }

    /// Goes on with an experiment; ceilings that are given replace its own.
    ///
    /// # Errors
    /// When another process performs it, or its journal cannot be read or written.
    pub(in crate::experiments) async fn resume_journal(
        store: &StoreContext,
        path: &Path,
        ceilings: Ceilings,
    ) -> Result<Self> {
        let mut log = Self::open_journal(store, path)?;
        log.record_resume(ceilings).await?;
        Ok(log)
    }

    /// Opens the journal of an experiment, without going on with it yet.
    ///
    /// # Errors
    /// When another process performs it, or its journal cannot be read.
    pub(in crate::experiments) fn open_journal(store: &StoreContext, path: &Path) -> Result<Self> {
        let journal = resume_journal::<E>(&store.journals(), path)?;
        Ok(Self {
            state: journal.state,
            notices: journal.notices,
            journal: ExperimentJournal {
                writer: Some(Arc::new(journal.writer)),
                clock: store.clock,
            },
        })
    }

    /// Goes on with an experiment; ceilings that are given replace its own.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub(in crate::experiments) async fn record_resume(&mut self, ceilings: Ceilings) -> Result<()> {
        self.record_event(E::resume_event(ceilings)).await
    }

    /// Sums the experiment up.
    pub fn summarize(&self) -> ExperimentSummary {
        E::summarize(&self.state)
    }

    /// Records an event, durable when this returns.
    pub(in crate::experiments) async fn record_event(&mut self, event: E) -> Result<()> {
        let journal = &self.journal;
        let at = journal.clock.now();
        if let Some(writer) = &journal.writer {
            writer.append(&at, BY, &event).await?;
        }
        E::apply_event(&mut self.state, &at, event);
        Ok(())
    }

    /// Returns what items write with.
    pub(in crate::experiments) fn journal(&self) -> ExperimentJournal<E> {
        self.journal.clone()
    }

    /// Records the end.
    pub(in crate::experiments) async fn record_end(&mut self, end: &ExperimentEnd) -> Result<()> {
        self.record_event(match end {
            ExperimentEnd::Completed => E::completion_event(),
            ExperimentEnd::WithFailures(missing) => E::incomplete_event(*missing),
            ExperimentEnd::Paused(cause) => E::pause_event(cause.to_string()),
        })
        .await
    }
}
