//! The first lessons of a namespace: memory as it was when it held so many and no more, for the points of a
//! learning curve.

use super::journals::{NamespaceJournals, read_with_index};
use crate::workspace::error::{Result, reject};
use elenchus_memory::{EntryId, EntryKind, EntryOrigin, MemoryEvent};
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
    /// Lessons are in the order in which they were added; those of one batch of a run in that of their topics and
    /// texts, because which of its debates is over first is chance.
    pub(super) fn keep_first_lessons(&mut self, count: u32) {
        let additions = self.additions();
        let kept = usize::try_from(count).unwrap_or(usize::MAX);
        if additions.len() <= kept {
            return;
        }
        let (first, others) = additions.split_at(kept);
        let batches: BTreeSet<(&str, u32)> = first.iter().filter_map(Addition::batch).collect();
        // Lessons of a batch of which some are kept were learned beside these, not after them.
        let later = others
            .iter()
            .filter(|one| one.batch().is_none_or(|batch| !batches.contains(&batch)));
        let end = later.filter_map(|one| one.added_at).min();
        let first: BTreeSet<EventPlace> = first.iter().map(|one| one.place).collect();
        for (journal, own) in self.journals.iter_mut().enumerate() {
            let mut line = 0;
            own.events.retain(|event| {
                let place = (journal, line);
                line += 1;
                match event {
                    MemoryEvent::EntryAdded { .. } => first.contains(&place),
                    _ => end.is_none_or(|end| {
                        let at = event.time().parse::<Timestamp>();
                        at.map_or(true, |at| at < end)
                    }),
                }
            });
        }
    }

    /// Returns the additions of lessons in their order.
    fn additions(&self) -> Vec<Addition<'_>> {
        let mut additions: Vec<Addition<'_>> = Vec::new();
        for (journal, own) in self.journals.iter().enumerate() {
            for (line, event) in own.events.iter().enumerate() {
                if let MemoryEvent::EntryAdded {
                    id,
                    text,
                    origin,
                    at,
                    ..
                } = event
                {
                    additions.push(Addition {
                        added_at: at.parse().ok(),
                        origin: origin.as_ref(),
                        text,
                        id,
                        place: (journal, line),
                    });
                }
            }
        }
        additions.sort_by_key(|one| (one.added_at, one.place));
        let mut batch_begins: HashMap<(&str, u32), usize> = HashMap::new();
        let mut keyed: Vec<_> = additions
            .into_iter()
            .enumerate()
            .map(|(at, one)| match (one.batch(), one.origin) {
                // Ids of debates are drawn anew in each run: they decide between equal lessons alone.
                (Some(batch), Some(origin)) => {
                    let begin = *batch_begins.entry(batch).or_insert(at);
                    ((begin, origin.topic_id.as_str(), one.text, one.id), one)
                }
                _ => ((at, "", "", one.id), one),
            })
            .collect();
        keyed.sort_by_key(|(key, _)| *key);
        keyed.into_iter().map(|(_, addition)| addition).collect()
    }
}

/// The addition of a lesson.
struct Addition<'a> {
    /// `None` where the time cannot be read: before all others.
    added_at: Option<Timestamp>,
    origin: Option<&'a EntryOrigin>,
    text: &'a str,
    id: &'a EntryId,
    place: EventPlace,
}

impl<'a> Addition<'a> {
    /// Returns the run and the batch that it was learned in.
    fn batch(&self) -> Option<(&'a str, u32)> {
        let origin = self.origin?;
        Some((origin.run.as_deref()?, origin.batch?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::memory::journals::MemoryJournal;

    /// A lesson of a debate; the number is when it was added, in seconds.
    fn added(id: &str, (run, batch): (&str, u32), topic: &str, second: u32) -> MemoryEvent {
        MemoryEvent::EntryAdded {
            id: EntryId(id.to_owned()),
            text: format!("Lesson {id}."),
            origin: Some(EntryOrigin {
                session: format!("session-of-{id}"),
                run: Some(run.to_owned()),
                topic_id: topic.to_owned(),
                topic_text: topic.to_owned(),
                said_before: String::new(),
                root_session: format!("session-of-{id}"),
                batch: Some(batch),
            }),
            batch: None,
            at: time(second),
        }
    }

    fn time(second: u32) -> String {
        format!("2026-01-31T12:00:{second:02}Z")
    }

    fn disabled(id: &str, second: u32) -> MemoryEvent {
        MemoryEvent::EntryDisabled {
            id: EntryId(id.to_owned()),
            at: time(second),
        }
    }

    fn memory(journals: &[(&str, &[MemoryEvent])]) -> NamespaceJournals {
        let journals = journals.iter().map(|(name, events)| MemoryJournal {
            name: (*name).to_owned(),
            events: events.to_vec(),
            import: None,
        });
        NamespaceJournals {
            journals: journals.collect(),
            notices: Vec::new(),
        }
    }

    /// The first lessons, those that are turned off with a mark.
    fn first(memory: &NamespaceJournals, count: u32) -> Vec<String> {
        let mut memory = memory.clone();
        memory.keep_first_lessons(count);
        let fold = memory.fold_entries();
        let entries = fold.entries.iter().map(|entry| {
            let is_live = entry.availability() == elenchus_memory::EntryStatus::Live;
            let mark = if is_live { "" } else { "-" };
            format!("{mark}{}", entry.id)
        });
        let mut entries: Vec<String> = entries.collect();
        entries.sort();
        entries
    }

    #[test]
    fn the_first_lessons_are_the_same_whichever_debate_is_over_first_and_whatever_is_learned_later()
    {
        let one = [
            added("b", ("run", 0), "topic-2", 1),
            added("a", ("run", 0), "topic-1", 4),
        ];
        // The same batch, the other way round.
        let other = [
            added("a", ("run", 0), "topic-1", 1),
            added("b", ("run", 0), "topic-2", 4),
        ];
        let beside = [
            added("z", ("again", 0), "topic-1", 2),
            disabled("b", 3),
            added("y", ("again", 0), "topic-1", 3),
        ];
        for run in [&one, &other] {
            let both = memory(&[("run", run), ("again", &beside)]);
            assert_eq!(first(&both, 1), ["a"]);
            // b is turned off when z was there, which is no longer among the first two.
            assert_eq!(first(&both, 2), ["a", "b"]);
            // Two lessons from one topic are in the order of their texts: y, then z.
            assert_eq!(first(&both, 3), ["-b", "a", "y"]);
            let more = [
                added("d", ("later", 0), "topic-1", 8),
                disabled("a", 9),
                added("c", ("later", 1), "topic-0", 10),
            ];
            let more = memory(&[("run", run), ("again", &beside), ("later", &more)]);
            assert_eq!(first(&more, 1), ["a"]);
            assert_eq!(first(&more, 2), ["a", "b"]);
            assert_eq!(first(&more, 3), ["-b", "a", "y"]);
            assert_eq!(first(&more, 4), ["-b", "a", "y", "z"]);
        }
    }

    #[test]
    fn a_lesson_is_changed_until_the_next_one_that_was_not_learned_beside_it() {
        let events = [
            added("b", ("run", 0), "topic-2", 1),
            disabled("b", 2),
            added("a", ("run", 0), "topic-1", 3),
            disabled("a", 4),
            added("c", ("run", 1), "topic-1", 5),
            disabled("a", 6),
        ];
        let memory = memory(&[("run", &events)]);
        assert_eq!(first(&memory, 1), ["-a"]);
        assert_eq!(first(&memory, 2), ["-a", "-b"]);
    }
}
