//! State of one annotator's journal: a fold that takes one event at a time.
//!
//! Adding an event costs the same however many there are: thousands of labels are given one by one.

use super::event::{Annotation, AnnotationEvent, AnnotationId, AnnotationTarget};
use super::label::{CurrentLabel, Label, LabelRole, Unblinding};
use super::state::Note;
use elenchus_game::debate::SessionId;
use std::collections::{BTreeMap, BTreeSet};

/// Key under which one annotator has at most one current label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabelKey {
    pub on: AnnotationTarget,
    /// The label set, by its id.
    pub set: String,
    /// 0 but for hidden repeats.
    pub repeat: u32,
    pub role: LabelRole,
}

/// One annotator's events, and the annotations that are in force.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct AnnotatorState {
    entries: Vec<Entry>,
    by_id: BTreeMap<AnnotationId, usize>,
    undoable: BTreeSet<usize>,
    notes: BTreeMap<usize, Note>,
    labels: BTreeMap<usize, CurrentLabel>,
    /// Labels that were not retracted, by what they are on; the last of each is in force.
    by_key: BTreeMap<LabelKey, BTreeSet<usize>>,
    saw: BTreeMap<SessionId, BTreeSet<Unblinding>>,
    /// Tags given (true) or taken away, in order; the last of each is in force.
    tags: BTreeMap<SessionId, BTreeMap<String, BTreeMap<usize, bool>>>,
    /// With the time; `None` where a name was taken away. The last one is in force.
    names: BTreeMap<SessionId, BTreeMap<usize, (String, Option<String>)>>,
}

/// An event, and whether it is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    at: String,
    event: AnnotationEvent,
    stands: bool,
    /// Retractions of it, whether or not they are in force.
    retracted_by: Vec<usize>,
}

impl LabelKey {
    /// Returns the key of a label.
    pub fn from_label(label: &Label) -> Self {
        Self {
            on: label.on.clone(),
            set: label.set.clone(),
            repeat: label.repeat,
            role: label.role,
        }
    }
}

impl AnnotatorState {
    pub(crate) fn notes(&self) -> impl Iterator<Item = &Note> {
        self.notes.values()
    }

    pub(crate) fn labels(&self) -> impl Iterator<Item = &CurrentLabel> {
        self.labels.values()
    }

    pub(crate) fn find_label(&self, place: &LabelKey) -> Option<&CurrentLabel> {
        let last = self.by_key.get(place)?.last()?;
        self.labels.get(last)
    }

    /// Returns the labels of a key that were not retracted, also those that a later one replaced.
    pub(crate) fn unretracted_labels(&self, place: &LabelKey) -> impl Iterator<Item = &Label> {
        let label_indices = self.by_key.get(place).into_iter().flatten();
        label_indices.filter_map(|at| match &self.entries.get(*at)?.event.mark {
            Annotation::Labelled(label) => Some(&**label),
            Annotation::Noted { .. }
            | Annotation::Tagged { .. }
            | Annotation::Untagged { .. }
            | Annotation::Named { .. }
            | Annotation::Unblinded { .. }
            | Annotation::Retracted { .. } => None,
        })
    }

    pub(crate) fn unblindings(&self, session: &SessionId) -> Option<&BTreeSet<Unblinding>> {
        self.saw.get(session)
    }

    pub(crate) fn session_tags(&self, session: &SessionId) -> impl Iterator<Item = &String> {
        let tags = self.tags.get(session).into_iter().flatten();
        tags.filter(|(_, given)| given.last_key_value().is_some_and(|(_, given)| *given))
            .map(|(tag, _)| tag)
    }

    /// Returns the name that was given last, with the time; `None` in it where it was taken away.
    pub(crate) fn session_name(&self, session: &SessionId) -> Option<&(String, Option<String>)> {
        let (_, last) = self.names.get(session)?.last_key_value()?;
        Some(last)
    }

    /// Returns the events that gave the tags and names in force, or took a name away; oldest first.
    pub(crate) fn session_marks(&self) -> Vec<(String, AnnotationEvent)> {
        let tags = self.tags.values().flat_map(BTreeMap::values);
        let tags = tags.filter_map(|given| given.last_key_value());
        let tags = tags.filter(|(_, given)| **given).map(|(at, _)| at);
        let names = self.names.values();
        let names = names.filter_map(|given| given.last_key_value().map(|(at, _)| at));
        let places: BTreeSet<&usize> = tags.chain(names).collect();
        let did = places.into_iter().filter_map(|at| self.entries.get(*at));
        did.map(|did| (did.at.clone(), did.event.clone())).collect()
    }

    /// Returns the last annotation in force that can be undone.
    pub(crate) fn last(&self) -> Option<&AnnotationEvent> {
        let last = self.undoable.last()?;
        self.entries.get(*last).map(|did| &did.event)
    }

