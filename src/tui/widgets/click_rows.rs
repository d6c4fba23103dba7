//! Rows that a click of the mouse reaches: lists note where they draw their rows, anew in each frame.

use super::list::ListCursor;
use ratatui::layout::{Position, Rect};
use std::cell::{Cell, RefCell};

/// Where rows of the list that has the keys are on the screen, and how far each is from the chosen one.
#[derive(Debug, Default)]
pub struct ClickRows {
    rows: RefCell<Vec<(Rect, isize)>>,
    /// They are rows of a popup.
    is_popup: Cell<bool>,
}

impl ClickRows {
    /// Forgets the rows of the frame before.
    pub(crate) fn clear(&self) {
        self.rows.borrow_mut().clear();
        self.is_popup.set(false);
    }

    /// Forgets the rows of what a popup lies over: clicks reach its own alone.
    pub(crate) fn begin_popup(&self) {
        self.rows.borrow_mut().clear();
        self.is_popup.set(true);
    }

    pub(crate) fn is_popup(&self) -> bool {
        self.is_popup.get()
    }

    /// Notes the rows in sight of a list that is drawn into an area.
    pub(crate) fn note(&self, list: ListCursor, area: Rect) {
        let Some(chosen) = list.chosen() else {
            return;
        };
        for (row, at) in area.rows().zip(list.top(area.height)..list.count()) {
            self.note_item(row, at, chosen);
        }
    }

    /// Notes where an item is drawn, of a list in which another one is chosen.
    pub(crate) fn note_item(&self, area: Rect, item: usize, chosen: usize) {
        let place = |at: usize| isize::try_from(at).unwrap_or(0);
        let steps = place(item) - place(chosen);
        self.rows.borrow_mut().push((area, steps));
    }

    /// Returns how many rows below the chosen one, or above it where negative, a place is.
    pub(crate) fn steps_to(&self, place: Position) -> Option<isize> {
        let rows = self.rows.borrow();
        let row = rows.iter().find(|(row, _)| row.contains(place));
        row.map(|(_, steps)| *steps)
    }
}
