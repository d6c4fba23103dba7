//! Overlays of the new-debate form: a line, a list to pick from, the topic's editor.

use super::form::FormField;
use crate::debate::Topic;
use crate::tui::popups::{Confirm, PickItem, Picker};
use crate::tui::widgets::LineInput;
use std::sync::Arc;

/// Overlay that reads keys instead of the form.
#[derive(Debug, Clone, Default)]
pub enum Over {
    #[default]
    Nothing,
    /// The topic is being written.
    Topic,
    /// One line for a field.
    Line(FormField, LineInput),
    /// One of the games, by their order in the library.
    Games(Picker),
    /// Participants to choose from.
    Sitters(FormField, Picker, Vec<Sitter>),
    /// Confirms names that their server does not list.
    Unlisted(Confirm),
    /// Rows of a data set to play, in the order of [`Rows::ALL`].
    Choice(Picker),
    /// A row of a data set.
    Rows(Picker, Arc<Vec<Topic>>),
}

/// Participant that may be chosen for a chair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sitter {
    /// The default: as every seat, or as configured.
    AsOthers,
    Named(String),
    /// A name is to be typed.
    Typed,
}

impl Over {
    /// Says whether keys are text.
    pub fn is_typing(&self) -> bool {
        match self {
            Over::Nothing => false,
            Over::Topic
            | Over::Line(..)
            | Over::Games(_)
            | Over::Sitters(..)
            | Over::Unlisted(_)
            | Over::Choice(_)
            | Over::Rows(..) => true,
        }
    }
}

/// Returns the rows of a data set as a list to pick from.
pub(super) fn row_items(topics: &[Topic]) -> Vec<PickItem> {
    topics
        .iter()
        .map(|topic| PickItem {
            label: topic.id.clone(),
            detail: topic.text.split_whitespace().collect::<Vec<_>>().join(" "),
            aside: topic.category.clone().unwrap_or_default(),
        })
        .collect()
}
