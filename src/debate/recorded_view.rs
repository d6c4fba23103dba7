//! Recorded view: what a seat was shown, kept in the form of a journal.

use super::view::View;
use std::sync::Arc;

/// A view as a journal holds it.
///
/// Thousands of turns are in memory at once and one view is looked at: in parts, with their sources, each
/// would take ten times the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedView(Arc<str>);

impl RecordedView {
    /// Returns it in parts.
    pub fn view(&self) -> View {
        // It was written from a view and reads as that one.
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

impl From<&View> for RecordedView {
    fn from(view: &View) -> Self {
        // Strings and numbers always have a JSON.
        let json = serde_json::to_string(view).unwrap_or_default();
        Self(json.into())
    }
}
