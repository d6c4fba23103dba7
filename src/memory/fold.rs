//! Fold of a namespace's journals into its entries.

use std::collections::HashMap;

use jiff::Timestamp;

use super::{EntryId, EntryVersion, MemoryEntry, MemoryEvent, MergedLesson};

/// Name of a journal without a name.
const UNNAMED: &str = "";

/// Events of one writer in a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriterJournal<'a> {
    /// The writer: a run, a session, or `person-…`.
    pub name: &'a str,
    pub events: &'a [MemoryEvent],
}

/// Entries in order of addition, and the events that did not fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryFold {
    pub entries: Vec<MemoryEntry>,
    pub misfits: Vec<Misfit>,
    places: HashMap<EntryId, usize>,
}

/// An event that is ignored because it does not fit the events before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{journal}: line {line}: {why}")]
pub struct Misfit {
    pub journal: String,
    /// Counts from 1.
    pub line: usize,
    pub why: MisfitReason,
}

/// Reason of a misfit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MisfitReason {
    #[error("the entry {0} was already added")]
    AddedTwice(EntryId),
    #[error("there is no entry {0}")]
    Unknown(EntryId),
}

/// Folds the events of one journal, as [`fold_journals`] does.
pub fn fold(events: &[MemoryEvent]) -> MemoryFold {
    fold_journals(&[WriterJournal {
        name: UNNAMED,
        events,
    }])
}

/// Folds all journals of a namespace into its entries.
///
/// First all additions, then all changes in order of time, so that a change in one journal reaches
/// an entry of another. Equal times are ordered by journal and line; within a journal the order of
/// its lines holds, also where a clock went back. Total: an event that does not fit is reported and
/// changes nothing.
pub fn fold_journals(journals: &[WriterJournal<'_>]) -> MemoryFold {
    let mut ordered: Vec<PlacedEvent<'_>> = journals.iter().flat_map(place_events).collect();
    ordered.sort_by(|a, b| {
        let key = |placed: &PlacedEvent<'_>| (!placed.adds(), placed.when);
        (key(a).cmp(&key(b)))
            .then_with(|| a.journal.cmp(b.journal))
            .then_with(|| a.line.cmp(&b.line))
    });
    let mut folded = MemoryFold::default();
    for placed in ordered {
        folded.apply(placed.journal, placed.line, placed.event);
    }
    folded
}

/// An event with its position.
struct PlacedEvent<'a> {
    journal: &'a str,
    line: usize,
    /// Never before the time of the previous line; an unreadable time is replaced by that one.
    when: Option<Timestamp>,
    event: &'a MemoryEvent,
}

impl PlacedEvent<'_> {
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

fn place_events<'a>(journal: &WriterJournal<'a>) -> Vec<PlacedEvent<'a>> {
    let mut latest: Option<Timestamp> = None;
    let place = |(at, event): (usize, &'a MemoryEvent)| {
        latest = latest.max(event.at().parse().ok());
        PlacedEvent {
            journal: journal.name,
            line: at + 1,
            when: latest,
            event,
        }
    };
    journal.events.iter().enumerate().map(place).collect()
}

impl MemoryFold {
    /// Returns the entry with an id: its own, or that of a lesson merged into it.
    pub fn find(&self, id: &EntryId) -> Option<&MemoryEntry> {
        self.places.get(id).and_then(|at| self.entries.get(*at))
    }

    /// Applies an event. Returns whether it fitted; a misfit is recorded.
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

    fn try_apply(&mut self, journal: &str, event: &MemoryEvent) -> Result<(), MisfitReason> {
        if let MemoryEvent::EntryAdded {
            id,
            text,
            origin,
            batch,
            at,
        } = event
        {
            if self.places.contains_key(id) {
                return Err(MisfitReason::AddedTwice(id.clone()));
            }
            let mut origin = origin.clone();
            if let Some(origin) = &mut origin {
                origin.batch = origin.batch.or(*batch);
            }
            self.places.insert(id.clone(), self.entries.len());
            self.entries.push(MemoryEntry {
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
        let unknown = || MisfitReason::Unknown(id.clone());
        let place = *self.places.get(id).ok_or_else(unknown)?;
        if let MemoryEvent::EntryMerged { id: lesson, .. } = event {
            if self.places.contains_key(lesson) {
                return Err(MisfitReason::AddedTwice(lesson.clone()));
            }
            self.places.insert(lesson.clone(), place);
        }
        let entry = self.entries.get_mut(place).ok_or_else(unknown)?;
        change(entry, journal, event);
        Ok(())
    }
}

fn change(entry: &mut MemoryEntry, journal: &str, event: &MemoryEvent) {
    match event {
        MemoryEvent::EntryAdded { .. } => {}
        MemoryEvent::EntryEdited { text, at, .. } => {
            entry.earlier.push(EntryVersion {
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
            entry.merged.push(MergedLesson {
                id: id.clone(),
                session: origin.session.clone(),
                text: from_text.clone(),
                at: at.clone(),
            });
            entry.origins.push(origin.clone());
        }
    }
}
