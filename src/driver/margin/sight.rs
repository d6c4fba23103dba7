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
use crate::debate::{Author, SessionId};
use crate::store::{Fsync, JournalWriter, Layout, StoreError, read_journal};
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
    let path = layout.sights(&annotator(person))?;
    let mut tries = 0;
    let (journal, mut lines) = loop {
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
    let lines = known::<MarginEvent>(&path, std::mem::take(&mut lines))?;
    for (session, saw) in sights {
        let before = lines.iter().filter_map(|line| match &line.event.mark {
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

/// Returns what an annotator was shown, with the times; nothing where nothing was recorded. Blocks
/// while it reads.
///
/// # Errors
/// When the journal cannot be read.
pub fn read_sights(
    layout: &Layout,
    annotator: &str,
) -> Result<Vec<(String, MarginEvent)>, DriverError> {
    let path = layout.sights(annotator)?;
    if !path.exists() {
        return Ok(Vec::new());
    }
    let lines = known::<MarginEvent>(&path, read_journal(&path)?.lines)?;
    Ok(lines
        .into_iter()
        .map(|line| (line.at, line.event))
        .collect())
}
