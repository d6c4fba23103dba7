//! What stands in the margins: a fold over what people did.

use super::event::{MarginEvent, Mark, MarkId, Spot};
use super::label::{StandingLabel, Unblinding};
use crate::debate::SessionId;
use std::collections::{BTreeMap, BTreeSet};

/// A note as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub id: MarkId,
    pub annotator: String,
    /// RFC 3339, UTC.
    pub at: String,
    pub on: Spot,
    pub text: String,
}

/// What stands in the margins of one annotator, or of several.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Margins {
    pages: BTreeMap<String, Page>,
}

/// What one annotator did, and what stands of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Page {
    did: Vec<(String, MarginEvent)>,
    notes: Vec<Note>,
    labels: Vec<StandingLabel>,
    saw: BTreeMap<SessionId, BTreeSet<Unblinding>>,
    tags: BTreeMap<SessionId, BTreeSet<String>>,
    /// With the time; `None` where a name was taken away.
    names: BTreeMap<SessionId, (String, Option<String>)>,
}

impl Margins {
    /// Returns the notes on a session and on its attempts, by annotator and then oldest first.
    pub fn notes<'a>(&'a self, session: &'a SessionId) -> impl Iterator<Item = &'a Note> {
        let pages = self.pages.values();
        pages
            .flat_map(|page| &page.notes)
            .filter(move |note| &note.on.session == session)
    }

    /// Returns every note of every session.
    pub fn all_notes(&self) -> impl Iterator<Item = &Note> {
        self.pages.values().flat_map(|page| &page.notes)
    }

    /// Returns every label that stands, by annotator and then oldest first. Where somebody labelled
    /// the same thing by the same set anew, the later one stands alone; hidden repeats and what was
    /// adjudicated stand beside it.
    pub fn labels(&self) -> impl Iterator<Item = &StandingLabel> {
        self.pages.values().flat_map(|page| &page.labels)
    }

    /// Returns what an annotator was shown of a session that makes labels on it no longer blind.
    pub fn saw(&self, annotator: &str, session: &SessionId) -> BTreeSet<Unblinding> {
        let page = self.pages.get(annotator);
        let saw = page.and_then(|page| page.saw.get(session));
        saw.cloned().unwrap_or_default()
    }

    /// Returns the tags of a session, sorted: everybody's together.
    pub fn tags(&self, session: &SessionId) -> Vec<String> {
        let pages = self.pages.values();
        let all: BTreeSet<&String> = pages
            .filter_map(|page| page.tags.get(session))
            .flatten()
            .collect();
        all.into_iter().cloned().collect()
    }

    /// Returns the name that somebody gave a session last; `None` where it was taken away since.
    pub fn name(&self, session: &SessionId) -> Option<&str> {
        let pages = self.pages.values();
        let given = pages.filter_map(|page| page.names.get(session));
        let (_, name) = given.max_by(|one, other| one.0.cmp(&other.0))?;
        name.as_deref()
    }

    /// Returns the last mark of an annotator that is not retracted: what undoing takes back. What a
    /// person was shown they cannot take back.
    pub fn last(&self, annotator: &str) -> Option<&MarginEvent> {
        let page = self.pages.get(annotator)?;
        let standing = standing(&page.did);
        let mut marks = page.did.iter().map(|(_, event)| event).rev();
        marks.find(|event| can_be_undone(&event.mark) && standing.contains(&event.id))
    }

    /// Says whether an annotator made this mark.
    pub fn has(&self, annotator: &str, mark: &MarkId) -> bool {
        let page = self.pages.get(annotator);
        page.is_some_and(|page| page.did.iter().any(|(_, event)| &event.id == mark))
    }

    /// Returns every mark that an annotator made.
    pub(super) fn ids(&self, annotator: &str) -> BTreeSet<MarkId> {
        let page = self.pages.get(annotator);
        let did = page.into_iter().flat_map(|page| &page.did);
        did.map(|(_, event)| event.id.clone()).collect()
    }

    /// Folds what an annotator did after what is there, with the times.
    pub fn add(&mut self, annotator: &str, did: impl IntoIterator<Item = (String, MarginEvent)>) {
        let page = self.pages.entry(annotator.to_owned()).or_default();
        page.did.extend(did);
        *page = folded(annotator, std::mem::take(&mut page.did));
    }
}

fn folded(annotator: &str, did: Vec<(String, MarginEvent)>) -> Page {
    let standing = standing(&did);
    let mut page = Page::default();
    for (at, event) in &did {
        if !standing.contains(&event.id) {
            continue;
        }
        match &event.mark {
            Mark::Noted { on, text } => page.notes.push(Note {
                id: event.id.clone(),
                annotator: annotator.to_owned(),
                at: at.clone(),
                on: on.clone(),
                text: text.clone(),
            }),
            Mark::Labelled(label) => {
                let same = |standing: &StandingLabel| {
                    let other = &standing.label;
                    other.on == label.on
                        && other.set == label.set
                        && other.repeat == label.repeat
                        && other.role == label.role
                };
                page.labels.retain(|standing| !same(standing));
                page.labels.push(StandingLabel {
                    id: event.id.clone(),
                    annotator: annotator.to_owned(),
                    at: at.clone(),
                    label: (**label).clone(),
                });
            }
            Mark::Unblinded { session, saw } => {
                let known = page.saw.entry(session.clone()).or_default();
                known.extend(saw);
            }
            Mark::Tagged { session, tag } => {
                let tags = page.tags.entry(session.clone()).or_default();
                tags.insert(tag.clone());
            }
            Mark::Untagged { session, tag } => {
                if let Some(tags) = page.tags.get_mut(session) {
                    tags.remove(tag);
                }
            }
            Mark::Named { session, name } => {
                let given = (at.clone(), name.clone());
                page.names.insert(session.clone(), given);
            }
            Mark::Retracted { .. } => {}
        }
    }
    page.did = did;
    page
}

/// Returns the marks that were not retracted. Whoever retracts a retraction is right: later marks
/// say what becomes of earlier ones.
fn standing(did: &[(String, MarginEvent)]) -> BTreeSet<MarkId> {
    let mut gone: BTreeSet<&MarkId> = BTreeSet::new();
    let mut standing = BTreeSet::new();
    for (_, event) in did.iter().rev() {
        if gone.contains(&event.id) {
            continue;
        }
        standing.insert(event.id.clone());
        if let Mark::Retracted { of } = &event.mark {
            gone.insert(of);
        }
    }
    standing
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
