//! Comparison of two sessions: rows aligned by round, stage and chair, with word differences, verdicts, later
//! verdicts of passes, and totals. It draws nothing. Pure.
//!
//! | file | content |
//! |---|---|
//! | `side` | one session, and its content for each row |
//! | `rows` | rows and folds |
//! | `row_text` | paragraphs of a row |
//! | `totals` | totals of both sides |
//! | `pass_verdicts` | verdicts of passes |
//! | `text` | the comparison as text |

mod pass_verdicts;
mod row_text;
mod rows;
mod side;
mod text;
mod totals;

pub use row_text::{DiffLayout, DiffOptions, RowText};
pub use rows::{DiffItem, DiffRow, VerdictMatch};
pub use side::{DiffSide, Subject};
pub use totals::Total;

use super::pass::PassVerdict;
use crate::debate::event::Record;
use crate::debate::{SessionId, State};
use pass_verdicts::PassVerdicts;
use std::sync::Arc;

/// Two sessions that are compared.
#[derive(Debug, Clone)]
pub struct Comparison {
    pub left: DiffSide,
    pub right: DiffSide,
    rows: Vec<DiffRow>,
    /// Rows at the beginning that are the same past of two forks.
    shared: usize,
    again: PassVerdicts,
}

/// What became of records of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordsTaken {
    /// They belong to no side.
    OfNeither,
    Taken,
    /// They do not follow the known state: the session has to be read again.
    Unfit,
}

impl Comparison {
    /// Compares two sessions; those that are not read yet are compared once they are.
    pub fn of(left: DiffSide, right: DiffSide) -> Self {
        let mut comparison = Self {
            left,
            right,
            rows: Vec::new(),
            shared: 0,
            again: PassVerdicts::default(),
        };
        comparison.align();
        comparison
    }

    fn align(&mut self) {
        self.rows = rows::rows(&self.left, &self.right);
        self.shared = rows::shared(&self.left, &self.right, &self.rows);
    }

    fn sides(&self) -> [(&'static str, &DiffSide); 2] {
        [("left", &self.left), ("right", &self.right)]
    }

    /// Returns the sessions; one, where it is compared with itself.
    pub fn sessions(&self) -> Vec<SessionId> {
        let mut sessions = vec![self.left.session.clone(), self.right.session.clone()];
        sessions.dedup();
        sessions
    }

    /// Returns the sessions that are not read yet.
    pub fn unread(&self) -> impl Iterator<Item = &SessionId> {
        let sides = [&self.left, &self.right].into_iter();
        sides
            .filter(|side| side.missing.is_some())
            .map(|side| &side.session)
    }

    /// Takes a session that was read with the person's name for it, or why it was not.
    pub fn take_session(
        &mut self,
        session: &SessionId,
        read: Result<(&Arc<State>, Option<&str>), &str>,
    ) {
        for side in [&mut self.left, &mut self.right] {
            if side.session == *session {
                side.take(read);
            }
        }
        self.align();
    }

    /// Takes what happened in a session.
    pub fn take_records(&mut self, session: &SessionId, records: &[Record]) -> RecordsTaken {
        let mut taken = RecordsTaken::OfNeither;
        for side in [&mut self.left, &mut self.right] {
            if side.session != *session {
                continue;
            }
            let fits = records.iter().all(|record| side.happened(record));
            taken = match (fits, taken) {
                (true, RecordsTaken::OfNeither | RecordsTaken::Taken) => RecordsTaken::Taken,
                (false, _) | (_, RecordsTaken::Unfit) => RecordsTaken::Unfit,
            };
        }
        if taken != RecordsTaken::OfNeither {
            self.align();
        }
        taken
    }

    /// Takes a verdict of a pass.
    pub fn take_verdict(&mut self, verdict: &PassVerdict) {
        self.again.take(verdict);
    }

    /// Returns the items of the page: rows and totals; a folded shared past is one item.
    pub fn items(&self, folded: bool) -> Vec<DiffItem> {
        rows::items(&self.rows, self.shared, folded)
    }

    /// Returns the row of an item.
    pub fn row(&self, item: &DiffItem) -> Option<&DiffRow> {
        match item {
            DiffItem::Row(at) => self.rows.get(*at),
            DiffItem::Shared { .. } | DiffItem::Totals => None,
        }
    }

    /// Returns how many rows have verdicts that differ.
    pub fn differing_rows(&self) -> usize {
        let rows = self.rows.iter();
        rows.filter(|row| row.verdicts == VerdictMatch::Differ)
            .count()
    }
}
