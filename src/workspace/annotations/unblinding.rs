//! What a person was shown that unblinds, recorded beside their margin.
//!
//! Somebody may read debates in one terminal while they label in another, and their margin is
//! written by one process at a time: sights have a journal of their own, whose lock is held only for
//! as long as a line takes.

use super::super::clock::Clock;
use super::super::error::DriverError;
use super::super::lines::known;
use super::book::annotator;
use super::event::{MarginEvent, Mark, MarkId};
use super::label::Unblinding;
use super::pending::{Pending, PendingMark, append_missing};
use crate::debate::{Author, SessionId};
use crate::store::{Fsync, JournalWriter, Layout, Line, StoreError, read_journal};
use std::collections::BTreeSet;
use std::time::Duration;

/// How often the lock is tried for while another process writes a line.
const TRIES: u32 = 50;
/// How long is waited between two tries.
const TRY_EVERY: Duration = Duration::from_millis(10);

/// Records what a person was shown of sessions; durable when this returns. What is recorded already
/// is not recorded twice.
///
/// # Errors
/// When the journal cannot be read or written, or another process holds it.
pub async fn record_sights(
    layout: &Layout,
    fsync: &Fsync,
    clock: Clock,
    person: &str,
    holder: &str,
    sights: &[(SessionId, BTreeSet<Unblinding>)],
) -> Result<(), DriverError> {
    let who = annotator(person);
    let (journal, mut lines) = open_sights(layout, fsync, &who, holder).await?;
    let on_its_way = Pending::read(layout)?.sights.remove(&who);
    let known = lines.iter().map(|line| line.event.id.clone()).collect();
    let completed = append_missing(&journal, known, on_its_way.unwrap_or_default())?;
    let mut events: Vec<MarginEvent> = lines.drain(..).map(|line| line.event).collect();
    events.extend(completed.into_iter().map(|(_, event)| event));
    for (session, saw) in sights {
        let before = events.iter().filter_map(|event| match &event.mark {
            Mark::Unblinded { session: of, saw } if of == session => Some(saw),
            _ => None,
        });
        let before: BTreeSet<Unblinding> = before.flatten().copied().collect();
        if before.is_superset(saw) {
            continue;
        }
        let event = MarginEvent {
            id: MarkId::new(clock.fresh_id()),
            mark: Mark::Unblinded {
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
    fsync: &Fsync,
    annotator: &str,
    holder: &str,
) -> Result<(JournalWriter<MarginEvent>, Vec<Line<MarginEvent>>), DriverError> {
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
pub fn read_sights(
    layout: &Layout,
    annotator: &str,
) -> Result<Vec<(String, MarginEvent)>, DriverError> {
    let on_its_way = Pending::read(layout)?.sights.remove(annotator);
    sights_of(layout, annotator, on_its_way.unwrap_or_default())
}

/// Returns what an annotator was shown, with what a merge took of it and did not write yet.
pub(super) fn sights_of(
    layout: &Layout,
    annotator: &str,
    on_its_way: Vec<PendingMark>,
) -> Result<Vec<(String, MarginEvent)>, DriverError> {
    let path = layout.sights(annotator)?;
    let lines = match path.exists() {
        true => known::<MarginEvent>(&path, read_journal(&path)?.lines)?,
        false => Vec::new(),
    };
    let lines = lines.into_iter().map(|line| (line.at, line.event));
    let mut sights: Vec<(String, MarginEvent)> = lines.collect();
    let known: BTreeSet<MarkId> = sights.iter().map(|(_, event)| event.id.clone()).collect();
    let missing = on_its_way.into_iter();
    let missing = missing.filter(|mark| !known.contains(&mark.event.id));
    sights.extend(missing.map(|mark| (mark.at, mark.event)));
    Ok(sights)
}
