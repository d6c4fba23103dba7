//! Record of what a person was shown that unblinds them, in a journal next to their annotations.
//!
//! A person may read debates in one terminal while they label in another, and their annotations are
//! written by one process at a time: unblinding has a journal of its own, whose lock is held only for
//! as long as a line takes.

use super::event::{Annotation, AnnotationEvent, AnnotationId};
use super::journal::annotator;
use super::label::Unblinding;
use super::pending::{Pending, PendingAnnotation, append_missing};
use crate::debate::{Author, SessionId};
use crate::store::{JournalLine, JournalWriter, Layout, StoreError, SyncPool, read_journal};
use crate::workspace::clock::Clock;
use crate::workspace::error::WorkspaceError;
use crate::workspace::known_events::known;
use std::collections::BTreeSet;
use std::time::Duration;

/// Tries for the lock while another process writes a line.
const TRIES: u32 = 50;
/// Pause between two tries.
const TRY_EVERY: Duration = Duration::from_millis(10);

/// Records what a person was shown of sessions; durable when this returns. What is recorded already
/// is not recorded twice.
///
/// # Errors
/// When the journal cannot be read or written, or another process holds it.
pub async fn record_unblinding(
    layout: &Layout,
    fsync: &SyncPool,
    clock: Clock,
    person: &str,
    holder: &str,
    sights: &[(SessionId, BTreeSet<Unblinding>)],
) -> Result<(), WorkspaceError> {
    let who = annotator(person);
    let (journal, mut lines) = open_sights(layout, fsync, &who, holder).await?;
    let on_its_way = Pending::read(layout)?.sights.remove(&who);
    let known = lines.iter().map(|line| line.event.id.clone()).collect();
    let completed = append_missing(&journal, known, on_its_way.unwrap_or_default())?;
    let mut events: Vec<AnnotationEvent> = lines.drain(..).map(|line| line.event).collect();
    events.extend(completed.into_iter().map(|(_, event)| event));
    for (session, saw) in sights {
        let before = events.iter().filter_map(|event| match &event.mark {
            Annotation::Unblinded { session: of, saw } if of == session => Some(saw),
            _ => None,
        });
        let before: BTreeSet<Unblinding> = before.flatten().copied().collect();
        if before.is_superset(saw) {
            continue;
        }
        let event = AnnotationEvent {
            id: AnnotationId::new(clock.fresh_id()),
            mark: Annotation::Unblinded {
                session: session.clone(),
                saw: saw.clone(),
            },
        };
        let by = Author::Person(person.to_owned()).to_string();
        journal.append(&clock.now(), &by, &event).await?;
    }
    Ok(())
}

/// Opens the journal of what an annotator was shown, or begins it, with what it holds. It waits a
/// moment for another process that writes a line.
pub(super) async fn open_sights(
    layout: &Layout,
    fsync: &SyncPool,
    annotator: &str,
    holder: &str,
) -> Result<
    (
        JournalWriter<AnnotationEvent>,
        Vec<JournalLine<AnnotationEvent>>,
    ),
    WorkspaceError,
> {
    let path = layout.sights(annotator)?;
    let mut tries = 0;
    let (journal, lines) = loop {
        let opened = match JournalWriter::create(&path, holder, fsync) {
            Ok(journal) => Ok((journal, Vec::new())),
            Err(StoreError::Exists { .. }) => JournalWriter::open(&path, holder, fsync)
                .map(|opened| (opened.writer, opened.lines)),
            Err(error) => Err(error),
        };
        match opened {
            Err(StoreError::Locked { .. }) if tries < TRIES => {
                tries += 1;
                tokio::time::sleep(TRY_EVERY).await;
            }
            opened => break opened?,
        }
    };
    Ok((journal, known(&path, lines)?))
}

/// Returns what an annotator was shown, with the times; nothing where nothing was recorded. Blocks
/// while it reads.
///
/// # Errors
/// When the journal cannot be read.
pub fn read_unblinding(
    layout: &Layout,
    annotator: &str,
) -> Result<Vec<(String, AnnotationEvent)>, WorkspaceError> {
    let on_its_way = Pending::read(layout)?.sights.remove(annotator);
    sights_of(layout, annotator, on_its_way.unwrap_or_default())
}

/// Returns what an annotator was shown, with what a merge took of it and did not write yet.
pub(super) fn sights_of(
    layout: &Layout,
    annotator: &str,
    on_its_way: Vec<PendingAnnotation>,
) -> Result<Vec<(String, AnnotationEvent)>, WorkspaceError> {
    let path = layout.sights(annotator)?;
    let lines = match path.exists() {
        true => known::<AnnotationEvent>(&path, read_journal(&path)?.lines)?,
        false => Vec::new(),
    };
    let lines = lines.into_iter().map(|line| (line.at, line.event));
    let mut sights: Vec<(String, AnnotationEvent)> = lines.collect();
    let known: BTreeSet<AnnotationId> = sights.iter().map(|(_, event)| event.id.clone()).collect();
    let missing = on_its_way.into_iter();
    let missing = missing.filter(|mark| !known.contains(&mark.event.id));
    sights.extend(missing.map(|mark| (mark.at, mark.event)));
    Ok(sights)
}
