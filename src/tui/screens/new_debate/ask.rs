//! What lies over the form: a line that is asked for, a list to pick from, the topic's editor.

use super::form::Field;
use crate::debate::Topic;
use crate::tui::overlays::{Ask, Pick, PickItem};
use crate::tui::parts::LineInput;
use std::sync::Arc;

/// What keys go to instead of the form.
#[derive(Debug, Clone, Default)]
pub enum Over {
    #[default]
    Nothing,
    /// The topic is being written.
    Topic,
    /// One line for a field.
    Line(Field, LineInput),
    /// One of the games, by their order in the library.
    Games(Pick),
    /// Who sits somewhere.
    Sitters(Field, Pick, Vec<Sitter>),
    /// Whether names are meant that their server does not list.
    Unlisted(Ask),
    /// Which rows of a data set are played, in the order of [`Rows::ALL`].
    Choice(Pick),
    /// A row of a data set.
    Rows(Pick, Arc<Vec<Topic>>),
}

/// Somebody who may sit on a chair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sitter {
    /// Nobody is named: as every seat, or as configured.
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
pub fn row_items(topics: &[Topic]) -> Vec<PickItem> {
    topics
        .iter()
        .map(|topic| PickItem {
            label: topic.id.clone(),
            detail: topic.text.split_whitespace().collect::<Vec<_>>().join(" "),
            aside: topic.category.clone().unwrap_or_default(),
        })
        .collect()
}
