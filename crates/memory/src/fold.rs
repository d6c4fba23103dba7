//! Fold of a namespace's journals into its entries.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::entry::{EntryVersion, Guardrail, MergedEntry};
use super::guardrail::{add_example, normal_form};
use super::{EntryId, EntryKind, EntryOrigin, GuardStatus, GuardText, MemoryEntry, MemoryEvent};

/// Name of a journal without a name.
const UNNAMED: &str = "";

/// Events of one writer in a namespace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WriterJournal<'a> {
    /// The writer: a run, a session, or `person-…`.
    pub name: &'a str,
    pub events: &'a [MemoryEvent],
}

/// Entries in order of addition, and the events that did not fit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryFold {
    pub entries: Vec<MemoryEntry>,
    /// Debates whose derivation could not be read, with the reason.
    pub unparsed: Vec<(EntryOrigin, String)>,
    /// Debates whose derivation failed, with the reason.
    pub failed: Vec<(EntryOrigin, String)>,
    pub misfits: Vec<Misfit>,
    /// Index of the entry of each id, also of merged ones.
    places: HashMap<EntryId, usize>,
    /// Index of the guardrail of each intent, by its normal form.
    intents: HashMap<String, usize>,
    /// Normal forms of the examples of guardrails that further proposals became part of, by index.
    example_forms: HashMap<usize, HashSet<String>>,
}

/// An event that is ignored because it does not fit the events before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("journal '{journal}', line {line}: {why}")]
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
    #[error("guardrail {0} was proposed already")]
    ProposedTwice(EntryId),
    #[error("there is no entry {0}")]
    Unknown(EntryId),
    #[error("there is no guardrail {0}")]
    UnknownGuardrail(EntryId),
}

/// Folds the events of one journal, as [`fold_journals`] does.
pub fn fold_events(events: &[MemoryEvent]) -> MemoryFold {
    fold_journals([WriterJournal {
        name: UNNAMED,
        events,
    }])
}

/// Folds journals of a namespace into its entries.
///
/// First all additions, then all changes in order of time, so that a change in one journal reaches
/// an entry of another. Equal times are ordered by journal and line; within a journal the order of
/// its lines holds, also where a clock went back. Total: an event that does not fit is reported and
/// changes nothing.
pub fn fold_journals<'a>(journals: impl IntoIterator<Item = WriterJournal<'a>>) -> MemoryFold {
    let mut placed_events: Vec<PlacedEvent<'_>> =
        journals.into_iter().flat_map(place_events).collect();
    placed_events.sort_by(|a, b| {
        let key = |placed: &PlacedEvent<'_>| (!placed.is_addition(), placed.when);
        (key(a).cmp(&key(b)))
            .then_with(|| a.journal.cmp(b.journal))
            .then_with(|| a.line.cmp(&b.line))
    });
    let additions = placed_events.partition_point(PlacedEvent::is_addition);
    let (additions, changes) = placed_events.split_at(additions);
    let mut memory = MemoryFold::default();
    for placed in order_by_batch(additions).into_iter().chain(changes) {
        memory.apply_event(placed.journal, placed.line, placed.event);
    }
    memory
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
    fn is_addition(&self) -> bool {
        matches!(
            self.event,
            MemoryEvent::EntryAdded { .. } | MemoryEvent::GuardProposed { .. }
        )
    }
}

fn place_events(journal: WriterJournal<'_>) -> Vec<PlacedEvent<'_>> {
    let mut latest: Option<Timestamp> = None;
    let place = |(at, event)| {
        latest = latest.max(MemoryEvent::time(event).parse().ok());
        PlacedEvent {
            journal: journal.name,
            line: at + 1,
            when: latest,
            event,
        }
    };
    journal.events.iter().enumerate().map(place).collect()
}

/// Orders proposals of one batch of a run by topic: the order in which debates of a batch finish is
/// chance, and merged guardrails must not depend on it.
fn order_by_batch<'a, 'e>(additions: &'a [PlacedEvent<'e>]) -> Vec<&'a PlacedEvent<'e>> {
    let mut began: HashMap<(&str, u32), usize> = HashMap::new();
    let keyed_events = additions.iter().enumerate().map(|(at, placed)| {
        let (first, topic) = match batch_and_topic(placed.event) {
            Some((batch, topic)) => (*began.entry(batch).or_insert(at), topic),
            None => (at, ""),
        };
        ((first, topic, at), placed)
    });
    let mut keyed_events: Vec<_> = keyed_events.collect();
    keyed_events.sort_by_key(|(key, _)| *key);
    keyed_events.into_iter().map(|(_, placed)| placed).collect()
}

