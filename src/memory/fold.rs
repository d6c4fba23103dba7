//! From the journals of a namespace to its entries.

use std::collections::HashMap;

use jiff::Timestamp;

use super::{Entry, EntryId, MemoryEvent, Merged, Version};

/// The name of a journal that nobody named.
const UNNAMED: &str = "";

/// What one writer did to a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Journal<'a> {
    /// The writer: a run, a session, or `person-…`.
    pub name: &'a str,
    pub events: &'a [MemoryEvent],
}

/// Entries in the order in which they were added, and the events that did not fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folded {
    pub entries: Vec<Entry>,
    pub misfits: Vec<Misfit>,
    places: HashMap<EntryId, usize>,
}

/// An event that changes nothing because it does not fit what came before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{journal}: line {line}: {why}")]
pub struct Misfit {
    pub journal: String,
    /// Counts from 1.
    pub line: usize,
    pub why: WhyMisfit,
}

/// What does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhyMisfit {
    #[error("the entry {0} was already added")]
    AddedTwice(EntryId),
    #[error("there is no entry {0}")]
    Unknown(EntryId),
}

/// Folds the events of one journal, as [`fold_journals`] does.
pub fn fold(events: &[MemoryEvent]) -> Folded {
    fold_journals(&[Journal {
        name: UNNAMED,
        events,
    }])
}

/// Folds all journals of a namespace into its entries.
///
/// First whatever was added, then every change in the order of time, so that a change in one
/// journal reaches an entry of another. Equal times are ordered by journal and line; within a
/// journal the order of its lines holds, also where a clock went back. Total: an event that does
/// not fit is reported and changes nothing.
pub fn fold_journals(journals: &[Journal<'_>]) -> Folded {
    let mut ordered: Vec<Placed<'_>> = journals.iter().flat_map(placed).collect();
    ordered.sort_by(|a, b| {
        let key = |placed: &Placed<'_>| (!placed.adds(), placed.when);
        (key(a).cmp(&key(b)))
            .then_with(|| a.journal.cmp(b.journal))
            .then_with(|| a.line.cmp(&b.line))
    });
    let mut folded = Folded::default();
    for placed in ordered {
        folded.apply(placed.journal, placed.line, placed.event);
    }
    folded
}

/// An event with its place.
struct Placed<'a> {
    journal: &'a str,
    line: usize,
    /// Never before the line above it. Times that cannot be read are the line's above, too.
    when: Option<Timestamp>,
    event: &'a MemoryEvent,
}

impl Placed<'_> {
    fn adds(&self) -> bool {
        match self.event {
            MemoryEvent::EntryAdded { .. } => true,
            MemoryEvent::EntryEdited { .. }
            | MemoryEvent::EntryDisabled { .. }
            | MemoryEvent::EntryEnabled { .. }
            | MemoryEvent::EntryMerged { .. }
            | MemoryEvent::EntryDeleted { .. }
            | MemoryEvent::EntryRestored { .. } => false,
        }
    }
}

fn placed<'a>(journal: &Journal<'a>) -> Vec<Placed<'a>> {
    let mut latest: Option<Timestamp> = None;
    let place = |(at, event): (usize, &'a MemoryEvent)| {
        latest = latest.max(event.at().parse().ok());
        Placed {
            journal: journal.name,
            line: at + 1,
            when: latest,
            event,
        }
    };
    journal.events.iter().enumerate().map(place).collect()
}

impl Folded {
    /// Returns the entry that an id names: its own, or that of a lesson that became part of it.
    pub fn find(&self, id: &EntryId) -> Option<&Entry> {
        self.places.get(id).and_then(|at| self.entries.get(*at))
    }

    /// Adds what happened to what is known. Returns whether it fitted; a misfit is kept.
    pub fn apply(&mut self, journal: &str, line: usize, event: &MemoryEvent) -> bool {
        let why = match self.try_apply(journal, event) {
            Ok(()) => return true,
            Err(why) => why,
        };
        self.misfits.push(Misfit {
            journal: journal.to_owned(),
            line,
            why,
        });
        false
    }

    fn try_apply(&mut self, journal: &str, event: &MemoryEvent) -> Result<(), WhyMisfit> {
        if let MemoryEvent::EntryAdded {
            id,
            text,
            origin,
            batch,
            at,
        } = event
        {
            if self.places.contains_key(id) {
                return Err(WhyMisfit::AddedTwice(id.clone()));
            }
            let mut origin = origin.clone();
            if let Some(origin) = &mut origin {
                origin.batch = origin.batch.or(*batch);
            }
            self.places.insert(id.clone(), self.entries.len());
            self.entries.push(Entry {
                id: id.clone(),
                text: text.clone(),
                origins: origin.into_iter().collect(),
                at: at.clone(),
                journal: journal.to_owned(),
                revision: 0,
                disabled: false,
                deleted: false,
                earlier: Vec::new(),
                merged: Vec::new(),
            });
            return Ok(());
        }
        let id = event.entry();
        let unknown = || WhyMisfit::Unknown(id.clone());
        let place = *self.places.get(id).ok_or_else(unknown)?;
        if let MemoryEvent::EntryMerged { id: lesson, .. } = event {
            if self.places.contains_key(lesson) {
                return Err(WhyMisfit::AddedTwice(lesson.clone()));
            }
            self.places.insert(lesson.clone(), place);
        }
        let entry = self.entries.get_mut(place).ok_or_else(unknown)?;
        change(entry, journal, event);
        Ok(())
    }
}

fn change(entry: &mut Entry, journal: &str, event: &MemoryEvent) {
    match event {
        MemoryEvent::EntryAdded { .. } => {}
        MemoryEvent::EntryEdited { text, at, .. } => {
            entry.earlier.push(Version {
                text: std::mem::replace(&mut entry.text, text.clone()),
                at: std::mem::replace(&mut entry.at, at.clone()),
                journal: std::mem::replace(&mut entry.journal, journal.to_owned()),
            });
            entry.revision = entry.revision.saturating_add(1);
        }
        MemoryEvent::EntryDisabled { .. } => entry.disabled = true,
        MemoryEvent::EntryEnabled { .. } => entry.disabled = false,
        MemoryEvent::EntryDeleted { .. } => entry.deleted = true,
        MemoryEvent::EntryRestored { .. } => entry.deleted = false,
        MemoryEvent::EntryMerged {
            id,
            origin,
            from_text,
            at,
            ..
        } => {
            entry.merged.push(Merged {
                id: id.clone(),
                session: origin.session.clone(),
                text: from_text.clone(),
                at: at.clone(),
            });
            entry.origins.push(origin.clone());
        }
    }
}
