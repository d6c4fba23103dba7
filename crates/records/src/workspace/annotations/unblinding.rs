//! Record of what a person was shown that unblinds them, in a journal next to their annotations.
//!
//! A person may read debates in one terminal while they label in another, and their annotations are
//! written by one process at a time: unblinding has a journal of its own, whose lock is held only for
//! as long as a line takes.

use super::event::{Annotation, AnnotationEvent, AnnotationId};
use super::journal::SIGHTS;
use super::label::Unblinding;
use super::pending::{Pending, PendingAnnotation, append_missing};
use super::person_files::{annotator_name, journal_of_person};
use crate::workspace::JournalKind;
use crate::workspace::error::{Result, WorkspaceError};
use crate::workspace::journal_lines::known_lines;
use crate::workspace::store_context::StoreContext;
use elenchus_game::debate::{Author, SessionId};
use elenchus_store::{JournalLine, JournalWriter, Layout};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Hidden content that is revealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revealing {
    /// Verdicts of evaluators.
    Verdict,
    /// Their reasons.
    Reasons,
    /// All of what the seat was shown.
    View,
}

impl Unblinding {
    /// Returns what all of what a seat was shown shows.
    fn of_view() -> BTreeSet<Self> {
        BTreeSet::from([
            Self::Verdict,
            Self::Arm,
            Self::Protocol,
            Self::PromptVersion,
            Self::Reasons,
        ])
    }

    /// Returns what a list of turns shows: their verdicts with reasons, and the models or arms beside them.
    pub fn of_list() -> BTreeSet<Self> {
        BTreeSet::from([Self::Verdict, Self::Reasons, Self::Arm])
    }

    /// Returns what a page to send shows of its debates.
    pub fn of_page() -> BTreeSet<Self> {
        BTreeSet::from([Self::Verdict, Self::Reasons, Self::Arm, Self::Protocol])
    }
}

impl Revealing {
    /// Returns the unblinding that showing this causes.
    pub fn unblindings(self) -> BTreeSet<Unblinding> {
        match self {
            Revealing::Verdict => BTreeSet::from([Unblinding::Verdict]),
            Revealing::Reasons => BTreeSet::from([Unblinding::Verdict, Unblinding::Reasons]),
            Revealing::View => Unblinding::of_view(),
        }
    }
}

/// What one process showed since it began, to whoever sits before it: a person may have looked before they say who
/// they are.
#[derive(Debug, Default)]
pub struct ShownHere {
    sessions: BTreeMap<SessionId, BTreeSet<Unblinding>>,
    /// Name that was given here last; none where it is as it was at the beginning.
    person: Option<String>,
    /// Whether a record failed: then all is recorded again.
    is_incomplete: bool,
}

impl ShownHere {
    /// Records what is shown of sessions, for the person and for whoever gave a name here meanwhile; durable when
    /// this returns.
    ///
    /// # Errors
    /// As [`record_unblinding`].
    pub async fn record(
        &mut self,
        store: &StoreContext,
        unblindings: &[(SessionId, BTreeSet<Unblinding>)],
    ) -> Result<()> {
        let is_new = |(session, saw): &&(SessionId, BTreeSet<Unblinding>)| {
            let known = self.sessions.get(session);
            !known.is_some_and(|known| known.is_superset(saw))
        };
        let mut due: Vec<_> = unblindings.iter().filter(is_new).cloned().collect();
        for (session, saw) in &due {
            let known = self.sessions.entry(session.clone()).or_default();
            known.extend(saw);
        }
        if self.is_incomplete {
            due = self.list_all();
        }
        if due.is_empty() {
            return Ok(());
        }
        self.is_incomplete = true;
        record_unblinding(store, &due).await?;
        if let Some(person) = self.person.as_ref().filter(|it| **it != store.person) {
            record_unblinding(&store_of(store, person), &due).await?;
        }
        self.is_incomplete = false;
        Ok(())
    }

    /// Records for the person of the store, who gives their name now, what was shown so far; durable when this
    /// returns.
    ///
    /// # Errors
    /// As [`record_unblinding`].
    pub async fn hand_over(&mut self, store: &StoreContext) -> Result<()> {
        self.person = Some(store.person.clone());
        let all = self.list_all();
        if all.is_empty() {
            return Ok(());
        }
        self.is_incomplete = true;
        record_unblinding(store, &all).await?;
        self.is_incomplete = false;
        Ok(())
    }

