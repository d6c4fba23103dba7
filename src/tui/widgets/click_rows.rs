//! Rows that a click of the mouse reaches: lists note where they draw their rows, anew in each frame.

use super::list::ListCursor;
use ratatui::layout::{Position, Rect};
use std::cell::RefCell;

/// Where rows of the list that has the keys are on the screen, and how far each is from the chosen one.
#[derive(Debug, Default)]
pub struct ClickRows(RefCell<Vec<(Rect, isize)>>);

impl ClickRows {
    /// Forgets the rows of the frame before.
    pub(crate) fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    /// Notes the rows in sight of a list that is drawn into an area.
    pub(crate) fn note(&self, list: ListCursor, area: Rect) {
        let Some(chosen) = list.chosen() else {
            return;
        };
        let rows = area.rows().zip(list.top(area.height)..list.count());
        let steps =
            |at: usize| isize::try_from(at).unwrap_or(0) - isize::try_from(chosen).unwrap_or(0);
        let rows = rows.map(|(row, at)| (row, steps(at)));
        self.0.borrow_mut().extend(rows);
    }

    /// Returns how many rows below the chosen one, or above it where negative, a place is.
    pub(crate) fn steps_to(&self, place: Position) -> Option<isize> {
        let rows = self.0.borrow();
        let row = rows.iter().find(|(row, _)| row.contains(place));
        row.map(|(_, steps)| *steps)
    }
}