fn batch_and_topic(event: &MemoryEvent) -> Option<((&str, u32), &str)> {
    let MemoryEvent::GuardProposed { origin, .. } = event else {
        return None;
    };
    let origin = origin.as_ref()?;
    Some(((origin.run.as_deref()?, origin.batch?), &origin.topic_id))
}

impl MemoryFold {
    /// Returns the entry with an id: its own, or that of one merged into it.
    pub fn find_entry(&self, id: &EntryId) -> Option<&MemoryEntry> {
        self.places.get(id).and_then(|at| self.entries.get(*at))
    }

    /// Returns the guardrail that a proposal with this intent becomes part of: the one that had the intent
    /// first, whatever a person called it since.
    pub fn find_guardrail(&self, intent: &str) -> Option<&MemoryEntry> {
        let place = self.intents.get(&normal_form(intent));
        place.and_then(|at| self.entries.get(*at))
    }

    /// Returns the entries of a kind.
    pub fn entries_of_kind(
        &self,
        kind: EntryKind,
    ) -> impl DoubleEndedIterator<Item = &MemoryEntry> {
        let entries = self.entries.iter();
        entries.filter(move |entry| entry.kind() == kind)
    }

    /// Returns whether a derivation for this debate was parsed, or was found unreadable.
    pub fn has_derivation(&self, session: &str) -> bool {
        let mut unparsed_origins = self.unparsed.iter();
        self.entries_of_kind(EntryKind::Guardrail)
            .any(|guard| guard.has_origin(session))
            || unparsed_origins.any(|(origin, _)| origin.session == session)
    }

    /// Applies an event. Returns whether it fitted; a misfit is recorded.
    pub fn apply_event(&mut self, journal: &str, line: usize, event: &MemoryEvent) -> bool {
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
        match event {
            MemoryEvent::EntryAdded {
                id,
                text,
                origin,
                batch,
                at,
            } => {
                self.register_id(id, EntryKind::Lesson, self.entries.len())?;
                let mut entry = MemoryEntry::new(id, text, at, journal);
                entry.origins = origin.iter().cloned().collect();
                for origin in &mut entry.origins {
                    origin.batch = origin.batch.or(*batch);
                }
                self.entries.push(entry);
            }
            MemoryEvent::GuardProposed {
                id,
                text,
                origin,
                derived,
                at,
            } => {
                let form = normal_form(&text.intent);
                let next = self.entries.len();
                let place = self.intents.get(&form).copied().unwrap_or(next);
                self.register_id(id, EntryKind::Guardrail, place)?;
                match self.entries.get_mut(place) {
                    Some(same) => {
                        let forms = self.example_forms.entry(place).or_insert_with(|| {
                            same.examples.iter().map(|one| normal_form(one)).collect()
                        });
                        merge_proposal(same, forms, (id, text, origin.as_ref()), at);
                    }
                    None => {
                        let mut entry = MemoryEntry::new(id, &text.intent, at, journal);
                        entry.examples.clone_from(&text.examples);
                        entry.origins = origin.iter().cloned().collect();
                        entry.guardrail = Some(Guardrail {
                            status: GuardStatus::Proposed,
                            derived: derived.as_deref().cloned(),
                            tests: Vec::new(),
                        });
                        self.intents.insert(form, place);
                        self.entries.push(entry);
                    }
                }
            }
            MemoryEvent::EntryMerged {
                into,
                id,
                origin,
                from_text,
                at,
            } => {
                let place = self.find_place(into, EntryKind::Lesson)?;
                self.register_id(id, EntryKind::Lesson, place)?;
                let entry = self.entry_mut(into, EntryKind::Lesson)?;
                entry.merged.push(MergedEntry {
                    id: id.clone(),
                    session: origin.session.clone(),
                    text: from_text.clone(),
                    at: at.clone(),
                });
                entry.origins.push(origin.clone());
            }
            MemoryEvent::EntryEdited { id, text, at } => {
                edit_entry(
                    self.entry_mut(id, event.entry_kind())?,
                    text,
                    &[],
                    at,
                    journal,
                );
            }
            MemoryEvent::GuardEdited { id, text, at } => {
                let entry = self.entry_mut(id, event.entry_kind())?;
                edit_entry(entry, &text.intent, &text.examples, at, journal);
                self.guardrail_mut(id)?.status = GuardStatus::Proposed;
                self.example_forms
                    .remove(&self.find_place(id, EntryKind::Guardrail)?);
            }
            MemoryEvent::EntryDisabled { id, .. } | MemoryEvent::GuardDisabled { id, .. } => {
                self.entry_mut(id, event.entry_kind())?.disabled = true;
            }
            MemoryEvent::EntryEnabled { id, .. } | MemoryEvent::GuardEnabled { id, .. } => {
                self.entry_mut(id, event.entry_kind())?.disabled = false;
            }
            MemoryEvent::EntryDeleted { id, .. } | MemoryEvent::GuardDeleted { id, .. } => {
                self.entry_mut(id, event.entry_kind())?.deleted = true;
            }
            MemoryEvent::EntryRestored { id, .. } | MemoryEvent::GuardRestored { id, .. } => {
                self.entry_mut(id, event.entry_kind())?.deleted = false;
            }
            MemoryEvent::GuardAccepted { id, how, .. } => {
                self.guardrail_mut(id)?.status = GuardStatus::Accepted(*how);
            }
            MemoryEvent::GuardRejected { id, .. } => {
                self.guardrail_mut(id)?.status = GuardStatus::Rejected;
            }
            MemoryEvent::GuardReopened { id, .. } => {
                self.guardrail_mut(id)?.status = GuardStatus::Proposed;
            }
            MemoryEvent::GuardTested { id, report, .. } => {
                self.guardrail_mut(id)?.tests.push((**report).clone());
            }
            MemoryEvent::DerivationStarted { .. } => {}
            MemoryEvent::DerivationUnparsed { origin, why, .. } => {
                self.unparsed.push((origin.clone(), why.clone()));
            }
            MemoryEvent::DerivationFailed { origin, why, .. } => {
                self.failed.push((origin.clone(), why.clone()));
            }
        }
        Ok(())
    }

