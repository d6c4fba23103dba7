//! Annotations of all annotators, folded: notes, labels, tags, names and unblindings in force.

use super::annotator_state::{AnnotatorState, LabelKey};
use super::event::{AnnotationEvent, AnnotationId, AnnotationTarget};
use super::label::{CurrentLabel, Label, Unblinding};
use super::pending::PendingAnnotation;
use elenchus_game::debate::SessionId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A note in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub id: AnnotationId,
    pub annotator: String,
    /// RFC 3339, UTC.
    pub at: String,
    pub on: AnnotationTarget,
    pub text: String,
}

/// Annotations in force of one annotator, or of several. Clones share their state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Annotations {
    pages: BTreeMap<String, Arc<AnnotatorState>>,
}

impl Annotations {
    /// Returns the notes on a session and on its attempts, by annotator and then oldest first.
    pub fn session_notes<'a>(&'a self, session: &'a SessionId) -> impl Iterator<Item = &'a Note> {
        self.all_notes()
            .filter(move |note| &note.on.session == session)
    }

    /// Returns every note of every session.
    pub fn all_notes(&self) -> impl Iterator<Item = &Note> {
        self.pages.values().flat_map(|page| page.notes())
    }

    /// Returns every label in force, by annotator and then oldest first. Where an annotator labelled
    /// the same thing by the same set again, only the later label is in force; hidden repeats and
    /// adjudications are labels of their own.
    pub fn labels(&self) -> impl Iterator<Item = &CurrentLabel> {
        self.pages.values().flat_map(|page| page.labels())
    }

    /// Returns an annotator's label of a key.
    pub fn find_label(&self, annotator: &str, place: &LabelKey) -> Option<&CurrentLabel> {
        self.pages.get(annotator)?.find_label(place)
    }

    /// Returns an annotator's labels of a key that were not retracted, also those that a later one
    /// replaced; oldest first.
    pub fn unretracted_labels<'a>(
        &'a self,
        annotator: &str,
        place: &'a LabelKey,
    ) -> impl Iterator<Item = &'a Label> {
        let page = self.pages.get(annotator).into_iter();
        page.flat_map(|page| page.unretracted_labels(place))
    }

    /// Returns everyone who has annotated.
    pub fn annotators(&self) -> impl Iterator<Item = &str> {
        self.pages.keys().map(String::as_str)
    }

    /// Returns what an annotator was shown of a session that makes labels on it no longer blind.
    pub fn unblindings(&self, annotator: &str, session: &SessionId) -> BTreeSet<Unblinding> {
        let page = self.pages.get(annotator);
        let saw = page.and_then(|page| page.unblindings(session));
        saw.cloned().unwrap_or_default()
    }

    /// Returns the tags of a session, sorted: those of all annotators.
    pub fn session_tags(&self, session: &SessionId) -> Vec<String> {
        let pages = self.pages.values();
        let all: BTreeSet<&String> = pages.flat_map(|page| page.session_tags(session)).collect();
        all.into_iter().cloned().collect()
    }

    /// Returns the name that a session was given last; `None` where it was taken away since.
    pub fn session_name(&self, session: &SessionId) -> Option<&str> {
        let pages = self.pages.values();
        let names = pages.filter_map(|page| page.session_name(session));
        let (_, name) = names.max_by(|one, other| one.0.cmp(&other.0))?;
        name.as_deref()
    }

    /// Returns the last annotation that undoing would retract. The record of what a person was shown
    /// cannot be retracted.
    pub fn last(&self, annotator: &str) -> Option<&AnnotationEvent> {
        self.pages.get(annotator)?.last()
    }

    /// Returns the event of an annotator that has this id.
    pub fn find_event(&self, annotator: &str, mark: &AnnotationId) -> Option<&AnnotationEvent> {
        self.pages.get(annotator)?.find_event(mark)
    }

    /// Returns the ids of all events of an annotator.
    pub(crate) fn ids(&self, annotator: &str) -> BTreeSet<AnnotationId> {
        let page = self.pages.get(annotator);
        page.into_iter()
            .flat_map(|page| page.ids())
            .cloned()
            .collect()
    }

    /// Folds the annotations that a merge took, where they are not there yet.
    pub(super) fn add_missing(&mut self, annotator: &str, marks: Vec<PendingAnnotation>) {
        let known_ids = self.ids(annotator);
        let missing = marks.into_iter();
        let missing = missing.filter(|mark| !known_ids.contains(&mark.event.id));
        let missing: Vec<_> = missing.map(|mark| (mark.at, mark.event)).collect();
        if !missing.is_empty() {
            self.add_events(annotator, missing);
        }
    }

    /// Folds an annotator's further events, with their times.
    pub fn add_events(
        &mut self,
        annotator: &str,
        did: impl IntoIterator<Item = (String, AnnotationEvent)>,
    ) {
        let page = self.pages.entry(annotator.to_owned()).or_default();
        let page = Arc::make_mut(page);
        for (at, event) in did {
            page.add_event(annotator, at, event);
        }
    }
}
