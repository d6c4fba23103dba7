//! Piece of a page that is gone through: paragraphs, a hint, and what is opened from it. Pure.

use super::Paragraph;
use elenchus_game::debate::SessionId;

/// A piece of a page, and what is opened from it.
#[derive(Debug, Clone, Default)]
pub struct PageItem {
    pub paragraphs: Vec<Paragraph>,
    /// A sentence after the last paragraph that names keys by their marks; it is drawn and never copied.
    pub hint: Option<String>,
    pub opens: Option<SessionId>,
}

impl PageItem {
    pub fn from_paragraphs(paragraphs: Vec<Paragraph>) -> Self {
        PageItem {
            paragraphs,
            hint: None,
            opens: None,
        }
    }

    /// Adds a sentence that names keys by their marks.
    #[must_use]
    pub fn with_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}