    /// Returns the ids of all events.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &AnnotationId> {
        self.by_id.keys()
    }

    pub(crate) fn find_event(&self, id: &AnnotationId) -> Option<&AnnotationEvent> {
        let at = self.by_id.get(id)?;
        self.entries.get(*at).map(|did| &did.event)
    }

    pub(crate) fn add_event(&mut self, annotator: &str, at: String, event: AnnotationEvent) {
        let place = self.entries.len();
        let retracts = match &event.mark {
            Annotation::Retracted { of } => self.by_id.get(of).copied(),
            Annotation::Noted { .. }
            | Annotation::Tagged { .. }
            | Annotation::Untagged { .. }
            | Annotation::Named { .. }
            | Annotation::Labelled(_)
            | Annotation::Unblinded { .. } => None,
        };
        self.by_id.entry(event.id.clone()).or_insert(place);
        self.entries.push(Entry {
            at,
            event,
            stands: true,
            retracted_by: Vec::new(),
        });
        self.take_effect(annotator, place);
        if let Some(target) = retracts {
            if let Some(did) = self.entries.get_mut(target) {
                did.retracted_by.push(place);
            }
            self.update_standing(annotator, target);
        }
    }

    /// Updates what is in force, from an event back to what it retracted and what that retracted.
    fn update_standing(&mut self, annotator: &str, first: usize) {
        let mut next = Some(first);
        while let Some(place) = next.take() {
            let Some(did) = self.entries.get(place) else {
                return;
            };
            // What a person was shown they cannot take back.
            let lasts = matches!(did.event.mark, Annotation::Unblinded { .. });
            let by = did.retracted_by.iter();
            let is_undone = by
                .filter_map(|by| self.entries.get(*by))
                .any(|by| by.stands);
            let stands = lasts || !is_undone;
            if stands == did.stands {
                return;
            }
            if let Annotation::Retracted { of } = &did.event.mark {
                next = self.by_id.get(of).copied().filter(|of| *of < place);
            }
            if let Some(did) = self.entries.get_mut(place) {
                did.stands = stands;
            }
            if stands {
                self.take_effect(annotator, place);
            } else {
                self.lose_effect(annotator, place);
            }
        }
    }

    fn take_effect(&mut self, annotator: &str, place: usize) {
        let Some(Entry { at, event, .. }) = self.entries.get(place) else {
            return;
        };
        if can_be_undone(&event.mark) {
            self.undoable.insert(place);
        }
        match &event.mark {
            Annotation::Noted { on, text } => {
                let note = Note {
                    id: event.id.clone(),
                    annotator: annotator.to_owned(),
                    at: at.clone(),
                    on: on.clone(),
                    text: text.clone(),
                };
                self.notes.insert(place, note);
            }
            Annotation::Labelled(label) => {
                let key = LabelKey::from_label(label);
                self.by_key.entry(key.clone()).or_default().insert(place);
                self.apply_last_label(annotator, &key);
            }
            Annotation::Unblinded { session, saw } => {
                let unblindings = self.saw.entry(session.clone()).or_default();
                unblindings.extend(saw);
            }
            Annotation::Tagged { session, tag } => {
                let tags = self.tags.entry(session.clone()).or_default();
                tags.entry(tag.clone()).or_default().insert(place, true);
            }
            Annotation::Untagged { session, tag } => {
                let tags = self.tags.entry(session.clone()).or_default();
                tags.entry(tag.clone()).or_default().insert(place, false);
            }
            Annotation::Named { session, name } => {
                let names = self.names.entry(session.clone()).or_default();
                names.insert(place, (at.clone(), name.clone()));
            }
            Annotation::Retracted { .. } => {}
        }
    }

    fn lose_effect(&mut self, annotator: &str, place: usize) {
        self.undoable.remove(&place);
        let Some(Entry { event, .. }) = self.entries.get(place) else {
            return;
        };
        match &event.mark {
            Annotation::Noted { .. } => {
                self.notes.remove(&place);
            }
            Annotation::Labelled(label) => {
                let key = LabelKey::from_label(label);
                if let Some(label_indices) = self.by_key.get_mut(&key) {
                    label_indices.remove(&place);
                }
                self.labels.remove(&place);
                self.apply_last_label(annotator, &key);
            }
            Annotation::Tagged { session, tag } | Annotation::Untagged { session, tag } => {
                let tags = self.tags.get_mut(session);
                if let Some(tag_indices) = tags.and_then(|tags| tags.get_mut(tag)) {
                    tag_indices.remove(&place);
                }
            }
            Annotation::Named { session, .. } => {
                if let Some(names) = self.names.get_mut(session) {
                    names.remove(&place);
                }
            }
            Annotation::Unblinded { .. } | Annotation::Retracted { .. } => {}
        }
    }

    /// Puts the last label of a key in force, and that one alone.
    fn apply_last_label(&mut self, annotator: &str, key: &LabelKey) {
        let Some(indices) = self.by_key.get(key) else {
            return;
        };
        let mut latest = indices.iter().rev();
        let last = latest.next().copied();
        if let Some(before) = latest.next() {
            self.labels.remove(before);
        }
        let Some(last) = last else { return };
        let Some(Entry { at, event, .. }) = self.entries.get(last) else {
            return;
        };
        if let Annotation::Labelled(label) = &event.mark {
            let standing = CurrentLabel {
                id: event.id.clone(),
                annotator: annotator.to_owned(),
                at: at.clone(),
                label: (**label).clone(),
            };
            self.labels.insert(last, standing);
        }
    }
}

fn can_be_undone(mark: &Annotation) -> bool {
    match mark {
        Annotation::Retracted { .. } | Annotation::Unblinded { .. } => false,
        Annotation::Noted { .. }
        | Annotation::Labelled(_)
        | Annotation::Tagged { .. }
        | Annotation::Untagged { .. }
        | Annotation::Named { .. } => true,
    }
}
