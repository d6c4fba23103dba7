//! What one annotator did, and what stands of it: a fold that takes one mark at a time.
//!
//! Adding a mark costs the same however many there are: thousands of labels are given one by one.

use super::event::{MarginEvent, Mark, MarkId, Spot};
use super::label::{Label, LabelRole, StandingLabel, Unblinding};
use super::state::Note;
use crate::debate::SessionId;
use std::collections::{BTreeMap, BTreeSet};

/// What can have one standing label of one annotator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabelPlace {
    pub on: Spot,
    /// The label set, by its id.
    pub set: String,
    /// 0 but for hidden repeats.
    pub repeat: u32,
    pub role: LabelRole,
}

/// What one annotator did, and what stands of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Page {
    did: Vec<Did>,
    by_id: BTreeMap<MarkId, usize>,
    undoable: BTreeSet<usize>,
    notes: BTreeMap<usize, Note>,
    labels: BTreeMap<usize, StandingLabel>,
    /// Labels that were not retracted, by what they are on; the last of each stands.
    given: BTreeMap<LabelPlace, BTreeSet<usize>>,
    saw: BTreeMap<SessionId, BTreeSet<Unblinding>>,
    /// Whether each tag was given or taken away, in order; the last of each says what is so.
    tags: BTreeMap<SessionId, BTreeMap<String, BTreeMap<usize, bool>>>,
    /// With the time; `None` where a name was taken away. The last one stands.
    names: BTreeMap<SessionId, BTreeMap<usize, (String, Option<String>)>>,
}

/// A mark with what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Did {
    at: String,
    event: MarginEvent,
    stands: bool,
    /// Where it was retracted, whether or not that stands.
    retracted_by: Vec<usize>,
}

impl LabelPlace {
    /// Names the place of a label.
    pub fn of(label: &Label) -> Self {
        Self {
            on: label.on.clone(),
            set: label.set.clone(),
            repeat: label.repeat,
            role: label.role,
        }
    }
}

impl Page {
    pub(super) fn notes(&self) -> impl Iterator<Item = &Note> {
        self.notes.values()
    }

    pub(super) fn labels(&self) -> impl Iterator<Item = &StandingLabel> {
        self.labels.values()
    }

    pub(super) fn label(&self, place: &LabelPlace) -> Option<&StandingLabel> {
        let last = self.given.get(place)?.last()?;
        self.labels.get(last)
    }

    /// Returns the labels on a place that were not retracted, also those that a later one replaced.
    pub(super) fn given(&self, place: &LabelPlace) -> impl Iterator<Item = &Label> {
        let given = self.given.get(place).into_iter().flatten();
        given.filter_map(|at| match &self.did.get(*at)?.event.mark {
            Mark::Labelled(label) => Some(&**label),
            Mark::Noted { .. }
            | Mark::Tagged { .. }
            | Mark::Untagged { .. }
            | Mark::Named { .. }
            | Mark::Unblinded { .. }
            | Mark::Retracted { .. } => None,
        })
    }

    pub(super) fn saw(&self, session: &SessionId) -> Option<&BTreeSet<Unblinding>> {
        self.saw.get(session)
    }

    pub(super) fn tags(&self, session: &SessionId) -> impl Iterator<Item = &String> {
        let tags = self.tags.get(session).into_iter().flatten();
        tags.filter(|(_, given)| given.last_key_value().is_some_and(|(_, given)| *given))
            .map(|(tag, _)| tag)
    }

    /// Returns the name that was given last, with the time; `None` in it where it was taken away.
    pub(super) fn name(&self, session: &SessionId) -> Option<&(String, Option<String>)> {
        let (_, last) = self.names.get(session)?.last_key_value()?;
        Some(last)
    }

    /// Returns the last mark that stands and can be undone.
    pub(super) fn last(&self) -> Option<&MarginEvent> {
        let last = self.undoable.last()?;
        self.did.get(*last).map(|did| &did.event)
    }

    /// Returns the ids of every mark that was made.
    pub(super) fn ids(&self) -> impl Iterator<Item = &MarkId> {
        self.by_id.keys()
    }

    pub(super) fn event(&self, id: &MarkId) -> Option<&MarginEvent> {
        let at = self.by_id.get(id)?;
        self.did.get(*at).map(|did| &did.event)
    }

