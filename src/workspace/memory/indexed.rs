//! Events of journals of long-term memory: from the store's index as far as that has them, and from the
//! journal behind that.
//!
//! The index holds a journal's events in parts of bounded size; the last one says how far they reach. A
//! journal that grew is read from there, and only its last part is written again, with those that are new.

use super::journals::journals_of;
use crate::memory::{EntryKind, MemoryEvent};
use crate::store::{Head, JournalStamp, Layout, TailNotice, check_seen, holds_line, read_after};
use crate::workspace::error::WorkspaceError;
use crate::workspace::journal_lines::known;
use crate::workspace::store_index::{PART, StoreIndex, table};
use std::path::Path;

/// Bytes of events that a part holds at most; a longer event has a part of its own.
const PART_BYTES: usize = 64 << 10;
/// Journals of a namespace, or their bytes, from which reading them costs more than opening the index.
const MANY_JOURNALS: usize = 64;
const MANY_BYTES: u64 = 1 << 20;

impl StoreIndex {
    /// Reads what the index holds of these namespaces, where there is more in their journals than opening
    /// it costs. Blocks as [`read`](Self::read).
    pub fn for_memory(layout: &Layout, namespaces: &[String]) -> Self {
        let kinds = [EntryKind::Lesson, EntryKind::Guardrail];
        let journals = namespaces.iter().flat_map(|namespace| {
            let of_kind = |kind| journals_of(layout, kind, namespace).unwrap_or_default();
            kinds.into_iter().flat_map(of_kind)
        });
        let lengths: Vec<u64> = journals
            .filter_map(|path| Some(path.metadata().ok()?.len()))
            .collect();
        if lengths.len() < MANY_JOURNALS && lengths.iter().sum::<u64>() < MANY_BYTES {
            return Self::without(layout);
        }
        let below = match namespaces {
            [namespace] => format!("memory/{namespace}/"),
            _ => "memory/".to_owned(),
        };
        Self::read_memory(layout, &below)
    }
}

/// Events of a journal as the index has them.
struct IndexedEvents {
    events: Vec<MemoryEvent>,
    /// Where each part begins.
    parts: Vec<usize>,
    /// Head that they reach to.
    head: Head,
    /// Stamp of the journal when that was its head.
    stamp: Option<JournalStamp>,
}

impl IndexedEvents {
    fn none() -> Self {
        Self {
            events: Vec::new(),
            parts: Vec::new(),
            head: Head::EMPTY,
            stamp: None,
        }
    }

    /// Puts the parts together; nothing where they do not make a whole.
    fn read(index: &StoreIndex, key: &str) -> Self {
        let mut read = Self::none();
        while let Some(entry) = index.entry(table::MEMORY, &part_key(key, read.parts.len())) {
            let Some(events) = decoded(&entry.value, read.events.len()) else {
                break;
            };
            read.parts.push(read.events.len());
            read.events.extend(events);
            (read.head, read.stamp) = (entry.watermark, Some(entry.stamp));
        }
        match usize::try_from(read.head.lines) == Ok(read.events.len()) {
            true => read,
            false => Self::none(),
        }
    }

    /// Keeps the last of the parts that there were, and all behind it, for the next write.
    fn note(&self, index: &StoreIndex, key: &str) {
        let mut part = self.parts.len().saturating_sub(1);
        let begin = self.parts.last().copied().unwrap_or_default();
        let mut value = beginning(begin);
        let insert = |part, value| {
            index.insert(
                table::MEMORY,
                &part_key(key, part),
                self.stamp,
                self.head,
                value,
            );
        };
        for (at, event) in self.events.iter().enumerate().skip(begin) {
            let Ok(line) = serde_json::to_vec(event) else {
                return;
            };
            if at > begin && value.len() + line.len() >= PART_BYTES {
                insert(part, std::mem::replace(&mut value, beginning(at)));
                part += 1;
            }
            value.push(b'\n');
            value.extend(line);
        }
        insert(part, value);
        index.remove_from(table::MEMORY, |left| part_key(key, part + 1 + left));
    }
}

/// Reads the events of a journal; it is opened only if it has changed. Returns notices of an incomplete
/// last line, which is left out.
///
/// # Errors
/// When the journal cannot be read, or holds less than it was seen to hold.
pub(super) fn read_events(
    index: &StoreIndex,
    path: &Path,
) -> Result<(Vec<MemoryEvent>, Vec<TailNotice>), WorkspaceError> {
    // Before the journal is read: if it grows meanwhile, the entry is merely out of date.
    let stamp = index.stamp(path);
    let key = index.key(path).filter(|_| index.why_off().is_none());
    let mut read = key.map_or_else(IndexedEvents::none, |key| IndexedEvents::read(index, key));
    let reaches_end = stamp.is_some_and(|stamp| stamp.bytes() == read.head.bytes);
    if reaches_end && read.stamp == stamp {
        return Ok((read.events, Vec::new()));
    }
    if !read.parts.is_empty() && !holds_line(path, &read.head)? {
        check_seen(path, &read.head)?;
        read = IndexedEvents::none();
    }
    let rest = read_after(path, &read.head)?;
    let lines = known(path, rest.lines)?.into_iter();
    read.events.extend(lines.map(|line| line.event));
    (read.head, read.stamp) = (rest.head, stamp);
    if let Some(key) = key {
        read.note(index, key);
    }
    Ok((read.events, rest.notices))
}

fn part_key(key: &str, part: usize) -> String {
    format!("{key}{PART}{part:06}")
}

/// First line of a part: the version that wrote it, and how many events are before it.
fn beginning(before: usize) -> Vec<u8> {
    format!("{} {before}", env!("CARGO_PKG_VERSION")).into_bytes()
}

/// Reads a part; `None` for one of another version, or of another place.
fn decoded(value: &[u8], before: usize) -> Option<Vec<MemoryEvent>> {
    let mut lines = value.split(|byte| *byte == b'\n');
    let is_next = lines.next()? == beginning(before);
    let events = lines.map(|line| serde_json::from_slice(line).ok());
    is_next.then(|| events.collect())?
}
