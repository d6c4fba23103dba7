//! Guardrails of one namespace, as one run or session reads and extends them.

use super::book::{Asks, MemoryBook, list_reasons};
use super::decision_log::trials_expense;
use super::journals::{MemoryJournal, import_of_writer, read_with_index};
use super::ranking::WithNotices;
use crate::workspace::error::Result;
use elenchus_game::debate::event::{Created, MemoryUse};
use elenchus_game::debate::{Expense, GuardCandidate, GuardsRetrieved, SessionId};
use elenchus_memory::{
    DEFAULT_EXAMPLES, DEFAULT_TOP_K, DerivedBy, EntryKind, Exclusion, LookupLimits, MemoryEntry,
    MemoryEvent, MemoryFold, RetrieveError, Retriever, RetrievingDebate, WriterJournal,
    fold_journals, retrieve_entries,
};
use elenchus_store::TailNotice;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Journals of guardrails as one writer sees them.
pub(super) struct GuardrailJournals {
    others: Vec<MemoryJournal>,
    own: Mutex<Vec<MemoryEvent>>,
}

impl MemoryBook {
    /// Folds the guardrails that this process sees.
    ///
    /// # Errors
    /// When a journal of guardrails cannot be read; it is named.
    pub fn fold_guardrails(&self) -> Result<MemoryFold> {
        self.guardrails_with(&self.lock_own_events()?)
    }

    fn guardrails_with(&self, own: &[MemoryEvent]) -> Result<MemoryFold> {
        let own = WriterJournal {
            name: &self.writer_name,
            events: own,
        };
        let others = self.guardrail_journals()?.others.iter();
        Ok(fold_journals(
            others.map(MemoryJournal::as_writer).chain([own]),
        ))
    }

    fn guardrail_journals(&self) -> Result<&GuardrailJournals> {
        if let Some(read) = self.guardrails.get() {
            return Ok(read);
        }
        let mut read = read_with_index(&self.layout, EntryKind::Guardrail, &self.namespace)?;
        if let Some(as_of) = &self.as_of {
            let came = import_of_writer(&self.layout, &self.writer_name);
            read.cut_off(&self.writer_name, as_of, came.as_ref());
        }
        let is_own = |journal: &MemoryJournal| journal.name == self.writer_name;
        let (own, others): (Vec<_>, Vec<_>) = read.journals.into_iter().partition(is_own);
        let own = own.into_iter().flat_map(|own| own.events).collect();
        Ok(self.guardrails.get_or_init(|| GuardrailJournals {
            others,
            own: Mutex::new(own),
        }))
    }