    pub(super) fn add(&mut self, annotator: &str, at: String, event: MarginEvent) {
        let place = self.did.len();
        let retracts = match &event.mark {
            Mark::Retracted { of } => self.by_id.get(of).copied(),
            Mark::Noted { .. }
            | Mark::Tagged { .. }
            | Mark::Untagged { .. }
            | Mark::Named { .. }
            | Mark::Labelled(_)
            | Mark::Unblinded { .. } => None,
        };
        self.by_id.entry(event.id.clone()).or_insert(place);
        self.did.push(Did {
            at,
            event,
            stands: true,
            retracted_by: Vec::new(),
        });
        self.take_effect(annotator, place);
        if let Some(target) = retracts {
            if let Some(did) = self.did.get_mut(target) {
                did.retracted_by.push(place);
            }
            self.settle(annotator, target);
        }
    }

    /// Decides anew what stands, from a mark back to what it retracted and what that retracted.
    fn settle(&mut self, annotator: &str, first: usize) {
        let mut next = Some(first);
        while let Some(place) = next.take() {
            let Some(did) = self.did.get(place) else {
                return;
            };
            // What a person was shown they cannot take back.
            let lasts = matches!(did.event.mark, Mark::Unblinded { .. });
            let by = did.retracted_by.iter();
            let retracted = by.filter_map(|by| self.did.get(*by)).any(|by| by.stands);
            let stands = lasts || !retracted;
            if stands == did.stands {
                return;
            }
            if let Mark::Retracted { of } = &did.event.mark {
                next = self.by_id.get(of).copied().filter(|of| *of < place);
            }
            if let Some(did) = self.did.get_mut(place) {
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
        let Some(Did { at, event, .. }) = self.did.get(place) else {
            return;
        };
        if can_be_undone(&event.mark) {
            self.undoable.insert(place);
        }
        match &event.mark {
            Mark::Noted { on, text } => {
                let note = Note {
                    id: event.id.clone(),
                    annotator: annotator.to_owned(),
                    at: at.clone(),
                    on: on.clone(),
                    text: text.clone(),
                };
                self.notes.insert(place, note);
            }
            Mark::Labelled(label) => {
                let key = LabelPlace::of(label);
                self.given.entry(key.clone()).or_default().insert(place);
                self.stand(annotator, &key);
            }
            Mark::Unblinded { session, saw } => {
                let known = self.saw.entry(session.clone()).or_default();
                known.extend(saw);
            }
            Mark::Tagged { session, tag } => {
                let tags = self.tags.entry(session.clone()).or_default();
                tags.entry(tag.clone()).or_default().insert(place, true);
            }
            Mark::Untagged { session, tag } => {
                let tags = self.tags.entry(session.clone()).or_default();
                tags.entry(tag.clone()).or_default().insert(place, false);
            }
            Mark::Named { session, name } => {
                let names = self.names.entry(session.clone()).or_default();
                names.insert(place, (at.clone(), name.clone()));
            }
            Mark::Retracted { .. } => {}
        }
    }

    fn lose_effect(&mut self, annotator: &str, place: usize) {
        self.undoable.remove(&place);
        let Some(Did { event, .. }) = self.did.get(place) else {
            return;
        };
        match &event.mark {
            Mark::Noted { .. } => {
                self.notes.remove(&place);
            }
            Mark::Labelled(label) => {
                let key = LabelPlace::of(label);
                if let Some(given) = self.given.get_mut(&key) {
                    given.remove(&place);
                }
                self.labels.remove(&place);
                self.stand(annotator, &key);
            }
            Mark::Tagged { session, tag } | Mark::Untagged { session, tag } => {
                let tags = self.tags.get_mut(session);
                if let Some(given) = tags.and_then(|tags| tags.get_mut(tag)) {
                    given.remove(&place);
                }
            }
            Mark::Named { session, .. } => {
                if let Some(names) = self.names.get_mut(session) {
                    names.remove(&place);
                }
            }
            Mark::Unblinded { .. } | Mark::Retracted { .. } => {}
        }
    }

    /// Lets the last label on a place stand, and that one alone.
    fn stand(&mut self, annotator: &str, key: &LabelPlace) {
        let Some(given) = self.given.get(key) else {
            return;
        };
        let mut latest = given.iter().rev();
        let last = latest.next().copied();
        if let Some(before) = latest.next() {
            self.labels.remove(before);
        }
        let Some(last) = last else { return };
        let Some(Did { at, event, .. }) = self.did.get(last) else {
            return;
        };
        if let Mark::Labelled(label) = &event.mark {
            let standing = StandingLabel {
                id: event.id.clone(),
                annotator: annotator.to_owned(),
                at: at.clone(),
                label: (**label).clone(),
            };
            self.labels.insert(last, standing);
        }
    }
}

fn can_be_undone(mark: &Mark) -> bool {
    match mark {
        Mark::Retracted { .. } | Mark::Unblinded { .. } => false,
        Mark::Noted { .. }
        | Mark::Labelled(_)
        | Mark::Tagged { .. }
        | Mark::Untagged { .. }
        | Mark::Named { .. } => true,
    }
}
