//! Guardrails of one namespace, as one run or session reads and extends them.

use super::book::exclusion_reason;
use crate::debate::event::Created;
use crate::debate::{Expense, GuardCandidate, GuardsRetrieved, SessionId};
use crate::memory::{
    DerivedBy, Exclusion, Guard, GuardEvent, GuardFold, GuardJournal, MAX_EXAMPLES, RetrieveError,
    Retriever, RetrievingDebate, fold_guards, nearest_guards,
};
use crate::store::JournalEvent;
use crate::store::JournalLine;
use crate::store::{JournalWriter, Journals, Layout, SyncPool, TailNotice, read_journal};
use crate::workspace::JournalKind;
use crate::workspace::error::WorkspaceError;
use crate::workspace::journal_lines::known;
use jiff::Timestamp;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One writer's journal of guardrails.
#[derive(Debug, Clone)]
pub struct GuardWriter {
    pub name: String,
    pub events: Vec<GuardEvent>,
}

/// Reads every journal of guardrails of a namespace, with what was left out at their ends.
///
/// # Errors
/// When a journal cannot be read; file and line are named.
pub(super) fn read_guards(
    layout: &Layout,
    namespace: &str,
) -> Result<(Vec<GuardWriter>, Vec<TailNotice>), WorkspaceError> {
    let mut writers = Vec::new();
    let mut notices = Vec::new();
    for path in layout.guard_journals(namespace)? {
        let journal = read_journal::<GuardEvent>(&path)?;
        let lines = known(&path, journal.lines)?;
        let name = path.file_stem().unwrap_or_default();
        writers.push(GuardWriter {
            name: name.to_string_lossy().into_owned(),
            events: lines.into_iter().map(|line| line.event).collect(),
        });
        notices.extend(journal.notices);
    }
    Ok((writers, notices))
}

/// Folds what writers wrote.
pub(super) fn fold_writers<'a>(writers: impl IntoIterator<Item = &'a GuardWriter>) -> GuardFold {
    let journals: Vec<GuardJournal<'_>> = writers
        .into_iter()
        .map(|writer| GuardJournal {
            name: &writer.name,
            events: &writer.events,
        })
        .collect();
    fold_guards(&journals)
}

/// One namespace as this process sees it.
pub(crate) struct GuardBook {
    layout: Layout,
    fsync: SyncPool,
    namespace: String,
    writer_name: String,
    /// Journals of other writers when this run or session began.
    others: Vec<GuardWriter>,
    own: Mutex<GuardWriter>,
    writer: tokio::sync::Mutex<Option<JournalWriter<GuardEvent>>>,
}

impl GuardBook {
    /// Reads the journals of a namespace as they were at `as_of` (RFC 3339), or as they are, with
    /// what this writer added since.
    ///
    /// # Errors
    /// When a journal cannot be read; file and line are named.
    pub(crate) fn open(
        layout: &Layout,
        fsync: &SyncPool,
        namespace: &str,
        writer_name: &str,
        as_of: Option<&str>,
    ) -> Result<Self, WorkspaceError> {
        let (writers, _) = read_guards(layout, namespace)?;
        let (own, mut others): (Vec<_>, Vec<_>) = writers
            .into_iter()
            .partition(|writer| writer.name == writer_name);
        if let Some(as_of) = as_of {
            for writer in &mut others {
                writer.events.retain(|event| !is_later(event.at(), as_of));
            }
        }
        let own = own.into_iter().next().unwrap_or_else(|| GuardWriter {
            name: writer_name.to_owned(),
            events: Vec::new(),
        });
        Ok(Self {
            layout: layout.clone(),
            fsync: fsync.clone(),
            namespace: namespace.to_owned(),
            writer_name: writer_name.to_owned(),
            others,
            own: Mutex::new(own),
            writer: tokio::sync::Mutex::new(None),
        })
    }

    /// Folds everything that this process sees.
    pub(crate) fn fold(&self) -> GuardFold {
        fold_writers(self.others.iter().chain([&*self.own()]))
    }

    /// Returns the guardrails that a debate may be refused by: those that were accepted before its
    /// batch.
    pub(crate) fn used_by(&self, created: &Created) -> Vec<Guard> {
        let batch = created.run.as_ref().and_then(|place| place.batch);
        let mut own = self.own().clone();
        // What the asker's own run did in this batch depends on which debate was over first.
        own.events.retain(|event| match (event.batch(), batch) {
            (Some(of), Some(now)) => of < now,
            (None, _) | (_, None) => true,
        });
        let mut guards = fold_writers(self.others.iter().chain([&own])).guards;
        guards.retain(Guard::is_used);
        guards
    }

