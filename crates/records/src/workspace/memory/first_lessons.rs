//! The first lessons of a namespace: memory as it was when it held so many and no more, for the points of a
//! learning curve.

use super::journals::{NamespaceJournals, read_with_index};
use crate::workspace::error::{Result, reject};
use elenchus_memory::{EntryKind, EntryOrigin, MemoryEvent};
use elenchus_store::Layout;
use jiff::Timestamp;
use std::collections::{BTreeSet, HashMap};

/// Returns the time, RFC 3339, by which each of some memories held its first lessons: the same whenever it is
/// asked, whatever was learned since. A lesson that became part of another counts there.
///
/// # Errors
/// When a memory holds fewer, or a journal cannot be read.
pub fn find_first_lessons(layout: &Layout, namespaces: &[String], count: u32) -> Result<String> {
    let mut end = Timestamp::UNIX_EPOCH;
    for namespace in namespaces {
        let read = read_with_index(layout, EntryKind::Lesson, namespace)?;
        let additions = read.additions();
        let held = additions.len();
        let Some(first) = additions.get(..usize::try_from(count).unwrap_or(usize::MAX)) else {
            return reject(format!(
                "--memory-snapshot first:{count}: memory '{namespace}' holds {held} lessons; teach it more, or ask \
                 for {held} or fewer"
            ));
        };
        let times = first.iter().filter_map(|addition| addition.added_at);
        end = times.fold(end, Timestamp::max);
    }
    Ok(end.to_string())
}

/// Place of an event: its journal and its line, from 0.
type EventPlace = (usize, usize);

impl NamespaceJournals {
    /// Leaves out every lesson after the first ones, and what was changed once the next one was there.
    ///
    /// Lessons are in the order in which they were added; those of one batch of a run in that of their topics,
    /// because which of its debates is over first is chance.
    pub(super) fn keep_first_lessons(&mut self, count: u32) {
        let additions = self.additions();
        let kept = usize::try_from(count).unwrap_or(usize::MAX);
        let Some(next) = additions.get(kept) else {
            return;
        };
        let end = next.added_at;
        let first: BTreeSet<EventPlace> = additions[..kept].iter().map(|one| one.place).collect();
        for (journal, own) in self.journals.iter_mut().enumerate() {
            let mut line = 0;
            own.events.retain(|event| {
                let place = (journal, line);
                line += 1;
                match event {
                    MemoryEvent::EntryAdded { .. } => first.contains(&place),
                    _ => event.time().parse::<Timestamp>().ok() < end,
                }
            });
        }
    }

    /// Returns the additions of lessons in their order.
    fn additions(&self) -> Vec<Addition<'_>> {
        let mut additions: Vec<Addition<'_>> = Vec::new();
        for (journal, own) in self.journals.iter().enumerate() {
            for (line, event) in own.events.iter().enumerate() {
                if let MemoryEvent::EntryAdded { origin, at, .. } = event {
                    additions.push(Addition {
                        added_at: at.parse().ok(),
                        origin: origin.as_ref(),
                        place: (journal, line),
                    });
                }
            }
        }
        additions.sort_by_key(|one| (one.added_at, one.place));
        let mut batch_begins: HashMap<(&str, u32), usize> = HashMap::new();
        let keys = additions
            .iter()
            .enumerate()
            .map(|(at, one)| match one.batch() {
                Some((batch, topic)) => (*batch_begins.entry(batch).or_insert(at), topic, at),
                None => (at, "", at),
            });
        let keys: Vec<(usize, &str, usize)> = keys.collect();
        let mut keyed: Vec<_> = keys.into_iter().zip(additions).collect();
        keyed.sort_by_key(|(key, _)| *key);
        keyed.into_iter().map(|(_, addition)| addition).collect()
    }
}

/// The addition of a lesson.
struct Addition<'a> {
    /// `None` where the time cannot be read: before all others.
    added_at: Option<Timestamp>,
    origin: Option<&'a EntryOrigin>,
    place: EventPlace,
}

impl<'a> Addition<'a> {
    /// Returns the run and the batch that it was learned in, and its topic.
    fn batch(&self) -> Option<((&'a str, u32), &'a str)> {
        let origin = self.origin?;
        Some(((origin.run.as_deref()?, origin.batch?), &origin.topic_id))
    }
}