    /// Gives the entry at a place a name of its own.
    fn register_id(
        &mut self,
        id: &EntryId,
        kind: EntryKind,
        place: usize,
    ) -> Result<(), MisfitReason> {
        if self.places.contains_key(id) {
            return Err(match kind {
                EntryKind::Lesson => MisfitReason::AddedTwice(id.clone()),
                EntryKind::Guardrail => MisfitReason::ProposedTwice(id.clone()),
            });
        }
        self.places.insert(id.clone(), place);
        Ok(())
    }

    fn find_place(&self, id: &EntryId, kind: EntryKind) -> Result<usize, MisfitReason> {
        let is_one = |entry: &MemoryEntry| entry.kind() == kind;
        match self.places.get(id).copied() {
            Some(place) if self.entries.get(place).is_some_and(is_one) => Ok(place),
            Some(_) | None => Err(unknown_error(id, kind)),
        }
    }

    fn entry_mut(
        &mut self,
        id: &EntryId,
        kind: EntryKind,
    ) -> Result<&mut MemoryEntry, MisfitReason> {
        let place = self.find_place(id, kind)?;
        self.entries
            .get_mut(place)
            .ok_or_else(|| unknown_error(id, kind))
    }

    fn guardrail_mut(&mut self, id: &EntryId) -> Result<&mut Guardrail, MisfitReason> {
        let kind = EntryKind::Guardrail;
        let guardrail = self.entry_mut(id, kind)?.guardrail.as_mut();
        guardrail.ok_or_else(|| unknown_error(id, kind))
    }
}

fn unknown_error(id: &EntryId, kind: EntryKind) -> MisfitReason {
    match kind {
        EntryKind::Lesson => MisfitReason::Unknown(id.clone()),
        EntryKind::Guardrail => MisfitReason::UnknownGuardrail(id.clone()),
    }
}

fn edit_entry(entry: &mut MemoryEntry, text: &str, examples: &[String], at: &str, journal: &str) {
    entry.earlier.push(EntryVersion {
        text: std::mem::replace(&mut entry.text, text.to_owned()),
        examples: std::mem::replace(&mut entry.examples, examples.to_vec()),
        at: std::mem::replace(&mut entry.at, at.to_owned()),
        journal: std::mem::replace(&mut entry.journal, journal.to_owned()),
    });
    entry.revision = entry.revision.saturating_add(1);
}

/// Adds a proposal to the guardrail that has its intent already.
fn merge_proposal(
    guard: &mut MemoryEntry,
    example_forms: &mut HashSet<String>,
    (id, text, origin): (&EntryId, &GuardText, Option<&EntryOrigin>),
    at: &str,
) {
    guard.merged.push(MergedEntry {
        id: id.clone(),
        session: origin.map_or_else(String::new, |origin| origin.session.clone()),
        text: text.intent.clone(),
        at: at.to_owned(),
    });
    if let Some(origin) = origin
        && !guard.origins.contains(origin)
    {
        guard.origins.push(origin.clone());
    }
    for example in &text.examples {
        add_example(&mut guard.examples, example_forms, example.clone());
    }
}
