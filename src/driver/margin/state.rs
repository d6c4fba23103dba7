//! What stands in the margins: a fold over what people did.

use super::event::{MarginEvent, MarkId, Spot};
use crate::debate::SessionId;

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

/// What stands in the margins of one annotator, or of all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Margins {
    notes: Vec<Note>,
}

impl Margins {
    /// Returns the notes on a session and on its attempts, oldest first.
    pub fn notes(&self, session: &SessionId) -> impl Iterator<Item = &Note> {
        self.notes
            .iter()
            .filter(move |note| &note.on.session == session)
    }

    /// Returns the tags of a session, sorted: everybody's together.
    pub fn tags(&self, session: &SessionId) -> Vec<String> {
        let _ = session;
        todo!()
    }

    /// Returns the name that was given to a session last.
    pub fn name(&self, session: &SessionId) -> Option<&str> {
        let _ = session;
        todo!()
    }

    /// Folds what an annotator did, in its order.
    pub fn add(&mut self, annotator: &str, did: &[(String, MarginEvent)]) {
        let _ = (annotator, did);
        todo!()
    }
}
