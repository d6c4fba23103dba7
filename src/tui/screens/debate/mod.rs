//! One debate: panes for each chair, the band of those who speak beside them, verdicts, record and
//! timeline, for every game without code for any of them.

mod blocks;
mod chart;
mod layout;
mod pane;
mod stream;
mod words;

/// A place in a session: where somebody was, or what was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    pub turn: Option<crate::debate::TurnId>,
    /// The pane's name in the tab strip.
    pub pane: Option<String>,
}
