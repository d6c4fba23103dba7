//! Row choice: the rows of a data set to play, one interactively, a sample or all as a run.

use super::NewDebate;
use super::ask::{Over, row_items};
use super::form::{FormField, RowSelection};
use crate::tui::app::Effect;
use crate::tui::popups::{PickItem, Picker};
use crate::tui::widgets::LineInput;
use std::sync::Arc;

impl NewDebate {
    /// Asks which rows of the data set are played.
    pub(super) fn choose_rows(&mut self) {
        let items = RowSelection::ALL.map(|rows| PickItem {
            label: match rows {
                RowSelection::One => "one row".to_owned(),
                RowSelection::Sample => "a sample".to_owned(),
                RowSelection::All => format!("all {}", self.form.available),
            },
            detail: match rows {
                RowSelection::One => "picked from the list, and played turn by turn".to_owned(),
                RowSelection::Sample => "a number of rows, drawn by the seed, as a run".to_owned(),
                RowSelection::All => "every row, as a run".to_owned(),
            },
            aside: String::new(),
        });
        let title = format!("What is played of {} rows", self.form.available);
        let mut pick = Picker::new(&title, items.into());
        let at = RowSelection::ALL
            .iter()
            .position(|rows| *rows == self.form.rows);
        pick.choose(at.unwrap_or(0));
        self.over = Over::Choice(pick);
    }

    /// Takes what was chosen: a row is still to be picked, a number to be typed.
    pub(super) fn take_rows(&mut self, rows: RowSelection) -> Vec<Effect> {
        match rows {
            RowSelection::One => {
                let pick = Picker::new("Choose a topic", row_items(&self.topics));
                self.over = Over::Rows(pick, Arc::clone(&self.topics));
                Vec::new()
            }
            RowSelection::Sample => {
                let effects = self.play_rows(rows);
                self.focus = FormField::SampleSize;
                if self.form.debates().is_none() {
                    // The usual number is more than there are.
                    self.form.sample = self.form.available.to_string();
                }
                self.over = Over::Line(FormField::SampleSize, LineInput::new(&self.form.sample));
                effects
            }
            RowSelection::All => {
                self.focus = FormField::Rows;
                self.play_rows(rows)
            }
        }
    }

    /// Plays these rows from now on.
    pub(super) fn play_rows(&mut self, rows: RowSelection) -> Vec<Effect> {
        self.form.rows = rows;
        self.prepared = None;
        self.prepare()
    }
}
