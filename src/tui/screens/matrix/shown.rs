//! What of a matrix a person was shown: verdicts of the lines in sight are no secret to their labels any more, and that
//! is recorded once a session.

use super::VerdictMatrix;
use crate::tui::app::{Effect, Task};
use elenchus_game::debate::SessionId;
use elenchus_records::workspace::annotations::Unblinding;
use elenchus_view::matrix::CellVerdict;
use std::collections::BTreeSet;

/// Sessions whose verdicts were shown, and how many lines are in sight.
#[derive(Debug, Default)]
pub(super) struct ShownVerdicts {
    recorded: BTreeSet<SessionId>,
    /// Rows for lines, as they were drawn last.
    pub(super) rows: u16,
}

impl VerdictMatrix {
    /// Records the sessions of the lines in sight that were not recorded before.
    pub(super) fn record_shown(&mut self) -> Option<Effect> {
        let first = self.lines.top_row(self.shown.rows);
        self.record_lines(first, self.shown.rows.into())
    }

    /// Records all sessions that were not recorded before: the whole table leaves as text.
    pub(super) fn record_all(&mut self) -> Option<Effect> {
        self.record_lines(0, usize::MAX)
    }

    /// Returns all sessions whose verdicts are in the table.
    pub(super) fn list_shown_sessions(&self) -> Vec<SessionId> {
        self.sessions_of_lines(0, usize::MAX)
            .into_iter()
            .cloned()
            .collect()
    }

    fn sessions_of_lines(&self, first: usize, count: usize) -> BTreeSet<&SessionId> {
        let lines = self.matrix.lines.iter().skip(first);
        let turns = lines
            .take(count)
            .flat_map(|line| line.cells.iter().flat_map(|cell| &cell.turns));
        let seen = turns.filter(|turn| turn.verdict != CellVerdict::Hidden);
        seen.map(|turn| &turn.address.session).collect()
    }

    fn record_lines(&mut self, first: usize, count: usize) -> Option<Effect> {
        let seen = self.sessions_of_lines(first, count);
        let new: Vec<SessionId> = seen
            .into_iter()
            .filter(|session| !self.shown.recorded.contains(*session))
            .cloned()
            .collect();
        self.shown.recorded.extend(new.iter().cloned());
        (!new.is_empty()).then(|| Effect::Start(Task::record_listing(new, Unblinding::of_list())))
    }
}
