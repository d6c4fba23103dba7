//! Part of the debates that a figure is about: the debates of its section, and of their turns those that its keys name.

use super::figure::{Dimension, Figure, FigureKey, ReportSection};
use super::groups::{debate_value, turn_value};
use super::{ReportSettings, inside_debates};
use crate::rows::{DebateRow, TurnRow};

/// Debates and turns that a figure, or a whole section, is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigurePart {
    simulated: bool,
    hash_check: bool,
    keys: Vec<FigureKey>,
}

impl FigurePart {
    /// Returns what a figure of a section is about.
    pub fn from_figure(section: &ReportSection, figure: &Figure) -> Self {
        Self {
            simulated: section.simulated,
            hash_check: section.hash_check,
            keys: section.group.iter().chain(&figure.keys).cloned().collect(),
        }
    }

    /// Keeps the debates of this part, and of their turns those of this part. A debate without such a turn is in no
    /// part of turns.
    pub fn keep_part(&self, rows: &mut Vec<DebateRow>) {
        let settings = ReportSettings::default();
        rows.retain(|row| self.holds_debate(row, &settings));
        if !inside_debates(&self.keys) {
            return;
        }
        for row in rows.iter_mut() {
            row.turns.retain(|turn| self.holds_turn(turn, &settings));
        }
        rows.retain(|row| row.turns.iter().any(|turn| !turn.inherited));
    }

    fn holds_debate(&self, row: &DebateRow, settings: &ReportSettings) -> bool {
        let mut keys = self.keys.iter();
        (row.simulated, row.hash_check) == (self.simulated, self.hash_check)
            && keys.all(|key| {
                // What divides turns, and names from protocols, say nothing of whole debates.
                debate_value(row, key.by, settings).is_none_or(|value| value == key.value)
            })
    }

    fn holds_turn(&self, turn: &TurnRow, settings: &ReportSettings) -> bool {
        let mut keys = self.keys.iter();
        keys.all(|key| match key.by {
            // Rewards are a seat's, whichever of its chairs has them.
            Dimension::Seat if turn.seat == key.value => true,
            by => turn_value(turn, by, settings).is_none_or(|value| value == key.value),
        })
    }
}