    fn list_all(&self) -> Vec<(SessionId, BTreeSet<Unblinding>)> {
        let all = self.sessions.iter();
        all.map(|(session, saw)| (session.clone(), saw.clone()))
            .collect()
    }
}

fn store_of(store: &StoreContext, person: &str) -> StoreContext {
    StoreContext {
        person: person.to_owned(),
        ..store.clone()
    }
}

/// Records what a person was shown of sessions; durable when this returns. What is recorded already
/// is not recorded twice.
///
/// # Errors
/// When the journal cannot be read or written, or another process holds it.
pub async fn record_unblinding(
    store: &StoreContext,
    unblindings: &[(SessionId, BTreeSet<Unblinding>)],
) -> Result<()> {
    let who = annotator_name(&store.person);
    let (journal, lines) = open_unblinding_journal(store, &who).await?;
    let on_its_way = Pending::read_all(&store.layout)?.unblindings.remove(&who);
    let known_ids = lines.iter().map(|line| line.event.id.clone()).collect();
    let pending_events = append_missing(&journal, known_ids, on_its_way.unwrap_or_default())?;
    let events = lines.into_iter().map(|line| line.event);
    let pending_events = pending_events.into_iter().map(|(_, event)| event);
    let mut known: BTreeMap<SessionId, BTreeSet<Unblinding>> = BTreeMap::new();
    for event in events.chain(pending_events) {
        if let Annotation::Unblinded { session, saw } = event.mark {
            known.entry(session).or_default().extend(saw);
        }
    }
    for (session, saw) in unblindings {
        let known = known.entry(session.clone()).or_default();
        if known.is_superset(saw) {
            continue;
        }
        known.extend(saw);
        let event = AnnotationEvent {
            id: AnnotationId::new(store.clock.fresh_id()),
            mark: Annotation::Unblinded {
                session: session.clone(),
                saw: saw.clone(),
            },
        };
        let by = Author::Person(store.person.clone()).to_string();
        journal.append_without_sync(&store.clock.now(), &by, &event)?;
    }
    Ok(journal.sync().await?)
}

/// Opens the journal of what an annotator was shown, or begins it, with what it holds. It waits a
/// moment for another process that writes a line.
pub(super) async fn open_unblinding_journal(
    store: &StoreContext,
    annotator: &str,
) -> Result<
    (
        JournalWriter<AnnotationEvent>,
        Vec<JournalLine<AnnotationEvent>>,
    ),
    WorkspaceError,
> {
    let path = journal_of_person(&store.layout, SIGHTS, annotator)?;
    let (at, journals) = (path.clone(), store.journals());
    let opening = tokio::task::spawn_blocking(move || journals.begin_or_resume_soon(&at));
    let journal = opening.await.map_err(|error| {
        WorkspaceError::Invalid(format!(
            "opening {} ended abnormally: {error}",
            path.display()
        ))
    })??;
    Ok((journal.writer, known_lines(&path, journal.lines)?))
}

/// Returns what an annotator was shown, with the times; nothing where nothing was recorded. Blocks
/// while it reads.
///
/// # Errors
/// When the journal cannot be read.
pub fn read_unblinding(layout: &Layout, annotator: &str) -> Result<Vec<(String, AnnotationEvent)>> {
    let on_its_way = Pending::read_all(layout)?.unblindings.remove(annotator);
    let path = journal_of_person(layout, SIGHTS, annotator)?;
    read_unblinding_events(&path, on_its_way.unwrap_or_default())
}

/// Returns what an annotator's journal says that they were shown, with what a merge took of it and did not write yet.
pub(super) fn read_unblinding_events(
    path: &Path,
    on_its_way: Vec<PendingAnnotation>,
) -> Result<Vec<(String, AnnotationEvent)>> {
    let lines = match path.exists() {
        true => AnnotationEvent::read_state(path)?,
        false => Vec::new(),
    };
    let lines = lines.into_iter().map(|line| (line.at, line.event));
    let mut unblindings: Vec<(String, AnnotationEvent)> = lines.collect();
    let known_ids: BTreeSet<AnnotationId> = unblindings
        .iter()
        .map(|(_, event)| event.id.clone())
        .collect();
    let missing = on_its_way.into_iter();
    let missing = missing.filter(|mark| !known_ids.contains(&mark.event.id));
    unblindings.extend(missing.map(|mark| (mark.at, mark.event)));
    Ok(unblindings)
}
