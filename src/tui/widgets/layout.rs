//! Areas of screens, over ratatui's layout.

use ratatui::layout::{Constraint, Layout, Rect};

/// Two areas: side by side where there is room for it, else one above the other. Which of them has the
/// focus does not change their sizes, so no text is wrapped anew.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Split {
    /// Width from which on they are side by side.
    pub wide: u16,
    /// Width of the left one.
    pub left: Constraint,
    /// Height of the upper one.
    pub above: Constraint,
}

impl Split {
    /// Returns a list with details beside it from a width on, else below it in so many rows, and never more
    /// than half of them.
    pub(crate) fn with_details(area: Rect, wide: u16, below: u16) -> [Rect; 2] {
        let split = Self {
            wide,
            left: Constraint::Percentage(60),
            above: Constraint::Length(area.height - below.min(area.height / 2)),
        };
        split.areas(area)
    }

    pub(crate) fn areas(self, area: Rect) -> [Rect; 2] {
        match area.width >= self.wide {
            true => Layout::horizontal([self.left, Constraint::Fill(1)]).areas(area),
            false => Layout::vertical([self.above, Constraint::Fill(1)]).areas(area),
        }
    }
}

/// Returns an area without its last row, which is the status line's.
pub(crate) fn above_status(area: Rect) -> Rect {
    body_and_foot(area, 1)[0]
}

/// Returns the first rows of an area, and the rest.
pub(crate) fn head_and_body(area: Rect, head: u16) -> [Rect; 2] {
    Layout::vertical([Constraint::Length(head), Constraint::Fill(1)]).areas(area)
}

/// Returns an area without its last rows, and these.
fn body_and_foot(area: Rect, foot: u16) -> [Rect; 2] {
    Layout::vertical([Constraint::Fill(1), Constraint::Length(foot)]).areas(area)
}
