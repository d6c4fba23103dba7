//! Which rows of a data set are played: one under somebody's hands, a sample or all as a run.

use super::NewDebate;
use super::ask::{Over, row_items};
use super::form::{Field, Rows};
use crate::tui::app::Effect;
use crate::tui::overlays::{Pick, PickItem};
use crate::tui::parts::LineInput;
use std::sync::Arc;

impl NewDebate {
    /// Asks which rows of the data set are played.
    pub(super) fn choose_rows(&mut self) {
        let items = Rows::ALL.map(|rows| PickItem {
            label: match rows {
                Rows::One => "one row".to_owned(),
                Rows::Sample => "a sample".to_owned(),
                Rows::All => format!("all {}", self.form.available),
            },
            detail: match rows {
                Rows::One => "picked from the list, and played turn by turn".to_owned(),
                Rows::Sample => "so many rows, drawn by the seed, as a run".to_owned(),
                Rows::All => "every row, as a run".to_owned(),
            },
            aside: String::new(),
        });
        let title = format!("What is played of {} rows", self.form.available);
        let mut pick = Pick::new(&title, items.into());
        let at = Rows::ALL.iter().position(|rows| *rows == self.form.rows);
        pick.choose(at.unwrap_or(0));
        self.over = Over::Choice(pick);
    }

    /// Takes what was chosen: a row is still to be picked, a number to be typed.
    pub(super) fn take_rows(&mut self, rows: Rows) -> Vec<Effect> {
        match rows {
            Rows::One => {
                let pick = Pick::new("Choose a topic", row_items(&self.topics));
                self.over = Over::Rows(pick, Arc::clone(&self.topics));
                Vec::new()
            }
            Rows::Sample => {
                let effects = self.play_rows(rows);
                self.focus = Field::SampleSize;
                if self.form.debates().is_none() {
                    // The usual number is more than there are.
                    self.form.sample = self.form.available.to_string();
                }
                self.over = Over::Line(Field::SampleSize, LineInput::new(&self.form.sample));
                effects
            }
            Rows::All => {
                self.focus = Field::Rows;
                self.play_rows(rows)
            }
        }
    }

    /// Plays these rows from now on.
    pub(super) fn play_rows(&mut self, rows: Rows) -> Vec<Effect> {
        self.form.rows = rows;
        self.prepared = None;
        self.prepare()
    }
}
