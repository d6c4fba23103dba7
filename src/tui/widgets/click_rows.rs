//! Rows and panes that a click of the mouse reaches: they are noted where they are drawn, anew in each frame.

use super::list::ListCursor;
use ratatui::layout::{Position, Rect};
use std::cell::{Cell, RefCell};

/// Where rows of the list that has the keys are on the screen, and how far each is from the chosen one.
#[derive(Debug, Default)]
pub struct ClickRows {
    rows: RefCell<Vec<(Rect, isize)>>,
    /// Where panes are, and how far each is from the one with the focus.
    panes: RefCell<Vec<(Rect, isize)>>,
    /// Where columns of the list's cells are, and how far each is from the chosen one.
    columns: RefCell<Vec<(Rect, isize)>>,
    /// They are rows of a popup.
    is_popup: Cell<bool>,
}

impl ClickRows {
    /// Forgets the rows of the frame before.
    pub(crate) fn clear(&self) {
        self.rows.borrow_mut().clear();
        self.panes.borrow_mut().clear();
        self.columns.borrow_mut().clear();
        self.is_popup.set(false);
    }

    /// Forgets the rows of what a popup lies over: clicks reach its own alone.
    pub(crate) fn begin_popup(&self) {
        self.clear();
        self.is_popup.set(true);
    }

    pub(crate) fn is_popup(&self) -> bool {
        self.is_popup.get()
    }

    /// Notes the rows in sight of a list that is drawn into an area.
    pub(crate) fn note_rows(&self, list: ListCursor, area: Rect) {
        let Some(selected_row) = list.selected_row() else {
            return;
        };
        for (row, at) in area.rows().zip(list.top_row(area.height)..list.row_count()) {
            self.note_item(row, at, selected_row);
        }
    }

    /// Notes where an item is drawn, of a list in which another one is chosen.
    pub(crate) fn note_item(&self, area: Rect, item: usize, chosen: usize) {
        self.rows
            .borrow_mut()
            .push((area, count_steps(item, chosen)));
    }

    /// Notes where a column of the list's cells is drawn.
    pub(crate) fn note_column(&self, area: Rect, column: usize, chosen: usize) {
        self.columns
            .borrow_mut()
            .push((area, count_steps(column, chosen)));
    }

    /// Takes note that the choice went so many rows, columns and panes on: a second click that comes before the next
    /// frame is about what is on the screen.
    pub(crate) fn note_moves(&self, rows: isize, columns: isize, panes: isize) {
        for (areas, steps) in [
            (&self.rows, rows),
            (&self.columns, columns),
            (&self.panes, panes),
        ] {
            for (_, before) in areas.borrow_mut().iter_mut() {
                *before -= steps;
            }
        }
    }

    /// Says anew how far the rows that were noted are, where the cursor passes some by; `None` for a row that it
    /// cannot stand on.
    pub(crate) fn recount(&self, steps_of: impl Fn(isize) -> Option<isize>) {
        let mut rows = self.rows.borrow_mut();
        rows.retain_mut(|(_, steps)| match steps_of(*steps) {
            Some(counted) => {
                *steps = counted;
                true
            }
            None => false,
        });
    }

    /// Notes where a pane is drawn, by its place in the order in which the focus goes through them.
    pub(crate) fn note_pane(&self, area: Rect, pane: usize, focused: usize) {
        self.panes
            .borrow_mut()
            .push((area, count_steps(pane, focused)));
    }

    /// Returns how many rows below the chosen one, or above it where negative, a place is.
    pub(crate) fn steps_to(&self, place: Position) -> Option<isize> {
        find_steps(&self.rows.borrow(), place)
    }

    /// Returns how many columns after the chosen one, or before it where negative, a place is.
    pub(crate) fn columns_to(&self, place: Position) -> Option<isize> {
        find_steps(&self.columns.borrow(), place)
    }

    /// Returns how many panes after the one with the focus, or before it where negative, a place is.
    pub(crate) fn panes_to(&self, place: Position) -> Option<isize> {
        find_steps(&self.panes.borrow(), place)
    }
}

fn count_steps(to: usize, from: usize) -> isize {
    let place = |at: usize| isize::try_from(at).unwrap_or(0);
    place(to) - place(from)
}

fn find_steps(areas: &[(Rect, isize)], place: Position) -> Option<isize> {
    let hit = areas.iter().find(|(area, _)| area.contains(place));
    hit.map(|(_, steps)| *steps)
}
