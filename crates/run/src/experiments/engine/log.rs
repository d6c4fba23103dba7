//! Journal of an experiment that this process performs: begun, resumed, noted, closed.

use super::end::ExperimentEnd;
use elenchus_game::debate::protocol::Ceilings;
use elenchus_records::workspace::{
    Clock, Desk, ExperimentEvent, ExperimentSummary, Result, invalid, resume,
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
    pub(in crate::experiments) fn note_soon(&self, event: &E) -> Result<()> {
        if let Some(writer) = &self.writer {
            writer.append_unsynced(&self.clock.now(), BY, event)?;
        }
        Ok(())
    }
}

impl<E: ExperimentEvent> ExperimentLog<E> {
    /// Begins a journal with its first events; all are durable when this returns.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub(in crate::experiments) async fn begin(
        desk: &Desk,
        path: &Path,
        (first, more): (E, Vec<E>),
    ) -> Result<Self> {
        let writer = Arc::new(desk.journals().begin(path)?);
        let at = desk.clock.now();
        let mut log = Self::of(desk, &first, Some(Arc::clone(&writer)))?;
        log.journal.note_soon(&first)?;
        for event in more {
            log.journal.note_soon(&event)?;
            E::apply(&mut log.state, &at, event);
        }
        writer.sync().await?;
        Ok(log)
    }

    /// Begins a part of another experiment, which keeps what came of it.
    ///
    /// # Errors
    /// When the event begins nothing.
    pub(in crate::experiments) fn without_journal(desk: &Desk, first: &E) -> Result<Self> {
        Self::of(desk, first, None)
    }

    fn of(desk: &Desk, first: &E, writer: Option<Arc<JournalWriter<E>>>) -> Result<Self> {
        let clock = desk.clock;
        let Some(state) = first.begun(&clock.now()) else {
            let (one, _) = E::NAMES;
            return invalid(format!("no event begins the {one}"));
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
    pub(in crate::experiments) async fn resume(
        desk: &Desk,
        path: &Path,
        ceilings: Ceilings,
    ) -> Result<Self> {
        let mut log = Self::open(desk, path)?;
        log.go_on(ceilings).await?;
        Ok(log)
    }

    /// Opens the journal of an experiment, without going on with it yet.
    ///
    /// # Errors
    /// When another process performs it, or its journal cannot be read.
    pub(in crate::experiments) fn open(desk: &Desk, path: &Path) -> Result<Self> {
        let opened = resume::<E>(&desk.journals(), path)?;
        Ok(Self {
            state: opened.state,
            notices: opened.notices,
            journal: ExperimentJournal {
                writer: Some(Arc::new(opened.writer)),
                clock: desk.clock,
            },
        })
    }

    /// Goes on with an experiment; ceilings that are given replace its own.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub(in crate::experiments) async fn go_on(&mut self, ceilings: Ceilings) -> Result<()> {
        self.note(E::resumed(ceilings)).await
    }

    /// Sums the experiment up.
    pub fn summary(&self) -> ExperimentSummary {
        E::summary(&self.state)
    }

    /// Records an event, durable when this returns.
    pub(in crate::experiments) async fn note(&mut self, event: E) -> Result<()> {
        let journal = &self.journal;
        let at = journal.clock.now();
        if let Some(writer) = &journal.writer {
            writer.append(&at, BY, &event).await?;
        }
        E::apply(&mut self.state, &at, event);
        Ok(())
    }

    /// Returns what items write with.
    pub(in crate::experiments) fn journal(&self) -> ExperimentJournal<E> {
        self.journal.clone()
    }

    /// Records the end.
    pub(in crate::experiments) async fn close(&mut self, end: &ExperimentEnd) -> Result<()> {
        self.note(match end {
            ExperimentEnd::Completed => E::completed(),
            ExperimentEnd::WithFailures(missing) => E::tried(*missing),
            ExperimentEnd::Paused { why, .. } => E::paused(why.clone()),
        })
        .await
    }
}
