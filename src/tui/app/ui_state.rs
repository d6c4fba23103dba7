//! What is kept of the workbench itself: how a person arranged it, and texts that were not used yet.

use crate::debate::SessionId;
use serde::{Deserialize, Serialize};

/// How a person arranged the workbench, kept in a file of the user's data folder.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    pub theme: Option<String>,
    pub masked: bool,
    /// The session that was open when the workbench was left, with the pane and the turn.
    pub last: Option<LastPlace>,
    pub list: KeptList,
    pub show_private: bool,
    pub fold: Option<bool>,
    /// How much wider the focused pane is, in tenths.
    pub wider: i16,
    pub zoomed: bool,
}

/// How the list of sessions is arranged. Words that are not known stand for what is usual.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptList {
    /// The column that it is sorted by.
    pub sort: String,
    /// Left out, the column's usual direction.
    pub descending: Option<bool>,
    pub group: String,
    pub examples_folded: bool,
}

/// Where a person was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastPlace {
    pub session: SessionId,
    /// The pane's name, as the tab strip shows it.
    pub pane: String,
    /// The turn under the cursor, by its address.
    pub turn: Option<String>,
}

/// A text that is being written: kept beside the store at once, so that a crash or a lost connection
/// does not lose it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// What the text is for, for instance a session and a step.
    pub place: String,
    pub text: String,
}
