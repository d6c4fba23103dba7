//! What stands in the margins of everybody: a page each.

use super::event::{MarginEvent, MarkId, Spot};
use super::label::{Label, StandingLabel, Unblinding};
use super::page::{LabelPlace, Page};
use super::pending::PendingMark;
use crate::debate::SessionId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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

/// What stands in the margins of one annotator, or of several. Clones share their pages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Margins {
    pages: BTreeMap<String, Arc<Page>>,
}

impl Margins {
    /// Returns the notes on a session and on its attempts, by annotator and then oldest first.
    pub fn notes<'a>(&'a self, session: &'a SessionId) -> impl Iterator<Item = &'a Note> {
        self.all_notes()
            .filter(move |note| &note.on.session == session)
    }

    /// Returns every note of every session.
    pub fn all_notes(&self) -> impl Iterator<Item = &Note> {
        self.pages.values().flat_map(|page| page.notes())
    }

    /// Returns every label that stands, by annotator and then oldest first. Where somebody labelled
    /// the same thing by the same set anew, the later one stands alone; hidden repeats and what was
    /// adjudicated stand beside it.
    pub fn labels(&self) -> impl Iterator<Item = &StandingLabel> {
        self.pages.values().flat_map(|page| page.labels())
    }

    /// Returns an annotator's label on a place.
    pub fn label(&self, annotator: &str, place: &LabelPlace) -> Option<&StandingLabel> {
        self.pages.get(annotator)?.label(place)
    }

    /// Returns an annotator's labels on a place that were not retracted, also those that a later one
    /// replaced; oldest first.
    pub fn given<'a>(
        &'a self,
        annotator: &str,
        place: &'a LabelPlace,
    ) -> impl Iterator<Item = &'a Label> {
        let page = self.pages.get(annotator).into_iter();
        page.flat_map(|page| page.given(place))
    }

    /// Returns whoever has written anything.
    pub fn annotators(&self) -> impl Iterator<Item = &str> {
        self.pages.keys().map(String::as_str)
    }

    /// Returns what an annotator was shown of a session that makes labels on it no longer blind.
    pub fn saw(&self, annotator: &str, session: &SessionId) -> BTreeSet<Unblinding> {
        let page = self.pages.get(annotator);
        let saw = page.and_then(|page| page.saw(session));
        saw.cloned().unwrap_or_default()
    }

    /// Returns the tags of a session, sorted: everybody's together.
    pub fn tags(&self, session: &SessionId) -> Vec<String> {
        let pages = self.pages.values();
        let all: BTreeSet<&String> = pages.flat_map(|page| page.tags(session)).collect();
        all.into_iter().cloned().collect()
    }

    /// Returns the name that somebody gave a session last; `None` where it was taken away since.
    pub fn name(&self, session: &SessionId) -> Option<&str> {
        let pages = self.pages.values();
        let given = pages.filter_map(|page| page.name(session));
        let (_, name) = given.max_by(|one, other| one.0.cmp(&other.0))?;
        name.as_deref()
    }

    /// Returns the last mark of an annotator that is not retracted: what undoing takes back. What a
    /// person was shown they cannot take back.
    pub fn last(&self, annotator: &str) -> Option<&MarginEvent> {
        self.pages.get(annotator)?.last()
    }

    /// Returns the mark of an annotator that has this id.
    pub fn event(&self, annotator: &str, mark: &MarkId) -> Option<&MarginEvent> {
        self.pages.get(annotator)?.event(mark)
    }

    /// Returns every mark that an annotator made.
    pub(super) fn ids(&self, annotator: &str) -> BTreeSet<MarkId> {
        let page = self.pages.get(annotator);
        page.into_iter()
            .flat_map(|page| page.ids())
            .cloned()
            .collect()
    }

    /// Folds what a merge took, where it is not there yet.
    pub(super) fn add_missing(&mut self, annotator: &str, marks: Vec<PendingMark>) {
        let known = self.ids(annotator);
        let missing = marks.into_iter();
        let missing = missing.filter(|mark| !known.contains(&mark.event.id));
        let missing: Vec<_> = missing.map(|mark| (mark.at, mark.event)).collect();
        if !missing.is_empty() {
            self.add(annotator, missing);
        }
    }

    /// Folds what an annotator did after what is there, with the times.
    pub fn add(&mut self, annotator: &str, did: impl IntoIterator<Item = (String, MarginEvent)>) {
        let page = self.pages.entry(annotator.to_owned()).or_default();
        let page = Arc::make_mut(page);
        for (at, event) in did {
            page.add(annotator, at, event);
        }
    }
}
