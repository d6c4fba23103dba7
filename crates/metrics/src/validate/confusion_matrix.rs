//! Confusion matrix of gold and an evaluator, including unparsed and missing verdicts.

use serde::{Deserialize, Serialize};

/// Gold in rows, the evaluator's findings in columns; *unsure* and *unparsed* have their own.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ConfusionMatrix {
    pub gold: Vec<String>,
    pub found: Vec<String>,
    /// Row by row.
    pub cells: Vec<MatrixCell>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MatrixCell {
    /// The sum of the turns' weights.
    pub weight: f64,
    pub turns: Vec<TurnPlace>,
}

/// Address of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnPlace {
    pub session: String,
    /// The attempt's address.
    pub turn: String,
    pub topic: String,
}

/// Column of replies that could not be parsed.
pub const UNPARSED: &str = "unparsed";
/// Column of turns without a verdict.
pub const NO_VERDICT: &str = "no verdict";
/// Column of verdicts on neither side.
pub(super) const NEITHER: &str = "neither";

impl ConfusionMatrix {
    pub(super) fn new(gold: Vec<String>, found: Vec<String>) -> Self {
        let cells = vec![MatrixCell::default(); gold.len() * found.len()];
        Self { gold, found, cells }
    }

    fn cell_index(&self, gold: &str, found: &str) -> Option<usize> {
        let row = self.gold.iter().position(|name| name == gold)?;
        let column = self.found.iter().position(|name| name == found)?;
        Some(row * self.found.len() + column)
    }

    /// Returns the cell of a gold class and a finding.
    pub fn cell(&self, gold: &str, found: &str) -> Option<&MatrixCell> {
        self.cells.get(self.cell_index(gold, found)?)
    }

    /// Returns how many turns have both a label and a verdict.
    pub fn judged_count(&self) -> usize {
        let findings = self.found.iter().cycle();
        let cells = self.cells.iter().zip(findings);
        let judged_cells = cells.filter(|(_, found)| *found != NO_VERDICT);
        judged_cells.map(|(cell, _)| cell.turns.len()).sum()
    }

    pub(super) fn add_turn(&mut self, gold: &str, found: &str, weight: f64, turn: TurnPlace) {
        let place = self.cell_index(gold, found);
        if let Some(cell) = place.and_then(|place| self.cells.get_mut(place)) {
            cell.weight += weight;
            cell.turns.push(turn);
        }
    }

    /// Removes empty columns that are not always shown.
    pub(super) fn remove_empty_columns(self, shown: &[&str]) -> Self {
        let columns = self.found.len().max(1);
        let is_kept: Vec<bool> = self
            .found
            .iter()
            .enumerate()
            .map(|(column, name)| {
                let mut cells = self.cells.iter().skip(column).step_by(columns);
                shown.contains(&name.as_str()) || cells.any(|cell| !cell.turns.is_empty())
            })
            .collect();
        let keeps_column = |column: usize| is_kept.get(column).copied().unwrap_or(true);
        let cells = self.cells.into_iter().enumerate();
        let findings = self.found.into_iter().enumerate();
        Self {
            gold: self.gold,
            cells: cells
                .filter(|(at, _)| keeps_column(at % columns))
                .map(|(_, cell)| cell)
                .collect(),
            found: findings
                .filter(|(column, _)| keeps_column(*column))
                .map(|(_, name)| name)
                .collect(),
        }
    }
}
