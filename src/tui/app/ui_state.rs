//! State of the workbench that is kept between starts: its arrangement.

use elenchus_game::debate::{SessionId, TurnId};
use elenchus_run::drafts::debate_draft::DebateChoices;
use elenchus_view::session_browser::ListState;
use serde::{Deserialize, Serialize};

/// Arrangement of the workbench, kept in a file of the user's data folder.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UiState {
    pub theme: Option<String>,
    pub masked: bool,
    /// The session that was open when the workbench was left, with the pane and the turn.
    pub last: Option<LastPlace>,
    pub list: ListState,
    /// What the debate was played with that was begun last.
    pub last_debate: Option<DebateChoices>,
    pub show_private: bool,
    pub fold: Option<bool>,
    /// Debates are shown in the order of speaking; left out, where panes do not fit side by side.
    pub transcript: Option<bool>,
    pub zoomed: bool,
    /// The name that labels are given under, once a person has said it.
    pub annotator: Option<String>,
    /// The person was asked for that name.
    pub annotator_asked: bool,
}

/// Last position of a person in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastPlace {
    pub session: SessionId,
    /// The pane's name, as the tab strip shows it.
    pub pane: String,
    /// The turn under the cursor, by its address.
    pub turn: Option<String>,
}

/// Position in a session: the last one, or a search hit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionPosition {
    pub turn: Option<TurnId>,
    /// The pane's name in the tab strip.
    pub pane: Option<String>,
}

impl SessionPosition {
    /// Position of an earlier visit.
    pub fn from_last_place(last: &LastPlace) -> Self {
        Self {
            turn: last.turn.clone().and_then(|turn| turn.try_into().ok()),
            pane: Some(last.pane.clone()),
        }
    }
}
