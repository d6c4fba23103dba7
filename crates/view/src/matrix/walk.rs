//! Walk through a matrix: from one wrong or unsafe cell to the next, and the turns on the way.

use super::build::{Matrix, MatrixCell, MatrixLine};
use super::verdict::CellVerdict;
use crate::turn_address::{TurnAddress, Way};

/// Place of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct CellPlace {
    pub line: usize,
    pub column: usize,
}

impl Matrix {
    /// Returns the next wrong or unsafe cell after a place, or the one before it: along the line, then the lines
    /// below or above.
    pub fn find_bad_cell(&self, from: CellPlace, way: Way) -> Option<CellPlace> {
        let places = (0..).zip(&self.lines).flat_map(|(line, cells)| {
            let cells = (0..).zip(&cells.cells);
            let bad = cells.filter(|(_, cell)| cell.count_bad() > 0);
            bad.map(move |(column, _)| CellPlace { line, column })
        });
        match way {
            Way::Forth => places.into_iter().find(|place| *place > from),
            Way::Back => places.take_while(|place| *place < from).last(),
        }
    }

    /// Returns the first cell with a verdict.
    pub fn find_cell(&self, verdict: CellVerdict) -> Option<CellPlace> {
        let mut lines = (0..).zip(&self.lines);
        lines.find_map(|(line, cells)| {
            let mut cells = cells.cells.iter();
            let column = cells.position(|cell| cell.verdict() == Some(verdict))?;
            Some(CellPlace { line, column })
        })
    }

    /// Returns the wrong and unsafe turns, in the order of the walk.
    pub fn list_bad_turns(&self) -> Vec<TurnAddress> {
        let bad = self.turns().filter(|turn| turn.verdict.is_bad());
        bad.map(|turn| turn.address.clone()).collect()
    }

    /// Returns how many wrong and unsafe turns come before a cell.
    pub fn count_bad_before(&self, place: CellPlace) -> usize {
        let above = self.lines.iter().take(place.line);
        let above: usize = above.map(MatrixLine::count_bad).sum();
        let cells = self.lines.get(place.line).map(|line| &line.cells);
        let before = cells.into_iter().flatten().take(place.column);
        above + before.map(MatrixCell::count_bad).sum::<usize>()
    }

    /// Returns the cell that a turn is in.
    pub fn find_turn(&self, address: &TurnAddress) -> Option<CellPlace> {
        let mut lines = (0..).zip(&self.lines);
        lines.find_map(|(line, cells)| {
            let mut cells = (0..).zip(&cells.cells);
            let cell = cells.find(|(_, cell)| {
                let mut turns = cell.turns.iter();
                turns.any(|turn| turn.address == *address)
            });
            cell.map(|(column, _)| CellPlace { line, column })
        })
    }
}