    /// Adds events, durable when this returns. Returns what was mended in the journal when it was
    /// opened.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub(crate) async fn add(
        &self,
        by: &str,
        events: Vec<GuardEvent>,
    ) -> Result<Vec<TailNotice>, WorkspaceError> {
        let mut writer = self.writer.lock().await;
        let (journal, notices) = match writer.take() {
            Some(journal) => (journal, Vec::new()),
            None => self.writer()?,
        };
        for event in &events {
            journal.append_unsynced(event.at(), by, event)?;
        }
        journal.sync().await?;
        *writer = Some(journal);
        self.own().events.extend(events);
        Ok(notices)
    }

    /// Notes an event without waiting for the disk; the next durable one carries it along.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub(crate) async fn note(&self, event: GuardEvent) -> Result<(), WorkspaceError> {
        let mut writer = self.writer.lock().await;
        let journal = match writer.take() {
            Some(journal) => journal,
            None => self.writer()?.0,
        };
        journal.append_unsynced(event.at(), "engine", &event)?;
        *writer = Some(journal);
        self.own().events.push(event);
        Ok(())
    }

    /// Returns what this writer's derivations used at most: those without a known outcome at their
    /// worst.
    pub(crate) fn committed(&self) -> Expense {
        let mut open: Vec<(&str, Expense)> = Vec::new();
        let mut spent = Expense::default();
        let own = self.own();
        for event in &own.events {
            let (session, used) = match event {
                GuardEvent::DerivationStarted {
                    session,
                    worst_case_usd,
                    worst_case_tokens,
                    ..
                } => {
                    let usd = worst_case_usd.unwrap_or(0.0);
                    let (calls, tokens) = (1, *worst_case_tokens);
                    open.push((session, Expense { usd, calls, tokens }));
                    continue;
                }
                GuardEvent::GuardProposed {
                    origin: Some(origin),
                    derived,
                    ..
                } => (&origin.session, derived.as_deref().map(used)),
                GuardEvent::DerivationUnparsed {
                    origin, derived, ..
                } => (&origin.session, Some(used(derived))),
                GuardEvent::DerivationFailed { .. }
                | GuardEvent::GuardProposed { origin: None, .. }
                | GuardEvent::GuardAccepted { .. }
                | GuardEvent::GuardRejected { .. }
                | GuardEvent::GuardReopened { .. }
                | GuardEvent::GuardEdited { .. }
                | GuardEvent::GuardDisabled { .. }
                | GuardEvent::GuardEnabled { .. }
                | GuardEvent::GuardDeleted { .. }
                | GuardEvent::GuardRestored { .. }
                | GuardEvent::GuardTested { .. } => continue,
            };
            open.retain(|(started, _)| started != session);
            spent = spent.plus(used.unwrap_or_default());
        }
        spent.plus(open.into_iter().map(|(_, worst)| worst).sum())
    }

    fn writer(&self) -> Result<(JournalWriter<GuardEvent>, Vec<TailNotice>), WorkspaceError> {
        let path = self.layout.guards(&self.namespace, &self.writer_name)?;
        let opened = Journals::new("guardrails", &self.fsync).begin_or_resume(&path)?;
        Ok((opened.writer, opened.notices))
    }

    fn own(&self) -> MutexGuard<'_, GuardWriter> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks a topic up among guardrails: at most five, as models are shown them.
///
/// # Errors
/// When the retriever cannot rank now.
pub(crate) fn nearest(
    retriever: &dyn Retriever,
    asker: &RetrievingDebate<'_>,
    guards: &[&Guard],
    exclusion: &Exclusion,
) -> Result<GuardsRetrieved, RetrieveError> {
    let found = nearest_guards(retriever, asker, guards, exclusion)?;
    Ok(GuardsRetrieved {
        candidates: found
            .guards
            .iter()
            .map(|(guard, score)| candidate(guard, *score))
            .collect(),
        excluded: found
            .excluded
            .iter()
            .map(|(guard, excluded)| (guard.id.0.clone(), exclusion_reason(excluded)))
            .collect(),
        retriever: found.retriever,
    })
}

/// Returns a guardrail as a model is shown it.
fn candidate(guard: &Guard, score: f64) -> GuardCandidate {
    let origins = guard.origins.iter();
    GuardCandidate {
        id: guard.id.0.clone(),
        revision: guard.revision,
        score,
        intent: guard.intent.clone(),
        examples: guard.examples.iter().take(MAX_EXAMPLES).cloned().collect(),
        origins: origins
            .map(|origin| SessionId::new(origin.session.clone()))
            .collect(),
    }
}

/// Says whether a time is after another one; times that cannot be read are not.
fn is_later(at: &str, than: &str) -> bool {
    match (at.parse::<Timestamp>(), than.parse::<Timestamp>()) {
        (Ok(at), Ok(than)) => at > than,
        (Err(_), _) | (_, Err(_)) => false,
    }
}

/// Expense of a derivation whose replies arrived.
fn used(derived: &DerivedBy) -> Expense {
    Expense {
        usd: derived.cost_usd.unwrap_or(0.0),
        calls: derived.replies.len() as u64,
        tokens: derived.input_tokens.saturating_add(derived.output_tokens),
    }
}

impl JournalEvent for GuardEvent {
    const KIND: &'static str = "guardrails";
}

impl JournalKind for GuardEvent {
    type State = Vec<JournalLine<Self>>;
    const NAMES: (&'static str, &'static str) = ("journal of guardrails", "journals of guardrails");
    const FOLDERS: &'static [&'static str] = &["memory/*/guards"];

    fn fold(_: &Path, lines: Self::State) -> Result<Self::State, WorkspaceError> {
        Ok(lines)
    }
}