    fn lock_own_events(&self) -> Result<MutexGuard<'_, Vec<MemoryEvent>>> {
        let own = &self.guardrail_journals()?.own;
        Ok(own.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the guardrails that a debate may be refused by: those that were accepted before its
    /// batch.
    fn used_by(&self, created: &Created) -> Result<Vec<MemoryEntry>> {
        let now = created.run.as_ref().and_then(|place| place.batch);
        let mut own = self.lock_own_events()?.clone();
        // What the asker's own run did in this batch depends on which debate was over first.
        own.retain(|event| {
            batch_of_guardrail_event(event)
                .zip(now)
                .is_none_or(|(of, now)| of < now)
        });
        let mut guards = self.guardrails_with(&own)?.entries;
        guards.retain(MemoryEntry::is_active);
        Ok(guards)
    }

    /// Looks a debate's topic up among the guardrails that it may be refused by: at most five, none
    /// that FIGURES 9 keeps from it.
    ///
    /// # Errors
    /// When a journal of guardrails cannot be read, or a run's retriever fails.
    pub async fn retrieve_guards(&self, created: &Created) -> Result<WithNotices<GuardsRetrieved>> {
        let (guards, asks) = (self.used_by(created)?, Asks::from_created(created));
        let examples = count_examples(&created.memory);
        let look = move |retriever: &dyn Retriever| {
            let rules = Exclusion::default();
            retrieve_nearest(retriever, &asks.asker(), &guards, (&rules, examples))
        };
        self.ranking.with_retriever(look).await
    }

    /// Adds events about guardrails, durable when this returns. Returns what was mended in the journal
    /// when it was opened.
    ///
    /// # Errors
    /// When a journal of guardrails cannot be read, or the journal cannot be written.
    pub async fn add_guard_events(&self, events: Vec<MemoryEvent>) -> Result<Vec<TailNotice>> {
        // What is there is read before anything is added to it.
        self.guardrail_journals()?;
        let mut writer = self.writer.lock().await;
        let mut notices = Vec::new();
        for event in &events {
            notices.extend(writer.record_without_sync("engine", event)?.1);
        }
        writer.sync().await?;
        self.lock_own_events()?.extend(events);
        Ok(notices)
    }

    /// Notes an event about a guardrail without waiting for the disk; the next durable one carries it
    /// along.
    ///
    /// # Errors
    /// When a journal of guardrails cannot be read, or the journal cannot be written.
    pub async fn note_guard_event(&self, event: MemoryEvent) -> Result<()> {
        self.guardrail_journals()?;
        self.writer
            .lock()
            .await
            .record_without_sync("engine", &event)?;
        self.lock_own_events()?.push(event);
        Ok(())
    }

    /// Returns what this writer's derivations and tests of guardrails used at most: those without a
    /// known outcome at their worst.
    ///
    /// # Errors
    /// When a journal of guardrails or of their tests cannot be read; it is named.
    pub fn sum_derivations(&self) -> Result<Expense> {
        let mut expense = trials_expense(&self.layout, &self.namespace, &self.writer_name)?;
        let mut open: Vec<(&str, Expense)> = Vec::new();
        let own = self.lock_own_events()?;
        for event in own.iter() {
            if let MemoryEvent::DerivationStarted {
                session,
                worst_case_usd,
                worst_case_tokens,
                ..
            } = event
            {
                let usd = worst_case_usd.unwrap_or(0.0);
                let (calls, tokens) = (1, *worst_case_tokens);
                open.push((session, Expense { usd, calls, tokens }));
            }
            if let Some((session, derived)) = derivation_outcome(event) {
                open.retain(|(started, _)| *started != session);
                expense = expense.plus(derived.map(derivation_expense).unwrap_or_default());
            }
        }
        Ok(expense.plus(open.into_iter().map(|(_, worst)| worst).sum()))
    }
}

/// Returns the debate of a derivation whose replies arrived, and what they cost.
fn derivation_outcome(event: &MemoryEvent) -> Option<(&str, Option<&DerivedBy>)> {
    if let MemoryEvent::DerivationUnparsed {
        origin, derived, ..
    } = event
    {
        return Some((&origin.session, Some(derived)));
    }
    let MemoryEvent::GuardProposed {
        origin, derived, ..
    } = event
    else {
        return None;
    };
    Some((&origin.as_ref()?.session, derived.as_deref()))
}

/// Returns the batch of the run in which a guardrail was proposed or accepted.
fn batch_of_guardrail_event(event: &MemoryEvent) -> Option<u32> {
    if let MemoryEvent::GuardAccepted { batch, .. } = event {
        return *batch;
    }
    let MemoryEvent::GuardProposed { origin, .. } = event else {
        return None;
    };
    origin.as_ref()?.batch
}

/// Returns how many examples of a guardrail count for a debate, the first ones.
pub fn count_examples(memory: &MemoryUse) -> usize {
    memory
        .guard_examples
        .map_or(DEFAULT_EXAMPLES, |count| count as usize)
}

/// Looks a topic up among guardrails: at most five, as models are shown them, each with its first examples.
///
/// # Errors
/// When the retriever cannot rank now.
pub fn retrieve_nearest<'a>(
    retriever: &dyn Retriever,
    asker: &RetrievingDebate<'_>,
    guards: impl IntoIterator<Item = &'a MemoryEntry> + Clone,
    (exclusion, examples): (&Exclusion, usize),
) -> Result<GuardsRetrieved, RetrieveError> {
    // A guardrail that nothing matches would be one more question to a model before each turn.
    let limits = LookupLimits::matches_only(DEFAULT_TOP_K, examples);
    let retrieval = retrieve_entries(retriever, asker, guards.clone(), limits, exclusion)?;
    let candidates = retrieval.hits.iter().filter_map(|hit| {
        let mut guards = guards.clone().into_iter();
        let guard = guards.find(|guard| guard.id.0 == hit.id)?;
        let origins = guard.origins.iter();
        Some(GuardCandidate {
            id: hit.id.clone(),
            revision: guard.revision,
            score: hit.score,
            intent: guard.text.clone(),
            examples: guard.examples.iter().take(examples).cloned().collect(),
            origins: origins
                .map(|origin| SessionId::new(origin.session.clone()))
                .collect(),
        })
    });
    Ok(GuardsRetrieved {
        candidates: candidates.collect(),
        excluded: list_reasons(&retrieval.excluded),
        retriever: retrieval.retriever,
    })
}

/// Expense of a derivation whose replies arrived.
fn derivation_expense(derived: &DerivedBy) -> Expense {
    Expense {
        usd: derived.cost_usd.unwrap_or(0.0),
        calls: derived.replies.len() as u64,
        tokens: derived.input_tokens.saturating_add(derived.output_tokens),
    }
}
